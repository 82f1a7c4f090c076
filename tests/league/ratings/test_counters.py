"""What ratings count of matches, and how little changes when the sums of many bots and deals leave things out."""

import numpy as np
import pytest

from beanleague.league.ratings import spread as spreads
from beanleague.league.ratings.counters import Counters, CountersError
from beanleague.league.ratings.fit import fit
from beanleague.league.ratings.ratings import half_widths, rate
from tests.league.ratings.simulation import add_deal, half_wins_by_seats, league, play, rotated

AB = [((0, 1), (1, 2)), ((1, 0), (1, 2))]
"""A deal of two matches: 0 beats 1, then 1 beats 0; the first seat wins both."""


class TestAddDeal:
    def test_a_better_place_is_two_half_wins_over_that_bot_in_that_seat(self) -> None:
        counters = Counters(3)
        add_deal(counters, [((2, 0), (1, 2))])
        expected = np.zeros((2, 2, 3, 3), int)
        expected[0, 1, 2, 0] = 2
        assert (half_wins_by_seats(counters, 2) == expected).all()

    def test_a_shared_place_is_a_half_win_for_both(self) -> None:
        counters = Counters(2)
        add_deal(counters, [((0, 1), (1, 1))])
        assert half_wins_by_seats(counters, 2)[0, 1, 0, 1] == half_wins_by_seats(counters, 2)[1, 0, 1, 0] == 1

    def test_places_need_not_be_consecutive(self) -> None:
        plain, odd = Counters(3), Counters(3)
        add_deal(plain, [((0, 1, 2), (1, 1, 2))])
        add_deal(odd, [((0, 1, 2), (-3, -3, 70))])
        assert (half_wins_by_seats(plain, 3) == half_wins_by_seats(odd, 3)).all()

    def test_every_pair_of_every_match_counts_once(self) -> None:
        counters = Counters(4)
        add_deal(counters, [((0, 1, 2, 3), (1, 2, 3, 4)), ((1, 2, 3, 0), (1, 2, 3, 4))])
        assert half_wins_by_seats(counters, 4).sum() == 2 * 2 * 6

    def test_a_bot_with_two_seats_has_sat_at_one_deal(self) -> None:
        counters = Counters(2)
        add_deal(counters, [((0, 0, 1, 1), (1, 2, 3, 4))])
        assert counters.deals_of.tolist() == [1, 1]

    def test_table_sizes_are_counted_apart(self) -> None:
        counters = Counters(3)
        add_deal(counters, AB)
        add_deal(counters, [((0, 1, 2), (1, 2, 3))])
        assert counters.sizes == (2, 3)
        assert (counters.deals, counters.deals_at(2), counters.deals_at(3)) == (2, 1, 1)
        assert counters.deals_of.tolist() == [2, 2, 1]

    def test_deals_in_one_call_are_the_same_deals_one_by_one(self) -> None:
        rng = np.random.default_rng(5)
        seatings = np.array([[rng.permutation(4) for _ in range(3)] for _ in range(50)])
        places = rng.integers(1, 4, seatings.shape)
        together, apart = Counters(4), Counters(4)
        together.add_deals(seatings, places)
        for seated, placed in zip(seatings.tolist(), places.tolist(), strict=True):
            add_deal(apart, list(zip(seated, placed, strict=True)))
        assert (half_wins_by_seats(together, 4) == half_wins_by_seats(apart, 4)).all()
        for one, other in zip(together.sums(), apart.sums(), strict=True):
            assert (one.seatings == other.seatings).all()
            assert (one.products == other.products).all()

    def test_a_bot_that_joins_leaves_the_counts_as_they_are(self) -> None:
        early, late = Counters(3), Counters(2)
        add_deal(early, AB)
        add_deal(late, AB)
        late.grow(3)
        assert (half_wins_by_seats(early, 2) == half_wins_by_seats(late, 2)).all()
        assert late.deals_of.tolist() == [1, 1, 0]

    def test_only_who_met_is_kept_in_the_order_of_bots(self) -> None:
        counters = Counters(1000)
        add_deal(counters, [((999, 7, 3), (1, 2, 2))])
        add_deal(counters, [((999, 7, 3), (2, 1, 3))])
        met = counters.encounters(3)
        assert list(zip(met.one, met.other, met.seat, met.other_seat, met.wins, met.met, strict=True)) == [
            (3, 7, 2, 1, 1, 2),
            (3, 999, 2, 0, 0, 2),
            (7, 999, 1, 0, 2, 2),
        ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("deal", "reason"),
        [
            ([((0, 1), (1, 2)), ((0, 2), (1, 2))], "same bots"),
            ([((0, 9), (1, 2))], "numbered 0 to 2"),
            ([((0, -1), (1, 2))], "numbered 0 to 2"),
            ([((0,), (1,))], "tables seat 2"),
            ([((0, 1), (1,))], "do not match"),
            ([], "do not match"),
        ],
    )
    def test_a_deal_that_is_none_is_refused_and_not_counted(
        self, deal: list[tuple[tuple[int, ...], tuple[int, ...]]], reason: str
    ) -> None:
        counters = Counters(3)
        with pytest.raises(CountersError, match=reason):
            add_deal(counters, deal)
        assert counters.deals == 0
        assert counters.sizes == ()

    def test_arrays_that_do_not_fit_are_refused(self) -> None:
        with pytest.raises(CountersError, match="do not match"):
            Counters(2).add_deals(np.zeros((1, 2, 2)), np.zeros((1, 1, 2)))


