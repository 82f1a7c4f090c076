"""Deals and matches in the database."""

import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest
from sqlalchemy import event

from beanleague.model import (
    WIN,
    ChangeKind,
    Deal,
    Fault,
    FaultKind,
    League,
    MatchFilter,
    Node,
    NodeTotals,
    PlayedDeal,
    PlayedMatch,
    SeatResult,
    Suspension,
    Totals,
)
from beanleague.store import ConflictError, Store
from tests.store.helpers import NODE, add_bots, add_league, deal
from tests.together import raised_at_once
from tests.waiting import join


def totals_of_matches(store: Store, league: League) -> list[Totals]:
    """Recompute the totals from the stored matches."""
    matches = store.matches.list(league.id, MatchFilter(limit=1000))
    found = []
    for number in range(league.entrants):
        mine = [(match, seat) for match in matches for seat in match.seats if seat.entrant == number]
        found.append(
            Totals(
                deals=len({match.deal for match, _ in mine}),
                matches=len(mine),
                score=sum(seat.score for _, seat in mine),
                wins=sum(
                    WIN // sum(other.place == 1 for other in match.seats) for match, seat in mine if seat.place == 1
                ),
                decisions=sum(seat.decisions for _, seat in mine),
                faults=sum(seat.faults for _, seat in mine),
                faulted=sum(seat.faults > 0 for _, seat in mine),
                forfeits=sum(seat.forfeited for _, seat in mine),
            )
        )
    return found


def with_places(number: int, places: Sequence[int], *, forfeited: Sequence[bool] = (False,) * 3) -> PlayedDeal:
    seats = tuple(SeatResult(e, 5, place, 9, 0, f) for e, (place, f) in enumerate(zip(places, forfeited, strict=True)))
    return PlayedDeal(number, b"seed", (PlayedMatch(0, b"record", seats),))


def random_deal(number: int, entrants: int = 6, seats: int = 3) -> PlayedDeal:
    """Return a deal at a table, and with places, that follow from its number."""
    chance = random.Random(number)
    table = chance.sample(range(entrants), seats)
    matches = []
    for rotation in range(seats):
        seated = [table[(seat + rotation) % seats] for seat in range(seats)]
        places = chance.choices(range(1, seats + 1), k=seats)
        played = zip(seated, places, strict=True)
        seats_of = tuple(SeatResult(entrant, 3, place, 9, 0, forfeited=False) for entrant, place in played)
        matches.append(PlayedMatch(rotation, b"record", seats_of))
    return PlayedDeal(number, b"seed", tuple(matches))


def compact(played: PlayedDeal) -> tuple[int, bytes]:
    return played.number, bytes(seat.place for match in played.matches for seat in match.seats)


def results(store: Store, league: League) -> list[tuple[int, bytes]]:
    """Return the number and the places of every deal, as ratings are made from them."""
    return [
        found for deals in store.matches.compact(league.id) for found in zip(deals.numbers, deals.places, strict=True)
    ]


class TestSchedule:
    def test_a_deal_is_published_without_its_seed(self, store: Store, league: League) -> None:
        deals = store.deals.list(league.id)
        assert [deal.number for deal in deals] == list(range(1, 11))
        assert {(deal.seed, deal.played) for deal in deals} == {(None, None)}
        assert store.deals.seed_digest(league.id, 3) == b"digest 3"
        assert store.deals.unplayed(league.id) == deals
        assert store.deals.tables(league.id) == ((0, 1, 2),) * 10

    def test_deals_are_listed_page_by_page(self, store: Store, league: League) -> None:
        assert [deal.number for deal in store.deals.list(league.id, after=4, limit=3)] == [5, 6, 7]
        assert [deal.number for deal in store.deals.list(league.id, after=8, limit=3)] == [9, 10]

    def test_nothing_to_schedule_is_fine(self, store: Store, league: League) -> None:
        store.deals.schedule(league.id, [])
        store.deals.schedule(league.id, [Deal(11, (1, 2, 3), b"digest 11")])
        assert len(store.deals.tables(league.id)) == 11


