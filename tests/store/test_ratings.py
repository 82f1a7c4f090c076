from __future__ import annotations

from beanleague.model import League, Rating, Snapshot
from beanleague.store.store import Store


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
