"""Matches in the database: pages of them, records, results, sums, faults and analyses."""

from dataclasses import replace
from itertools import product

import pytest

from beanleague.model import Deal, EntryDeal, FaultCount, League, Match, MatchFilter
from beanleague.store import MissingError, Store
from tests.store.helpers import add_league, deal


@pytest.fixture
def played(store: Store, league: League) -> League:
    """Deals 1 to 4 are played, with faults in 2 (of entrants 1 and 0) and 4 (of entrant 1); and another league."""
    store.deals.commit(
        league.id, [deal(1), deal(2, faults=[(0, 1), (1, 2)]), deal(4, faults=[(0, 1), (0, 1)]), deal(3)]
    )
    other = add_league(store, [1, 2, 3], "autumn")
    store.deals.commit(other.id, [deal(1, faults=[(0, 0)])])
    return league


def wanted(match: Match, what: MatchFilter) -> bool:
    """The filter again, match by match."""
    seats = [seat for seat in match.seats if what.entrants is None or seat.entrant in what.entrants]
    return (
        bool(seats)
        and (what.deal is None or match.deal == what.deal)
        and (not what.with_faults or any(seat.faults for seat in seats))
    )


def test_pages_hold_every_match_that_is_wanted_once(store: Store, played: League) -> None:
    everything = store.matches.list(played.id, MatchFilter(limit=1000))
    assert len(everything) == 12
    for entrants, number, with_faults, newest_first in product(
        [None, (0,), (1, 2), (3,)], [None, 2, 9], [False, True], [False, True]
    ):
        what = MatchFilter(entrants, number, with_faults, None, newest_first, 2)
        found: list[Match] = []
        while page := store.matches.list(
            played.id, replace(what, after=(found[-1].deal, found[-1].rotation) if found else None)
        ):
            assert len(page) <= 2
            found += page
        expected = [match for match in everything if wanted(match, what)]
        assert found == (expected[::-1] if newest_first else expected), what


def test_a_match_is_found_with_its_record(store: Store, played: League) -> None:
    match, record = store.matches.get(played.id, 2, 1)
    assert record == b"record 2.1"
    assert [seat.entrant for seat in match.seats] == [1, 2, 0]
    assert [seat.score for seat in match.seats] == [9, 8, 10]
    assert [seat.faults for seat in match.seats] == [0, 0, 1]


@pytest.mark.parametrize(
    ("number", "rotation", "message"),
    [
        (11, 0, "deal 11 does not exist in this league, or is not scheduled yet"),
        (7, 0, "deal 7 is not played yet"),
        (1, 3, "deal 1 has no rotation 3; its rotations are 0 to 2"),
    ],
)
def test_a_missing_match_is_an_error(store: Store, played: League, number: int, rotation: int, message: str) -> None:
    with pytest.raises(MissingError, match=message):
        store.matches.get(played.id, number, rotation)


def test_results_come_deal_by_deal(store: Store, played: League) -> None:
    deals = store.matches.by_deal(played.id)
    assert [[([s.entrant for s in m], [s.place for s in m]) for m in deal] for deal in deals] == [
        [([0, 1, 2], [1, 2, 3]), ([1, 2, 0], [2, 3, 1]), ([2, 0, 1], [3, 1, 2])]
    ] * 4


def test_results_of_many_deals_come_whole(store: Store, league: League) -> None:
    """More rows than are read at once."""
    numbers = range(11, 1500)
    store.deals.schedule(league.id, [Deal(number, (0, 1, 2), b"") for number in numbers])
    store.deals.commit(league.id, [deal(number) for number in numbers])
    deals = list(store.matches.by_deal(league.id))
    assert len(deals) == len(numbers)
    assert set(map(len, deals)) == {3}


def test_faults_are_counted_by_kind_with_the_last_one(store: Store, played: League) -> None:
    assert store.matches.faults(played.id, 1) == (FaultCount("timeout", 3, "slow at 4.0", 4, 0),)
    assert store.matches.faults(played.id, 0) == (FaultCount("timeout", 1, "slow at 2.1", 2, 1),)
    assert store.matches.faults(played.id, 3) == ()