class TestCommit:
    def test_a_played_deal_tells_its_seed(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [deal(2)])
        first, second, *_ = store.deals.list(league.id)
        assert (first.seed, second.seed) == (None, b"seed 2")
        assert second.played is not None
        assert 2 not in {deal.number for deal in store.deals.unplayed(league.id)}
        assert store.leagues.get("spring").deals_done == 1
        assert store.leagues.get("spring").matches_done == 3

    def test_totals_are_those_of_the_stored_matches(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [deal(1), deal(2, faults=[(0, 1), (0, 1), (2, 2)])])
        store.deals.commit(league.id, [with_places(3, [1, 1, 3])])
        store.deals.commit(league.id, [with_places(4, [1, 1, 1], forfeited=[False, True, True])])
        totals = store.leagues.totals(league.id)
        assert list(totals) == totals_of_matches(store, league)
        assert [total.wins for total in totals] == [6 * WIN + WIN // 2 + WIN // 3, WIN // 2 + WIN // 3, WIN // 3, 0]
        assert sum(total.faults for total in totals) == 3
        assert sum(total.faulted for total in totals) == 2

    def test_a_deal_is_committed_only_once(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [deal(1)])
        before = store.leagues.totals(league.id), results(store, league)
        for refused, deals in ((1, [deal(1)]), (1, [deal(2), deal(1)]), (3, [deal(3), deal(3)])):
            why = f"deal {refused} is already played, or was never scheduled; nothing was stored"
            with pytest.raises(ConflictError, match=why):
                store.deals.commit(league.id, deals)
        assert (store.leagues.totals(league.id), results(store, league)) == before
        assert before[1] == [compact(deal(1))]
        assert store.leagues.get("spring").deals_done == 1
        assert len(store.deals.unplayed(league.id)) == 9

    def test_a_deal_that_was_never_published_does_not_count(self, store: Store, league: League) -> None:
        with pytest.raises(ConflictError, match="deal 11"):
            store.deals.commit(league.id, [deal(11)])

    def test_of_several_that_commit_a_deal_one_succeeds(self, store: Store, league: League) -> None:
        refused = raised_at_once(5, lambda: store.deals.commit(league.id, [deal(1)]))
        assert [type(error) for error in refused] == [ConflictError] * 4
        assert list(store.leagues.totals(league.id)) == totals_of_matches(store, league)

    def test_an_error_at_any_statement_keeps_nothing(self, store: Store, league: League) -> None:
        """Statement after statement of a commit fails, until there are no more."""

        def fail_at(statement: int) -> bool:
            seen = count(1)

            def look(*_: object) -> None:
                if next(seen) == statement:
                    raise RuntimeError("broken")

            event.listen(store.database._engine, "before_cursor_execute", look)
            try:
                store.deals.commit(league.id, [deal(1, faults=[(0, 0)]), deal(2)])
            except RuntimeError:
                return True
            finally:
                event.remove(store.database._engine, "before_cursor_execute", look)
            return False

        failures = 0
        while fail_at(failures + 1):
            failures += 1
            assert store.leagues.get("spring").deals_done == 0
            assert {total.matches for total in store.leagues.totals(league.id)} == {0}
            assert {deal.seed for deal in store.deals.list(league.id)} == {None}
            assert store.matches.list(league.id, MatchFilter()) == ()
        assert failures > 5
        assert store.leagues.get("spring").deals_done == 2
        assert list(store.leagues.totals(league.id)) == totals_of_matches(store, league)

    def test_voids_are_counted(self, store: Store, league: League) -> None:
        assert [store.deals.add_void(league.id, 3) for _ in range(2)] == [1, 2]
        assert [deal.voids for deal in store.deals.list(league.id)] == [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]


def test_writers_at_the_same_time_lose_no_deal_and_count_none_twice(store_url: str) -> None:
    """Three connections commit the same deals, each in an order of its own; one of the three gets each in."""
    deals = [random_deal(number) for number in range(1, 31)]
    refused, failures = [], list[BaseException]()
    store = Store(store_url)
    league = add_league(store, add_bots(store, 6), deals=30)

    def write(seed: int) -> None:
        try:
            with Store(store_url) as mine:
                for played in random.Random(seed).sample(deals, len(deals)):
                    try:
                        mine.deals.commit(league.id, [played])
                    except ConflictError:
                        refused.append(played.number)
        except BaseException as error:  # noqa: BLE001  # asserted below
            failures.append(error)

    writers = [threading.Thread(target=write, args=(seed,), daemon=True) for seed in range(3)]
    for writer in writers:
        writer.start()
    join(*writers)
    with store:
        assert failures == []
        assert sorted(refused) == sorted(2 * list(range(1, 31)))
        assert results(store, league) == [compact(played) for played in deals]
        assert store.leagues.get("spring").matches_done == 90
        assert sum(totals.deals for totals in store.leagues.totals(league.id)) == 90
        assert len(store.matches.list(league.id, MatchFilter(limit=100))) == 90


def test_results_kept_commit_by_commit_are_those_of_all_deals(store: Store) -> None:
    deals = [random_deal(number) for number in range(1, 41)]
    league = add_league(store, add_bots(store, 6), deals=40)
    for first in range(0, 40, 3):
        store.deals.commit(league.id, deals[first : first + 3])
    assert results(store, league) == [compact(played) for played in deals]


class TestPosition:
    def test_deals_are_numbered_in_the_order_in_which_they_were_committed(self, store: Store, league: League) -> None:
        for deals in ([deal(3)], [deal(5), deal(2)], [deal(1)]):
            store.deals.commit(league.id, deals)
        assert [each.position for each in store.deals.list(league.id)[:5]] == [4, 3, 1, None, 2]

    def test_a_suspension_comes_with_its_deal_or_not_at_all(self, store: Store, league: League) -> None:
        suspension = Suspension(1, 4, "why")
        store.deals.commit(league.id, [deal(1)])
        with pytest.raises(ConflictError):
            store.deals.commit(league.id, [deal(4), deal(1)], [suspension])
        assert store.leagues.entrants(league.id)[1].active
        store.deals.commit(league.id, [deal(4), deal(2)], [suspension])
        assert store.leagues.entrants(league.id)[1].suspended == "why"
        last = store.changes.list(league.id)[-1]
        assert (last.kind, last.entrant, last.reason) == (ChangeKind.SUSPENDED, 1, "why")
        assert (last.scheduled, last.position) == (10, 2)


RIGHT = replace(NODE, name="right")
UPDATED = replace(NODE, beanleague="0.3.0")
OTHER_CPU = replace(RIGHT, cpu="another CPU")


def played_by(node: Node, number: int, faults: int = 0) -> PlayedDeal:
    return replace(deal(number, faults=[(0, 1)] * faults), node=node)


class TestDeals:
    def test_a_deal_is_kept_with_who_played_it(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [played_by(NODE, 1), played_by(RIGHT, 2), played_by(UPDATED, 3)])
        store.deals.commit(league.id, [played_by(NODE, 4), deal(5)])
        nodes = [each.node for each in store.deals.list(league.id)]
        assert nodes == [NODE, RIGHT, UPDATED, NODE, None, *[None] * 5]

    def test_a_void_deal_is_kept_with_where_it_failed(self, store: Store, league: League) -> None:
        store.deals.add_void(league.id, 3, "the worker died", RIGHT)
        store.deals.add_void(league.id, 3, "nobody knows where")
        assert {void.reason: void.node for void in store.deals.voids(league.id, limit=9)} == {
            "the worker died": RIGHT,
            "nobody knows where": None,
        }

    def test_a_void_deal_is_kept_with_the_entrant_on_whose_account_it_was(self, store: Store, league: League) -> None:
        store.deals.add_void(league.id, 3, "the worker died")
        store.deals.add_void(league.id, 3, "on account of bot1@1: somebody killed the bot in seat 2", RIGHT)
        store.deals.add_void(league.id, 5, "on account of bot1@1: memory is full: 2 MB are left", RIGHT)
        assert store.deals.blamed_entrants(league.id) == {"bot1@1"}


class TestTotals:
    def test_faults_and_deals_played_again_are_counted_by_node(self, store: Store, league: League) -> None:
        crash = played_by(RIGHT, 3)
        one = replace(crash.matches[0], faults=(Fault(0, 9, FaultKind.CRASH, "it crashed", forfeited=True),))
        store.deals.commit(
            league.id,
            [played_by(NODE, 1, 2), played_by(RIGHT, 2, 1), replace(crash, matches=(one, *crash.matches[1:])), deal(4)],
        )
        store.deals.add_void(league.id, 5, "the worker died", RIGHT)
        assert store.nodes.totals(league.id) == (
            NodeTotals(NODE, deals=1, voids=0, faults=2, timeouts=2),
            NodeTotals(RIGHT, deals=2, voids=1, faults=2, timeouts=1),
        )

    def test_a_node_that_played_nothing_that_counts_is_there_with_what_failed(
        self, store: Store, league: League
    ) -> None:
        store.deals.add_void(league.id, 5, "the worker died", NODE)
        assert store.nodes.totals(league.id) == (NodeTotals(NODE, deals=0, voids=1, faults=0, timeouts=0),)

    def test_leagues_do_not_share_what_a_node_did(self, store: Store, league: League) -> None:
        other = add_league(store, [1, 2, 3], "autumn")
        store.deals.commit(league.id, [played_by(NODE, 1, 1)])
        store.deals.commit(other.id, [played_by(NODE, 1)])
        assert store.nodes.totals(other.id) == (NodeTotals(NODE, deals=1, voids=0, faults=0, timeouts=0),)


class TestOneCpu:
    @pytest.fixture
    def strict(self, store: Store) -> League:
        """A league that is to be played on one model of CPU."""
        return add_league(store, add_bots(store, 4), one_cpu=True)

    def test_the_first_deal_decides_the_model(self, store: Store, strict: League) -> None:
        assert store.leagues.get("spring").cpu == ""
        store.deals.commit(strict.id, [played_by(NODE, 1), played_by(RIGHT, 2)])
        assert store.leagues.get("spring").cpu == NODE.cpu

    @pytest.mark.parametrize("before", [1, 0])
    def test_a_deal_of_another_model_is_refused_and_nothing_is_stored(
        self, store: Store, strict: League, before: int
    ) -> None:
        if before:
            store.deals.commit(strict.id, [played_by(NODE, 1)])
        with pytest.raises(
            ConflictError, match=r"deal 3 was played on another CPU, but .* on a CPU; nothing was stored"
        ):
            store.deals.commit(strict.id, [played_by(NODE, 2), played_by(OTHER_CPU, 3)])
        assert store.leagues.get("spring").deals_done == before
        assert store.leagues.get("spring").cpu == NODE.cpu * before

    def test_other_leagues_are_played_on_any(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [played_by(NODE, 1), played_by(OTHER_CPU, 2)])
        assert store.leagues.get("spring").cpu == ""
        assert store.leagues.get("spring").deals_done == 2

    def test_the_layers_under_which_deals_were_played_are_known(self, store: Store, league: League) -> None:
        assert store.nodes.layers(league.id) == ()
        for number, layer in ((1, "landlock"), (2, "bubblewrap"), (3, "landlock"), (4, "")):
            played = deal(number)
            matches = tuple(replace(match, layer=layer) for match in played.matches)
            store.deals.commit(league.id, [replace(played, matches=matches)])
        assert store.nodes.layers(league.id) == ("bubblewrap", "landlock")
