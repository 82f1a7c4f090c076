"""The source of a ladder's deals, driven by hand: when it plans epochs, which deals are open, and when a day ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from beanleague.league.run.committing import LadderRatings
from beanleague.league.run.epochs import EpochDealer
from beanleague.model import Entrant, LadderState, PlayedDeal
from beanleague.referee.messages import DealTask
from beanleague.store import Store
from tests.league.fakepool import quick
from tests.league.helpers import store_with_bots
from tests.league.ladder.playing import DAY_S, Clock, create

TABLES = 8
"""Tables of an epoch."""


@dataclass
class Bench:
    """A pool that plays nothing: what the source asks of one."""

    stale: bool = False
    lacks: set[int] = field(default_factory=set)
    """Entrants that it does not have."""

    def has(self, table: Sequence[int]) -> bool:
        return self.lacks.isdisjoint(table)

    def joined(self, entrants: Sequence[Entrant]) -> bool:
        return not any(entrant.active and entrant.number in self.lacks for entrant in entrants)


class Ladder:
    """The ladder "spring" of six bots, with the source and the counter of a run."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self.league = store.leagues.get("spring")
        self.bench = Bench()
        self.ratings = LadderRatings(store, self.league, lambda: 0.0)
        self.source = EpochDealer(
            store,
            self.league,
            self.ratings,
            tables=lambda: TABLES,
            joined=self.bench.joined,
            in_pool=self.bench.has,
            stale=lambda: self.bench.stale,
            now=clock,
        )

    def take(self) -> list[DealTask]:
        """Take the deals that there are now."""
        return [*iter(self.source.next, None)]

    def commit(self, *tasks: DealTask) -> None:
        """Play deals and commit them, as a run does."""
        for task in tasks:
            matches = tuple(quick(match, {}) for match in task.matches)
            deal = PlayedDeal(task.number, task.matches[0].seed, matches)
            self.store.deals.commit(self.league.id, [deal])
            self.ratings.add(deal)
            self.source.committed(deal.number)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ladder(tmp_path: Path, clock: Clock) -> Iterator[Ladder]:
    with store_with_bots(tmp_path / "a.db", 6) as store:
        create(store)
        yield Ladder(store, clock)


def test_planned_deals_are_open_until_they_are_committed(ladder: Ladder) -> None:
    tasks = ladder.take()
    assert [task.number for task in tasks] == [*range(1, TABLES + 1)]
    assert sorted(ladder.source.open) == [*range(1, TABLES + 1)]
    ladder.commit(*tasks[:3])
    assert sorted(ladder.source.open) == [*range(4, TABLES + 1)]
    assert ladder.source.deals == TABLES


def test_the_next_epoch_is_planned_when_half_of_the_last_one_is_committed(ladder: Ladder) -> None:
    tasks = ladder.take()
    ladder.commit(*tasks[: TABLES // 2 - 1])
    assert ladder.take() == []
    ladder.commit(tasks[TABLES // 2 - 1])
    assert [task.number for task in ladder.take()] == [*range(TABLES + 1, 2 * TABLES + 1)]
    assert [epoch.position for epoch in ladder.store.ladders.epochs(1)] == [0, TABLES // 2]


def test_a_new_source_hands_out_the_open_deals_with_the_same_seeds(ladder: Ladder, clock: Clock) -> None:
    tasks = ladder.take()
    ladder.commit(*tasks[:2])
    assert Ladder(ladder.store, clock).take() == tasks[2:]


def test_a_stale_pool_plays_the_planned_deals_and_gets_no_others(ladder: Ladder) -> None:
    first = ladder.source.next()
    ladder.bench.stale = True
    assert first is not None
    rest = ladder.take()
    assert len(rest) == TABLES - 1
    ladder.commit(first, *rest)
    assert ladder.take() == []
    assert (ladder.source.over, ladder.source.wants_pool) == (True, True)


def test_deals_of_a_bot_that_the_pool_lacks_wait_for_another_pool(ladder: Ladder, clock: Clock) -> None:
    planned = ladder.take()
    again = Ladder(ladder.store, clock)
    again.bench.lacks.add(0)
    played = again.take()
    assert [task.number for task in played] == [task.number for task in planned if 0 not in task.matches[0].bots]
    assert 0 < len(played) < TABLES
    assert (again.source.over, again.source.wants_pool) == (True, True)


def test_a_day_ends_when_its_last_deal_is_committed(ladder: Ladder, clock: Clock) -> None:
    tasks = ladder.take()
    clock.now += DAY_S
    ladder.commit(*tasks[:-1])
    assert ladder.take() == []
    assert len(ladder.store.ladders.days(1)) == 1
    ladder.commit(tasks[-1])
    assert len(ladder.take()) == TABLES
    assert len(ladder.store.ladders.days(1)) == 2
    assert [made.position for made in ladder.store.ladders.checkpoints(1)] == [TABLES]


def test_the_source_of_a_closed_ladder_is_over_after_its_planned_deals(ladder: Ladder, clock: Clock) -> None:
    first = ladder.source.next()
    ladder.store.ladders.set(1, state=str(LadderState.CLOSED), reason="over")
    clock.now += 2
    assert first is not None
    assert not ladder.source.over
    assert len(ladder.take()) == TABLES - 1
    assert (ladder.source.over, ladder.source.wants_pool) == (True, False)