class TestSums:
    def test_scores_are_those_of_the_bots_then_of_the_seats(self) -> None:
        counters = Counters(2)
        add_deal(counters, AB)
        (sums,) = counters.sums()
        assert sums.scores.tolist() == [[2, 2, 4, 0]]
        assert (sums.products[0] == np.outer([2, 2, 4, 0], [2, 2, 4, 0])).all()

    def test_deals_with_the_same_seatings_are_one_row(self) -> None:
        counters = Counters(2)
        add_deal(counters, AB)
        add_deal(counters, [((0, 1), (1, 1)), ((1, 0), (2, 1))])
        (sums,) = counters.sums()
        assert sums.deals.tolist() == [2]
        assert sums.scores.tolist() == [[2 + 3, 2 + 1, 4 + 1, 0 + 3]]
        assert sums.squares.tolist() == [4 + 4 + 1 + 1 + 4]

    def test_blocks_hold_every_deal_once(self) -> None:
        counters = Counters(6)
        rng = np.random.default_rng(1)
        seatings = np.array([[rng.permutation(6)[:3]] for _ in range(300)])
        counters.add_deals(seatings, rng.integers(1, 4, seatings.shape))
        whole = next(counters.sums())
        blocks = list(counters.sums(block=7))
        assert len(blocks) > 10
        assert (np.concatenate([block.products for block in blocks]) == whole.products).all()
        assert sum(int(block.deals.sum()) for block in blocks) == 300


class TestPairScores:
    def test_are_shares_of_the_pairs_won(self) -> None:
        counters = Counters(3)
        add_deal(counters, [((0, 1), (1, 2)), ((1, 0), (1, 1))])
        scores = counters.pairs().shares(np.arange(3)[:, None], np.arange(3))
        assert scores[0, 1] == 0.75
        assert scores[1, 0] == 0.25
        assert np.isnan(scores[0, 2])
        assert np.isnan(scores[0, 0])


BOTS = 40


def grown(seed: int, bots: int, deals: int, counters: Counters | None = None) -> Counters:
    """Deals at tables of three and four between bots of different strengths, of which the first never loses."""
    rng = np.random.default_rng(seed)
    strengths = np.random.default_rng(1).normal(0, 200, bots)
    strengths[0] = 9000
    counters = counters or Counters(bots)
    for seats in (3, 4):
        seatings = rotated([np.sort(rng.choice(bots, seats, replace=False)).tolist() for _ in range(deals // 2)])
        counters.add_deals(seatings, play(rng, seatings, strengths, 0.6))
    return counters


def test_half_widths_of_many_bots_differ_little_from_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    counters = grown(6, 150, 1500)
    found = fit(counters)
    exact = half_widths(counters, found)
    intervals = [bot.interval for bot in rate(counters).bots[1:]]
    monkeypatch.setattr(spreads, "MAX_EXACT", 0)
    assert np.abs(half_widths(counters, found) / exact - 1).max() < 0.06
    assert np.abs(np.array([bot.interval for bot in rate(counters).bots[1:]], float) / intervals - 1).max() < 0.06


def test_hundreds_that_have_not_played_are_rated_alike() -> None:
    ratings = rate(Counters(300))
    assert {(bot.rating, bot.best_rank, bot.worst_rank) for bot in ratings.bots} == {(1500, 1, 300)}


class TestHalfWidths:
    def test_are_against_the_mean_of_the_nearest_that_played_enough(self) -> None:
        counters = league(np.random.default_rng(3), np.array([0.0, 100, 200, 300, 400]), 400)
        counters.grow(counters.bots + 1)
        counters.add_deals([[[5, 0], [0, 5]]], [[[1, 2], [2, 1]]])
        found = fit(counters)
        order = np.argsort(found.strengths[:5])
        covariance = spreads.spread(counters, found).bots.full
        assert covariance is not None
        contrast = np.zeros(6)
        contrast[[order[0], order[1], order[2]]] = 1, -0.5, -0.5
        expected = np.sqrt(contrast @ covariance @ contrast)
        single = rate(counters, [int(order[1])])  # for the quantile and the scale
        between = np.eye(6)[order[0]] - np.eye(6)[order[1]]
        scale = single.bots[order[0]].interval / np.sqrt(between @ covariance @ between)
        assert half_widths(counters, found, neighbours=2)[order[0]] == pytest.approx(expected * scale, rel=0.06)

    def test_of_newcomers_take_from_all_how_much_deals_scatter(self) -> None:
        rng = np.random.default_rng(4)
        counters = league(rng, np.zeros(20), 4 * 600)
        for newcomer in range(20, 40):
            counters.grow(counters.bots + 1)
            seatings = rotated([[newcomer, *rng.permutation(20)[:3].tolist()] for _ in range(12)])
            counters.add_deals(seatings, play(rng, seatings, np.zeros(40), 0.6))
        found = fit(counters)
        own = np.array([bot.interval for bot in rate(counters).bots[20:]], float)
        pooled = half_widths(counters, found)[20:]
        assert pooled.std() / pooled.mean() < 0.6 * own.std() / own.mean()

    def test_of_a_bot_without_neighbours_is_that_of_the_prior(self) -> None:
        assert half_widths(Counters(1), fit(Counters(1))).tolist() == pytest.approx([686], abs=1)
