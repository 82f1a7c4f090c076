from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from beanleague.model import League, MatchFilter, PlayedDeal, PlayedMatch, PlayedSeat
from beanleague.store import ConflictError
from beanleague.store.pairs import counted
from beanleague.store.store import Store
from tests.store.helpers import add_bots, add_league, deal


def random_deal(number: int, entrants: int = 6, seats: int = 3) -> PlayedDeal:
    """Return a deal at a table, and with places, that follow from its number."""
    chance = random.Random(number)
    table = chance.sample(range(entrants), seats)
    matches = []
    for rotation in range(seats):
        seated = [table[(seat + rotation) % seats] for seat in range(seats)]
        places = chance.choices(range(1, seats + 1), k=seats)
        played = zip(seated, places, strict=True)
        seats_of = tuple(PlayedSeat(entrant, 3, place, 9, (), forfeited=False) for entrant, place in played)
        matches.append(PlayedMatch(rotation, b"record", seats_of))
    return PlayedDeal(number, b"seed", tuple(matches))


def with_league(file: Path, deals: int) -> tuple[Store, League]:
    store = Store(f"sqlite:///{file}")
    return store, add_league(store, add_bots(store, 6), deals=deals)


def test_a_pair_is_counted_by_seats(store: Store, league: League) -> None:
    """In every rotation of the deal entrant 0 beats 1, and 1 beats 2."""
    store.deals.commit(league.id, [deal(1)])
    pairs = {(pair.first, pair.second): pair for pair in store.pairs.list(league.id)}
    assert sorted(pairs) == [(0, 1), (0, 2), (1, 2)]
    assert pairs[0, 1].of_first == (0, 2, 0, 0, 0, 2, 2, 0, 0)
    assert pairs[0, 1].of_second == (0,) * 9


def test_counters_kept_deal_by_deal_are_those_of_all_deals_counted_at_once(tmp_path: Path) -> None:
    deals = [random_deal(number) for number in range(1, 41)]
    store, league = with_league(tmp_path / "a.db", 40)
    with store:
        for first in range(0, 40, 3):
            store.deals.commit(league.id, deals[first : first + 3])
        assert store.pairs.list(league.id) == counted(deals)


def test_a_deal_that_is_refused_is_not_counted(store: Store, league: League) -> None:
    store.deals.commit(league.id, [deal(1)])
    before = store.pairs.list(league.id)
    with pytest.raises(ConflictError):
        store.deals.commit(league.id, [deal(2), deal(1)])
    assert store.pairs.list(league.id) == before


def test_writers_at_the_same_time_lose_no_deal_and_count_none_twice(tmp_path: Path) -> None:
    """Three connections commit the same deals, each in an order of its own; one of the three gets each in."""
    deals = [random_deal(number) for number in range(1, 31)]
    store, league = with_league(tmp_path / "a.db", 30)
    refused, failures = [], list[BaseException]()

    def write(seed: int) -> None:
        try:
            with Store(f"sqlite:///{tmp_path / 'a.db'}") as mine:
                for played in random.Random(seed).sample(deals, len(deals)):
                    try:
                        mine.deals.commit(league.id, [played])
                    except ConflictError:
                        refused.append(played.number)
        except BaseException as error:  # noqa: BLE001  # told below
            failures.append(error)

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with store:
        assert failures == []
        assert sorted(refused) == sorted(2 * list(range(1, 31)))
        assert store.pairs.list(league.id) == counted(deals)
        assert store.leagues.get("spring").matches_done == 90
        assert sum(totals.deals for totals in store.leagues.totals(league.id)) == 90
        assert len(store.matches.list(league.id, MatchFilter(limit=100))) == 90
        assert sum(len(chunk.numbers) for chunk in store.matches.compact(league.id)) == 30