def test_the_newest_records_of_an_entrant_come_first(store: Store, league: League) -> None:
    store.deals.commit(league.id, [deal(1), deal(2)])
    assert store.matches.newest_records(league.id, 0, 4) == (
        (1, 52, b"record 2.2"),
        (2, 52, b"record 2.1"),
        (0, 52, b"record 2.0"),
        (1, 51, b"record 1.2"),
    )


def test_deals_of_an_entrant_have_its_mean_place_score_and_faults(store: Store, played: League) -> None:
    first, second = EntryDeal(1, 1, 2.0, 27, 3, 0), EntryDeal(2, 2, 2.0, 27, 3, 1)
    assert store.matches.deals_of(played.id, 1, 2, newest=False) == (first, second)
    assert store.matches.deals_of(played.id, 1, 1, newest=True) == (EntryDeal(4, 3, 2.0, 27, 3, 2),)
    assert store.matches.deals_of(played.id, 3, 2, newest=True) == ()


def test_the_worst_deal_of_an_entrant_is_that_with_the_largest_mean_place(store: Store, league: League) -> None:
    lost = tuple(
        replace(match, seats=tuple(replace(seat, place=4 - seat.place) for seat in match.seats))
        for match in deal(2).matches
    )
    store.deals.commit(league.id, [deal(1), replace(deal(2), matches=lost), deal(3)])
    assert [each.deal for each in store.matches.worst_deals(league.id, 0, 1)] == [2]
    assert [each.deal for each in store.matches.worst_deals(league.id, 2, 2)] == [3, 1]


def test_totals_of_matches_are_the_totals_of_entrants(store: Store, played: League) -> None:
    totals = store.leagues.totals(played.id)
    assert store.matches.totals(played.id) == dict(enumerate(totals[:3]))
    assert totals[3].matches == 0


def test_matches_are_counted_league_by_league(store: Store, played: League) -> None:
    assert store.matches.count(played.id) == 12
    assert store.matches.count(store.leagues.get("autumn").id) == 3


def test_the_spread_of_scores_is_their_standard_deviation(store: Store, played: League) -> None:
    assert store.matches.spread(played.id) == pytest.approx((2 / 3) ** 0.5)  # of 8, 9 and 10
    assert store.matches.spread(played.id, after=4) == 0.0


def test_compact_deals_have_tables_and_places_of_deals_that_were_played(store: Store, played: League) -> None:
    (chunk,) = store.matches.compact(played.id, after=2)
    assert chunk.numbers == (3, 4)
    assert chunk.tables == [[0, 1, 2]] * 2
    assert chunk.places == (bytes([1, 2, 3, 2, 3, 1, 3, 1, 2]),) * 2


class TestAnalyses:
    def test_an_analysis_replaces_the_one_before(self, store: Store, played: League) -> None:
        assert store.analyses.get(played.id, 1, 0) is None
        for version in (1, 2):
            store.analyses.keep(played.id, 1, 0, b"digest", version, b"luck %d" % version)
        assert store.analyses.get(played.id, 1, 0) == (2, b"digest", b"luck 2")
        assert store.analyses.get(played.id, 1, 1) is None


class TestAudit:
    def test_deals_come_in_chunks_with_all_rows_that_name_them(self, store: Store, played: League) -> None:
        chunks = list(store.audit.deals(played.id, 3, most=4))
        assert [[number for number, _ in chunk] for chunk in chunks] == [[1, 2, 3], [4]]
        ((_, rows),) = chunks[1]
        assert {table: len(found) for table, found in rows.items()} == {
            "deal": 1,
            "void": 0,
            "match": 3,
            "match_seat": 9,
            "fault": 2,
            "trade_flow": 0,
        }

    def test_results_of_deals_come_in_the_order_of_their_numbers(self, store: Store, played: League) -> None:
        found = dict(store.audit.results(played.id, [2, 7]))
        assert [[seat.entrant for seat in match] for match in found[2]] == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
        assert found[7] == []
