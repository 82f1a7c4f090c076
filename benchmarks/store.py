"""Handling of results: deals committed to the store, all work of a run's process, and verifying.

For the process of a run, matches between house bots are played once, and then replayed by a pool that answers at once.
"""

from __future__ import annotations

import pickle
import random
import secrets
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter, process_time
from typing import ClassVar, Unpack

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.house_bots import TrustedPools, house_bots
from beanleague.league.create import create_league
from beanleague.league.formats.table import format_of
from beanleague.league.run.runner import LeagueRun, RunSettings
from beanleague.league.schedule.schedule import rotations
from beanleague.league.verify.verification import verify_league
from beanleague.model import Deal, LeagueRequest, Manifest, NewLeague, PlayedDeal, PlayedMatch, SeatResult
from beanleague.names import format_match, parse_match
from beanleague.referee.deal_pool import DealPool, room_of
from beanleague.referee.messages import (
    BotLog,
    BotSpec,
    Limits,
    MatchReport,
    MatchTask,
    PoolSettings,
    StartPool,
)
from beanleague.referee.pool import WorkerPool
from beanleague.store import Store
from benchmarks.figures import Figure

SEATS = 4
DEALS = 400
RUNS = 3
PLAYED_DEALS = 30  # by bots; the matches are verified, and the results replayed
REPLAYED_DEALS = 600
SECRET = bytes(range(32))
RECORD = random.Random(1).randbytes(1_500)  # about the size of a compressed record


def measure() -> list[Figure]:
    """Return deals and matches committed in a second."""
    return [
        Figure(f"store: commits of {size} deal{'s' if size > 1 else ''}", "a second", rates)
        for size in (1, 20, 100)
        for rates in [tuple(_committed(size) / size for _ in range(RUNS))]
    ] + [
        Figure(
            "store: matches, in commits of 20 deals", "a second", tuple(_committed(20) * SEATS for _ in range(RUNS))
        ),
        *_of_real_matches(),
    ]


def _committed(size: int) -> float:
    """Return how many deals a second are committed to a new file, `size` of them at a time."""
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{Path(folder) / 'a.db'}") as store:
        manifests = [Manifest(f"bot{n}", ("bohnanza",), ("python", "bot.py")) for n in range(SEATS)]
        bots = tuple(store.bots.add(made, sha256(made.name.encode()).hexdigest(), b"")[0].id for made in manifests)
        league = store.leagues.create(
            NewLeague(
                name=f"big-{secrets.token_hex(8)}",
                ruleset="bohnanza",
                seats=SEATS,
                secret=b"secret",
                deals=DEALS,
                versions=bots,
            )
        )
        table = tuple(range(SEATS))
        store.deals.schedule(league.id, [Deal(number, table, b"digest") for number in range(1, DEALS + 1)])
        played = [PlayedDeal(number, b"seed", _matches(table)) for number in range(1, DEALS + 1)]
        start = perf_counter()
        for first in range(0, DEALS, size):
            store.deals.commit(league.id, played[first : first + size])
        return DEALS / (perf_counter() - start)


def _matches(table: tuple[int, ...]) -> tuple[PlayedMatch, ...]:
    return tuple(
        PlayedMatch(
            rotation,
            RECORD,
            tuple(SeatResult(bot, 5, seat + 1, 50, 0, forfeited=False) for seat, bot in enumerate(seated)),
        )
        for rotation, seated in enumerate(rotations(table))
    )


def _verify(store: Store) -> None:
    league = store.leagues.get("bench")
    for _ in verify_league(store, league, format_of(league).checks, workers=0):
        pass


def _of_real_matches() -> list[Figure]:
    """Return the time of a run's process, and of a verification, per match between house bots."""
    with new_league(PLAYED_DEALS) as store:
        play_league(store, TrustedPools(of_deals(Recorder)))
        verifying = tuple(_cpu_ms(store, _verify) for _ in range(RUNS))
    running = []
    for _ in range(RUNS):
        with new_league(REPLAYED_DEALS) as store:
            running.append(_cpu_ms(store, lambda store: play_league(store, of_deals(Replayer))))
    return [
        Figure("store: process of a league run", "ms of CPU a match", tuple(running), "<= 3"),
        Figure("store: league verify, in one process", "ms of CPU a match", verifying),
    ]


class Recorder(WorkerPool):
    """Plays, and keeps the results by the labels of their tasks, as bytes that come from a worker."""

    results: ClassVar[dict[str, bytes]] = {}
    _labels: ClassVar[dict[int, str]] = {}

    def submit(self, task: MatchTask) -> None:
        self._labels[task.id] = task.label
        super().submit(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        reports = super().poll(timeout)
        for report in reports:
            if isinstance(report, PlayedMatch):
                self.results[self._labels[report.id]] = pickle.dumps(report)
        return reports


class Replayer(WorkerPool):
    """A pool that has the results of `Recorder` at once, and reports one at a time: each deal is committed alone."""

    def __init__(self, bots: Sequence[BotSpec], limits: Limits, *, workers: int, in_flight: int) -> None:
        del bots, limits
        self._waiting: deque[tuple[int, str]] = deque()
        self.capacity = workers * in_flight

    def lanes(self, seats: int) -> int:
        return seats

    def submit(self, task: MatchTask) -> None:
        pickle.dumps(task)
        name, deal, rotation = parse_match(task.label)
        self._waiting.append((task.id, format_match(name, (deal - 1) % PLAYED_DEALS + 1, rotation)))

    def poll(self, timeout: float) -> list[MatchReport]:
        del timeout
        task, label = self._waiting.popleft()
        result: PlayedMatch = pickle.loads(Recorder.results[label])
        return [replace(result, id=task)]

    def close(self) -> list[BotLog]:
        return []


def of_deals(start: Callable[..., WorkerPool]) -> StartPool:
    """Return a function that starts a pool of deals; `start` starts the pool of their matches."""

    def start_pool(bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> DealPool:
        return DealPool(start(bots, limits, workers=settings["workers"], in_flight=room_of(settings).in_flight))

    return start_pool


@contextmanager
def new_league(deals: int) -> Iterator[Store]:
    """Yield a store with the league "bench" of `deals` deals between the house bots."""
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{Path(folder) / 'a.db'}") as store:
        for bundle in house_bots("bohnanza"):
            made = read_bundle(pack(bundle))
            store.bots.add(made.manifest, made.digest, made.data)
        bots = ("trader", "farmer", "random")
        create_league(store, LeagueRequest(name="bench", ruleset="bohnanza", bots=bots, deals=deals, secret=SECRET))
        yield store


def play_league(store: Store, start_pool: StartPool) -> None:
    """Play the league "bench" to its end."""
    assert store.database.file is not None
    cache = BundleCache(store.database.file.parent / "bundles")
    playing = format_of(store.leagues.get("bench")).playing
    LeagueRun(store, "bench", playing, cache, RunSettings(workers=2, in_flight=None), start_pool).play()


def _cpu_ms(store: Store, work: Callable[[Store], object]) -> float:
    """Return the CPU time of this process for `work`, for each match of the league "bench"."""
    start = process_time()
    work(store)
    return (process_time() - start) / store.leagues.get("bench").matches * 1e3
