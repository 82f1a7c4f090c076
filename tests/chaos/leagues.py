"""A small league of real bot processes, run in this process or in one that can be killed; pools with others beside."""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from beanleague.league.bots.house_bots import TrustedPools
from beanleague.league.create import create_league
from beanleague.league.errors import RunError
from beanleague.league.run.progress import Progress
from beanleague.model import LeagueRequest
from beanleague.referee.deal_pool import DealPool, room_of, start_workers
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchReport, MatchTask, PoolSettings, StartPool
from beanleague.referee.pool import WorkerPool
from beanleague.store import Store, StoreError
from tests.league.helpers import DERIVED, SECRET, bundle, contents, keep, league_run

SEATS = {"bohnanza": 3, "bohnanza-two": 2}
"""Bots and seats of a league of each of these rulesets; with two, a run starts a third of the processes."""
CODE = """
# {name}
import time
from beanbot import Bot, run

class Any(Bot):
    def decide(self, view):
        time.sleep({pause_s})
        return view.default() if self.random.random() < 0.7 else self.random.choice(view.legal())

run(Any)
"""
# How often deals were void, when, and what bots wrote in matches that did not count, is what differs.
LEFT_OUT = DERIVED | {"bot_log", "run", "void", "deal"}


def new_league(file: Path, deals: int, ruleset: str = "bohnanza", *, isolate: bool = False, pause_s: float = 0) -> Path:
    """Make a database with the league "spring" of as many bots as sit at a table; they are kept without trials.

    `pause_s`: how long each of their decisions takes, without CPU.
    """
    seats = SEATS[ruleset]
    with Store(f"sqlite:///{file}") as store:
        for name in ("ann", "bob", "cat")[:seats]:
            keep(store, bundle(name, CODE.format(name=name, pause_s=pause_s), [ruleset]))
        request = LeagueRequest(name="spring", ruleset=ruleset, seats=seats, deals=deals, secret=SECRET)
        create_league(store, replace(request, isolate=isolate))
    return file


def run_league(
    file: Path,
    start_pool: StartPool = start_workers,
    report: Callable[[Progress], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Play what is left of the league in `file`."""
    with Store(f"sqlite:///{file}") as store:
        league_run(store, TrustedPools(start_pool, everyone=True), report=report, clock=clock).play()


def assert_same(one: Path, other: Path) -> None:
    """See that two leagues hold the same matches, all of them and nothing twice, and the same standings."""
    with Store(f"sqlite:///{one}") as a, Store(f"sqlite:///{other}") as b:
        assert contents(a, leave_out=LEFT_OUT) == contents(b, leave_out=LEFT_OUT)
        league = a.leagues.get("spring")
        assert league.deals_done == league.deals
        ratings = [store.ratings.latest(1) for store in (a, b)]
        assert ratings[0]
        assert ratings[1]
        assert ratings[0].ratings == ratings[1].ratings


def main() -> None:
    """Run the league in the file that is named, and print how many matches are done; "pause" stops at the first."""
    file, *pause = sys.argv[1:]

    def report(progress: Progress) -> None:
        print(progress.matches_done, flush=True)  # noqa: T201
        if pause:
            pause.clear()
            os.kill(os.getpid(), signal.SIGSTOP)

    try:
        run_league(Path(file), report=report)
    except (RunError, StoreError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()


def starting(watched: Callable[[WorkerPool], WorkerPool]) -> StartPool:
    """Return what starts a pool of workers and hands it to `watched`, which returns the pool of matches for the run."""

    def start(
        bots: Sequence[BotSpec],
        limits: Limits,
        **settings: Unpack[PoolSettings],
    ) -> DealPool:
        isolate = settings.get("isolate", False)
        workers, in_flight = settings["workers"], room_of(settings).in_flight
        return DealPool(
            watched(WorkerPool(bots, limits, workers=workers, in_flight=in_flight, isolate=isolate)), isolate=isolate
        )

    return start


@dataclass
class PoolBeside(WorkerPool):
    """Does what `pool` does."""

    pool: WorkerPool

    def __post_init__(self) -> None:
        self.capacity = self.pool.capacity

    def lanes(self, seats: int) -> int:
        return self.pool.lanes(seats)

    def submit(self, task: MatchTask) -> None:
        self.pool.submit(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        return self.pool.poll(timeout)

    def close(self) -> list[BotLog]:
        return self.pool.close()
