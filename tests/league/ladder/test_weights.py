"""Weights of a ladder's deals, against sums over every epoch and every table, one by one."""

from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
import pytest

from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.fit import Prior, fit
from beanleague.league.ratings.ratings import half_widths, rate
from beanleague.league.ratings.spread import spread
from beanleague.league.schedule.draws import Companions
from beanleague.league.schedule.schedule import Table, rotations
from beanleague.league.schedule.seeds import table_rank

SEATS = 3
SEAT_OF = rotations(range(SEATS))
OWNERS = [0, 1, 1, 3, 4, 5, 6, 7]
"""Groups of eight entries, of which two have one owner."""


class Drawn:
    """Deals that are drawn for seeds in turn, and committed in an order of their own."""

    def __init__(self) -> None:
        self.deals = LadderDeals(SEAT_OF)
        self.epochs: list[tuple[Companions, frozenset[int], list[Table]]] = []
        self.results: dict[int, tuple[Table, bytes]] = {}
        self.rng = np.random.default_rng(1)

    def epoch(self, entries: Sequence[int], tables: int) -> None:
        field = Companions([(entry, OWNERS[entry]) for entry in entries], SEATS)
        first = len(self.results) + 1
        drawn = []
        for number in range(first, first + tables):
            seed = entries[number % len(entries)]
            drawn.append((seed, *field.of_rank(seed, table_rank(b"secret", number, field.count(seed)))))
        self.deals.plan(len(self.epochs) + 1, first, field, drawn)
        self.epochs.append((field, frozenset(entries), drawn))
        for number, table in reversed([*enumerate(drawn, first)]):
            places = [1 + self.rng.permutation(SEATS) for _ in range(SEATS)]
            self.results[number] = table, np.array(places, np.uint8).tobytes()
            self.deals.add(number, self.results[number][1])

    def mixture(self, table: Table) -> float:
        """m(S), table by table."""
        owners = {OWNERS[entry] for entry in table}
        return sum(
            1 / field.count(seed)
            for field, entries, tables in self.epochs
            for seed, *_ in tables
            if seed in table and entries >= {*table} and (len(owners) == SEATS or not field.apart)
        )

    def stayed(self) -> list[int]:
        """Deals of each entry since it was last away for more than 20 tables."""
        stayed, last, planned = [0] * 8, [0] * 8, 0
        for _, entries, tables in self.epochs:
            for entry in entries:
                if planned - last[entry] > 20:
                    stayed[entry] = 0
                last[entry] = planned + len(tables)
            for entry in [each for table in tables for each in table]:
                stayed[entry] += 1
            planned += len(tables)
        return [max(deals, 1) if last[entry] else 0 for entry, deals in enumerate(stayed)]

    def weights(self, members: Sequence[int]) -> list[float]:
        """Weights by number of the deal, those of 0 left out, with a mean of 1."""
        stayed = self.stayed()
        share = {entry: min(1.0, stayed[entry] / 40) ** 2 if entry in members else 0.0 for entry in range(8)}
        apart = len({OWNERS[entry] for entry in members}) >= SEATS
        tables = [table for _, (table, _) in sorted(self.results.items())]
        living = [each for each in tables if not apart or len({OWNERS[entry] for entry in each}) == SEATS]
        found = [prod(share[entry] for entry in table) / self.mixture(table) for table in living]
        some = [weight for weight in found if weight]
        return [weight / (sum(some) / len(some)) for weight in some]


@pytest.fixture
def drawn() -> Drawn:
    """Entries come, rest and return; at first there are too few owners."""
    drawn = Drawn()
    drawn.epoch([1, 2, 3], 6)
    drawn.epoch([0, 1, 2, 3, 4], 15)
    drawn.epoch([0, 1, 3, 4, 5], 15)
    drawn.epoch([0, 1, 2, 3, 5], 15)
    drawn.epoch([0, 1, 2, 3, 4, 5, 6], 20)
    return drawn


