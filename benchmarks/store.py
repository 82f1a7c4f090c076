"""Committing deals to the store, in transactions of one deal and of twenty."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from time import perf_counter

from beanleague.league.schedule.schedule import rotations
from beanleague.model import Deal, Manifest, NewLeague, PlayedDeal, PlayedMatch, SeatResult
from beanleague.store.store import Store
from benchmarks.figures import Figure

SEATS = 4
DEALS = 400
RUNS = 3
RECORD = random.Random(1).randbytes(1_500)  # about what a compressed record takes


def measure() -> list[Figure]:
    """Return deals and matches committed in a second."""
    return [
        Figure(f"store: commits of {size} deal{'s' if size > 1 else ''}", "a second", rates)
        for size in (1, 20)
        for rates in [tuple(_commits(size) for _ in range(RUNS))]
    ] + [
        Figure(
            "store: matches, in commits of 20 deals", "a second", tuple(_commits(20) * 20 * SEATS for _ in range(RUNS))
        )
    ]


def _commits(size: int) -> float:
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{Path(folder) / 'a.db'}") as store:
        manifests = [Manifest(f"bot{n}", ("bohnanza",), ("python", "bot.py")) for n in range(SEATS)]
        bots = tuple(store.bots.add(made, f"digest {made.name}", b"")[0].id for made in manifests)
        league = store.leagues.create(
            NewLeague(name="big", ruleset="bohnanza", seats=SEATS, secret=b"secret", deals=DEALS, versions=bots)
        )
        table = tuple(range(SEATS))
        store.deals.schedule(league.id, [Deal(number, table, b"digest") for number in range(1, DEALS + 1)])
        deals = [PlayedDeal(number, b"seed", _matches(table)) for number in range(1, DEALS + 1)]
        start = perf_counter()
        for first in range(0, DEALS, size):
            store.deals.commit(league.id, deals[first : first + size])
        return DEALS / size / (perf_counter() - start)


def _matches(table: tuple[int, ...]) -> tuple[PlayedMatch, ...]:
    return tuple(
        PlayedMatch(
            rotation,
            RECORD,
            tuple(SeatResult(bot, 5, seat + 1, 50, 0, forfeited=False) for seat, bot in enumerate(seated)),
        )
        for rotation, seated in enumerate(rotations(table))
    )
