from dataclasses import replace

from beanleague.model import Deal, League, PairDeal, PairMatch, PlayedDeal, Rating, SeatResult, Snapshot
from beanleague.store import Store
from tests.store.helpers import add_bots, add_league, deal


def ratings(elo: float) -> tuple[Rating, ...]:
    return Rating(0, elo, None, 1, 2, least=elo / 2, provisional=True), Rating(1, -elo, 12.5, 1, 2, anchor=True)


def keep(store: Store, league: League, deals: int, elo: float) -> None:
    store.ratings.keep(league.id, Snapshot(deals, ratings(elo), created=0.0))


def test_the_latest_snapshot_is_found_as_it_was_kept(store: Store, league: League) -> None:
    assert store.ratings.latest(league.id) is None
    keep(store, league, 3, 0.1)
    keep(store, league, 5, 0.2)
    latest = store.ratings.latest(league.id)
    assert latest is not None
    assert (latest.deals, latest.ratings) == (5, ratings(0.2))


def test_keeping_the_same_again_or_an_older_one_changes_nothing_newer(store: Store, league: League) -> None:
    for deals, elo in [(5, 0.1), (5, 0.2), (4, 0.3)]:
        keep(store, league, deals, elo)
    assert [(snapshot.deals, snapshot.ratings[0].rating) for snapshot in store.ratings.history(league.id)] == [(5, 0.2)]


def test_the_history_keeps_a_snapshot_for_each_doubling(store: Store, league: League) -> None:
    for deals in [0, 1, 2, 3, 5, 6, 7, 9, 14, 17, 18, 40]:
        keep(store, league, deals, deals)
    assert [snapshot.deals for snapshot in store.ratings.history(league.id)] == [1, 2, 5, 9, 17, 40]
    store.ratings.keep(league.id, Snapshot(41, (), created=0.0))
    assert [snapshot.deals for snapshot in store.ratings.history(league.id)] == [1, 2, 5, 9, 17, 40, 41]


def scored(number: int, *matches: tuple[tuple[int, int, int], ...], forfeits: tuple[int, ...] = ()) -> PlayedDeal:
    """Return a deal whose matches have these seats: (entrant, place, score); entrants in `forfeits` forfeited."""
    played = deal(number, seats=len(matches))
    return replace(
        played,
        matches=tuple(
            replace(
                match,
                seats=tuple(SeatResult(who, score, place, 9, 0, who in forfeits) for who, place, score in seats),
            )
            for match, seats in zip(played.matches, matches, strict=True)
        ),
    )


def test_a_pair_is_counted_in_the_matches_in_which_both_sat(store: Store, league: League) -> None:
    store.deals.commit(
        league.id,
        [
            scored(
                2,
                ((0, 1, 9), (1, 2, 7), (2, 3, 1)),
                ((1, 1, 8), (2, 2, 5), (0, 2, 5)),
                ((2, 1, 9), (0, 2, 3), (1, 2, 3)),
            ),
            scored(1, ((0, 1, 9), (2, 2, 7), (3, 3, 1))),
        ],
    )
    store.deals.commit(add_league(store, [1, 2, 3], "autumn").id, [deal(1)])
    assert store.pairs.by_deal(league.id, 0, 1, solo=False) == (PairDeal(2, 3, 3, -1, 13),)
    assert store.pairs.by_deal(league.id, 1, 0, solo=False) == (PairDeal(2, 3, 3, 1, 13),)
    assert [each.deal for each in store.pairs.by_deal(league.id, 2, 0, solo=False)] == [1, 2]
    assert store.pairs.by_deal(league.id, 1, 3, solo=False) == ()


def test_every_seat_of_one_meets_every_seat_of_the_other(store: Store) -> None:
    league = add_league(store, add_bots(store, 2), seats=4)
    store.deals.commit(league.id, [scored(1, ((0, 1, 9), (1, 2, 7), (0, 4, 1), (1, 3, 5)))])
    assert store.pairs.by_deal(league.id, 0, 1, solo=False) == (PairDeal(1, 4, 4, -4, 4 + 16 + 36 + 16),)


def test_alone_bots_are_compared_by_their_lead_over_the_thief(store: Store) -> None:
    """As in the ratings: those that won are before those that lost, and these before those that forfeited."""
    league = add_league(store, add_bots(store, 3), seats=1)
    thief = 3
    store.deals.commit(
        league.id,
        [
            scored(1, ((0, 2, 8), (thief, 1, 13)), ((1, 1, 13), (thief, 2, 12))),
            scored(2, ((0, 1, 14), (thief, 2, 5)), ((1, 1, 13), (thief, 2, 4))),
            scored(3, ((0, 2, 3), (thief, 1, 13)), ((1, 2, 9), (thief, 1, 13)), forfeits=(1,)),
        ],
    )
    assert [each.half_wins for each in store.pairs.by_deal(league.id, 0, 1, solo=True)] == [0, 1, 2]
    assert [each.lead for each in store.pairs.by_deal(league.id, 0, 1, solo=True)] == [-5, 1, -6]


def test_the_matches_of_a_pair_have_the_mean_of_the_seats_of_each(store: Store, league: League) -> None:
    seats = ((0, 1, 9), (1, 2, 6), (0, 3, 4)), ((2, 1, 9), (0, 2, 3), (3, 2, 3))
    store.deals.commit(league.id, [scored(1, *seats), scored(2, ((2, 1, 9), (3, 2, 3)))])
    assert store.pairs.matches(league.id, [1, 2], 0, 1) == (PairMatch(1, 0, 6.5, 6.0), PairMatch(1, 1, 3.0, None))


def test_the_newest_records_of_an_entrant_come_first(store: Store, league: League) -> None:
    store.deals.schedule(league.id, [Deal(11, (1, 2, 3), b"")])
    store.deals.commit(league.id, [scored(11, ((1, 1, 9), (2, 2, 6), (3, 3, 4))), deal(1), deal(2)])
    found = store.matches.newest_records(league.id, 0, 4)
    assert found == (
        (1, 52, b"record 2.2"),
        (2, 52, b"record 2.1"),
        (0, 52, b"record 2.0"),
        (1, 51, b"record 1.2"),
    )