ALL = [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("members", [ALL, [0, 1, 2, 3, 5], [1, 2, 3]])
def test_a_deal_weighs_the_shares_of_its_table_over_the_draws_to_be_expected(drawn: Drawn, members: list[int]) -> None:
    found = drawn.deals.weighted(members, OWNERS)
    assert found.weights.tolist() == pytest.approx(drawn.weights(members))


def test_effective_deals_are_those_that_equal_weights_would_need(drawn: Drawn) -> None:
    found, weights = drawn.deals.weighted(ALL, OWNERS), drawn.weights(ALL)
    tables = [table for _, (table, _) in sorted(drawn.results.items()) if len({OWNERS[e] for e in table}) == SEATS]
    of_three = [weight for weight, table in zip(weights, tables, strict=True) if 3 in table]
    assert found.deals_of[3] == pytest.approx(sum(of_three) ** 2 / sum(weight**2 for weight in of_three))
    assert (found.deals_of[:7] <= drawn.deals.played[:7]).all()


def test_an_entry_fades_in_anew_after_a_long_absence_and_not_after_a_short_one(drawn: Drawn) -> None:
    assert drawn.deals.stayed.tolist() == drawn.deals.played.tolist(), "nobody was away for more than 15 tables"
    drawn.epoch([0, 1, 2, 3, 5, 6], 26)
    drawn.deals.plan(7, 98, drawn.epochs[1][0], [(4, 0, 3)])
    assert part_of(4, drawn) > 0.1, "no deal is over since it came back"
    drawn.deals.add(98, bytes([1, 2, 3] * SEATS))
    assert drawn.deals.stayed[4] == 1
    assert 0 < part_of(4, drawn) < 0.01
    assert drawn.deals.weighted(ALL, OWNERS).deals_of[4] > 10, "its own deals count beside each other as before"


def part_of(entry: int, drawn: Drawn) -> float:
    """The part of all weight that deals with an entry have."""
    found = drawn.deals.weighted(ALL, OWNERS)
    return float(found.weights[(found.seatings[:, 0] == entry).any(axis=1)].sum() / found.weights.sum())


def test_an_entry_that_has_left_is_not_rated(drawn: Drawn) -> None:
    found = rate(drawn.deals.weighted([0, 1, 2, 3, 5], OWNERS), [0])
    assert [bot.entrant for bot in found.bots if bot.best_rank] == [0, 1, 2, 3, 5]
    assert max(bot.worst_rank for bot in found.bots) == 5


def test_the_mean_is_the_anchor_once_the_anchor_has_left(drawn: Drawn) -> None:
    found = rate(drawn.deals.weighted([1, 2, 3, 5], OWNERS), [0])
    assert sum(found.bots[bot].rating for bot in (1, 2, 3, 5)) / 4 == pytest.approx(1500, abs=1e-4)


def test_deals_of_equal_weight_give_the_ratings_of_a_league() -> None:
    drawn = Drawn()
    drawn.epoch([0, 1, 3, 4], 120)
    weighted = drawn.deals.weighted([0, 1, 3, 4], OWNERS)
    plain = Counters(8)
    for table, places in drawn.results.values():
        seatings = np.array(table)[np.array(SEAT_OF)]
        plain.add_deals([seatings], [np.frombuffer(places, np.uint8).reshape(SEATS, SEATS)])
    equal = type(weighted)(weighted.rated, weighted.seatings, _places(drawn), np.ones(120))
    assert equal.deals_of.tolist() == plain.deals_of.tolist()
    wider = 1 / (1 - SEATS / 90 / (SEATS - 1))  # by the leverage of deals of which each entry has 90
    for one, other in zip(rate(equal, [0]).bots, rate(plain, [0]).bots, strict=True):
        if one.best_rank:
            assert one.rating == pytest.approx(other.rating, abs=1e-5)
            assert one.interval == pytest.approx(other.interval and other.interval * wider, rel=1e-3)
    assert half_widths(equal, fit(equal))[OWNERS[:2]] == pytest.approx(
        wider * half_widths(plain, fit(plain))[OWNERS[:2]], rel=1e-3
    )


def test_a_deal_scatters_as_much_as_about_the_fit_without_it() -> None:
    drawn, field = Drawn(), [0, 1, 3, 4, 5]
    drawn.epoch(field, 60)
    drawn.epoch([*field, 6], 20)
    found, places = drawn.deals.weighted([*field, 6], OWNERS), _places(drawn)
    strengths, gaps = fit(found).strengths, []
    for deal in range(80):
        kept = np.arange(80) != deal
        without = type(found)(found.rated, found.seatings[kept], places[kept], found.weights[kept])
        gaps.append(fit(without).strengths[field] - strengths[field])
    one, other = np.triu_indices(len(field), 1)
    left_out = ((np.array(gaps)[:, one] - np.array(gaps)[:, other]) ** 2).sum(axis=0)
    seen = spread(found, fit(found)).bots.between(np.array(field)[one], np.array(field)[other])
    assert 1 < (seen / left_out).mean() < 1.06  # what the prior adds; about the fit with it: 0.96


def test_differences_do_not_become_less_sure_with_a_weaker_prior_of_all_strengths_together() -> None:
    drawn = Drawn()
    drawn.epoch([0, 1, 3, 4, 5], 400)
    drawn.epoch([0, 1, 3, 4, 5, 6], 40)
    found = drawn.deals.weighted([0, 1, 3, 4, 5, 6], OWNERS)
    assert found.inflation[6] > 2 * found.inflation[0], "deals with the newcomer weigh more"
    usual, weak = Prior(), Prior(bots=10 * Prior().bots)
    pair = np.array(0), np.array(6)
    one, other = (spread(found, fit(found, prior)).model.between(*pair) for prior in (usual, weak))
    assert one == pytest.approx(other, rel=0.05)


def _places(drawn: Drawn) -> np.ndarray:
    rows = [places for _, (_, places) in sorted(drawn.results.items())]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(-1, SEATS, SEATS).astype(np.int64)


def same(one: LadderDeals, other: LadderDeals, members: list[int] = ALL) -> bool:
    """Whether two have the same weights, to the last bit."""
    return np.array_equal(one.weighted(members, OWNERS).weights, other.weighted(members, OWNERS).weights)


def test_deals_that_are_saved_are_loaded_again(drawn: Drawn) -> None:
    loaded = LadderDeals.from_columns(drawn.deals.to_columns(7), SEAT_OF)
    assert same(loaded, drawn.deals)
    assert loaded.played.tolist() == drawn.deals.played.tolist()
    with pytest.raises(ValueError, match="name unknown entries"):
        LadderDeals.from_columns({**drawn.deals.to_columns(7), "seed": np.array([9])}, SEAT_OF)


def test_trimming_loses_nothing_of_entries_that_stay(drawn: Drawn) -> None:
    before = LadderDeals.from_columns(drawn.deals.to_columns(7), SEAT_OF)
    drawn.deals.trim([4, 6])
    assert len(drawn.deals.to_columns(7)["deal"]) < len(before.to_columns(7)["deal"])
    assert same(drawn.deals, before, [0, 1, 2, 3, 5])


def test_trimming_keeps_whole_epochs_and_draws_of_these_alone(drawn: Drawn) -> None:
    drawn.deals.trim([], most=30)
    assert {*drawn.deals.to_columns(7)["epoch"].tolist()} == {4, 5}
    kept = Drawn()
    kept.deals.trim([])
    kept.epochs = [
        (field, entries, tables if at > 2 else []) for at, (field, entries, tables) in enumerate(drawn.epochs)
    ]
    kept.results = {number: deal for number, deal in drawn.results.items() if number > 36}
    kept.stayed = drawn.stayed  # type: ignore[method-assign]
    assert drawn.deals.weighted(ALL, OWNERS).weights.tolist() == pytest.approx(kept.weights(ALL))


def test_a_deal_that_was_not_planned_is_refused(drawn: Drawn) -> None:
    with pytest.raises(ValueError, match="deal 99 was not planned"):
        drawn.deals.add(99, bytes(9))


def test_every_table_is_as_probable_as_the_shares_of_its_entries() -> None:
    """Weights of all tables, however they were drawn, add up to the field's distribution."""
    drawn = Drawn()
    drawn.epoch([0, 1, 3, 4], 40)
    drawn.epoch([0, 1, 3, 4, 5], 4000)
    found = drawn.deals.weighted([0, 1, 3, 4, 5], OWNERS)
    tables = np.sort(found.seatings[:, 0], axis=1)
    shares = [found.weights[(tables == row).all(axis=1)].sum() for row in combinations([0, 1, 3, 4, 5], 3)]
    assert np.array(shares) / sum(shares) == pytest.approx(np.full(10, 0.1), abs=0.02)
