"""Playing ladders in tests, with a clock that is set by hand."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

from beanleague.league.ladder.changing import LadderRequest, create_ladder, enter, leave
from beanleague.league.run.runner import LeagueRun
from beanleague.model import League
from beanleague.referee.deal_pool import DealPool
from beanleague.referee.messages import BotSpec, Limits, MatchReport, MatchTask, PoolSettings
from beanleague.store import Store
from tests.league.fakepool import FakePool, FakePools
from tests.league.helpers import bundle, keep, league_run, slow_clock, store_with_bots

DAY_S = 86_400.0


class Clock:
    """A clock of the machine that is set by hand, and goes on a little whenever somebody looks."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0  # at eight in the morning

    def __call__(self) -> float:
        self.now += 0.4
        return self.now


class Until(FakePools):
    """Pools of a run that is stopped after so many deals; `at`: what is done before a match, by its number."""

    def __init__(self, deals: int, at: dict[int, Callable[[], object]] | None = None, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.run: LeagueRun | None = None
        self.left = 4 * deals
        self.at = at or {}
        self.before = self.count

    def count(self, _: MatchTask) -> None:
        self.at.pop(self.played, lambda: None)()
        self.left -= 1
        if self.left == 0 and self.run:
            self.run.stop()


class Slow(Until):
    """Pools of a run that is stopped after so many polls; in each the next quick matches are over, four of 16.

    `slow`: bots whose matches are over only `after` so many polls, or never if that is 0. They take no room.
    """

    def __init__(self, polls: int, *slow: int, after: int = 0) -> None:
        super().__init__(polls)
        self.polls = polls
        self.slow = frozenset(slow)
        self.after = after

    def __call__(self, bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> DealPool:
        super().__call__(bots, limits, **settings)
        return DealPool(_SlowPool(self, settings["workers"], in_flight=64), node=self.node)


class _SlowPool(FakePool):
    def __init__(self, pools: Slow, workers: int, in_flight: int) -> None:
        super().__init__(pools, workers, in_flight)
        self._slow = pools
        self._polls = 0
        self._later: list[tuple[int, MatchTask]] = []  # those of slow bots, and in which poll they are over

    def submit(self, task: MatchTask) -> None:
        super().submit(task)
        if not self._slow.slow.isdisjoint(task.bots):
            self._later.append((self._polls + self._slow.after, self._waiting.pop()))

    def poll(self, timeout: float) -> list[MatchReport]:
        self._polls += 1
        if self._polls == self._slow.polls and self._slow.run:
            self._slow.run.stop()
        over = [task for poll, task in self._later if self._slow.after and poll <= self._polls]
        self._later = [(poll, task) for poll, task in self._later if task not in over]
        waiting = self._waiting[16:]
        self._waiting = self._waiting[:16]
        reports = super().poll(timeout)
        self._waiting += waiting
        names = {bot.number: bot.name for bot in self._slow.bots}
        return reports + [self._slow.play(task, names) for task in over]


def play(store: Store, pools: Until, clock: Clock | None = None, name: str = "spring") -> League:
    seconds = slow_clock(0.06) if isinstance(pools, Slow) else time.monotonic  # each deal is committed by itself
    pools.run = league_run(store, pools, name=name, clock=seconds, now=clock or Clock())
    pools.run.play()
    return store.leagues.get(name)


def create(store: Store) -> None:
    """Create the ladder "spring" of six bots at four seats."""
    create_ladder(store, LadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True))
    for number in range(1, 6):
        enter(store, "spring", f"bot{number}")


def play_ladder(file: Path, *, ended: bool = False) -> None:
    """Play a ladder of two days, which a bot entered and one left, some of whose deals were dropped.

    `ended`: begin a third day.
    """
    clock = Clock()
    with store_with_bots(file, 6) as store:
        create(store)
        play(store, Until(40), clock)
        keep(store, bundle("bot3", "better"))
        enter(store, "spring", "bot3@2")
        clock.now += DAY_S
        play(store, Until(20), clock)
        (*_, last) = store.deals.unplayed(1)
        leave(store, "spring", store.leagues.entrants(1)[max(last.table)].label)  # never bot1, which tests look at
        play(store, Until(20), clock)
        assert store.deals.voids(1, limit=1)
        if ended:
            clock.now += DAY_S
            play(store, Until(5), clock)
        store.database.checkpoint()
