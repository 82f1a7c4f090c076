"""A day of a ladder of a thousand entries, compressed: tables planned, results simulated, everything stored.

Planning and fitting are timed at several moments of the day, with the epochs of a ladder of a million matches a day.
Then the day ends with a checkpoint, and runs begin from it, and from one of a hundred million.

BEANLEAGUE_LADDER_DAY="1000*250000" replaces `DAY`: numbers of entries and of deals.
"""

from __future__ import annotations

import os
import random
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from pathlib import Path

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from beanleague import model
from beanleague.league.counting import ladder_counts
from beanleague.league.ladder.inputs import field_to_bytes
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.league.run.committing import LadderRatings
from beanleague.league.run.epochs import EPOCH_S, MAX_SHARE
from beanleague.league.run.slow import MIN_TABLES
from beanleague.league.schedule.plans import Candidate, Epoch, plan_epoch
from beanleague.league.schedule.schedule import rotations
from beanleague.league.schedule.seeds import seed_digest
from beanleague.store import Store
from benchmarks.figures import Figure

DAY = "1000*25000"
"""Numbers of entries and of deals."""
_SEATS = 4
_PACE = 250_000 / 86_400  # deals a second of a million matches a day
_PARTS = 4  # of the day, after each of which planning is measured
_EPOCH = 500  # tables planned at once between measurements
_COMMIT = 100  # deals in a transaction
_WIDTH_ELO = 30  # of all entries, so that everybody is seated
_FIT_S, _FITS = 1.0, 1 + 1 / LadderRatings.share  # between ratings for the standings: seconds, or of their own time
_RECORD = random.Random(1).randbytes(1_500)  # about what a compressed record takes


@dataclass(slots=True)
class _Ladder:
    """A ladder with simulated results."""

    store: Store
    league: model.League
    results: LadderRatings
    truth: NDArray[np.float64]
    """Strengths, in logits."""
    rng: np.random.Generator
    day: model.LadderDay
    epochs: int = 0
    committing: float = 0.0
    """CPU seconds of commits so far."""

    def play(self, entries: Sequence[Candidate], count: int) -> float:
        """Plan and play an epoch of `tables` tables; return the CPU seconds of planning."""
        began = time.process_time()
        first = self.results.meetings.tables + 1
        epoch = Epoch(_SEATS, count, 0, tuple(entries))
        tables = plan_epoch(epoch, self.results.meetings, self.day.secret)
        deals = [model.Deal(number, table, b"d" * 32) for number, table in enumerate(tables, first)]
        self._publish(entries, first, deals)
        self.results.plan(self.epochs, epoch.field, deals)
        planning = time.process_time() - began
        played = [self._played(deal) for deal in deals]
        began = time.process_time()
        for at in range(0, len(played), _COMMIT):
            self.store.deals.commit(self.league.id, played[at : at + _COMMIT])
        self.committing += time.process_time() - began
        for deal in played:
            self.results.add(deal)
        return planning

    def _publish(self, entries: Sequence[Candidate], first: int, deals: Sequence[model.Deal]) -> None:
        self.epochs += 1
        epoch = model.LadderEpoch(
            number=self.epochs,
            day=self.day.number,
            first=first,
            count=len(deals),
            tables=len(deals),
            background=0,
            position=first - 1,
            entries=field_to_bytes(entries),
            made=time.time(),
        )
        self.store.ladders.plan(self.league.id, epoch, deals, {})

    def _played(self, deal: model.Deal) -> model.PlayedDeal:
        """Return results of a deal in all rotations."""
        matches = []
        for rotation, seated in enumerate(rotations(deal.table)):
            performance = self.truth[list(seated)] + self.rng.gumbel(size=_SEATS)
            places = (1 + (performance[None, :] > performance[:, None]).sum(axis=1)).tolist()
            seats = [
                model.SeatResult(bot, 10 - place, place, 50, 0, forfeited=False)
                for bot, place in zip(seated, places, strict=True)
            ]
            matches.append(model.PlayedMatch(rotation, _RECORD, tuple(seats)))
        return model.PlayedDeal(deal.number, b"s" * 32, tuple(matches))

    def tables_at_pace(self, cost: float) -> int:
        """Return the number of tables that the loop plans at once, given the seconds that planning takes."""
        return max(MIN_TABLES, ceil(_PACE * max(EPOCH_S, cost / MAX_SHARE)))


def measure() -> list[Figure]:
    """Return the costs of a day of a ladder, and the time to the start of a run after it."""
    entries, deals = map(int, os.environ.get("BEANLEAGUE_LADDER_DAY", DAY).split("*"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.db"
        with Store(f"sqlite:///{file}") as store:
            ladder = _new_ladder(store, entries)
            name = f"ladder of {entries:,}, a day of {deals:,} deals"
            rows = [*_day(ladder, deals), *_end(ladder, file), *_begin(ladder)]
        return [Figure(f"{name}: {what}", unit, (value,), aim) for what, unit, value, aim in rows]


_Row = tuple[str, str, float, str]


def _new_ladder(store: Store, entries: int) -> _Ladder:
    manifests = (model.Manifest(f"bot{n}", ("bohnanza",), ("python", "bot.py")) for n in range(entries))
    versions = tuple(store.bots.add(made, sha256(made.name.encode()).hexdigest(), b"")[0].id for made in manifests)
    new = model.NewLeague(
        name="bench",
        ruleset="bohnanza",
        seats=_SEATS,
        secret=b"secret",
        deals=0,
        versions=versions,
        format=model.LADDER,
        anchor=(0,),
    )
    league = store.ladders.create(new, model.Ladder())
    day = model.LadderDay(number=1, began=time.time(), digest=seed_digest(b"1" * 32), secret=b"1" * 32)
    store.ladders.begin_day(league.id, day)
    rng = np.random.default_rng(1)
    results = LadderRatings(store, league, time.process_time)
    return _Ladder(store, league, results, rng.normal(0, 264 / ELO, entries), rng, day)


def _day(ladder: _Ladder, deals: int) -> list[_Row]:
    """Play a day; return the times of planning and fitting at the pace of a real one."""
    rated = (BASE + ELO * ladder.truth).round().astype(int).tolist()
    entries = [Candidate(number, number, False, rating, _WIDTH_ELO, 100) for number, rating in enumerate(rated)]
    entrants = ladder.store.leagues.entrants(ladder.league.id)
    rows: list[_Row] = []
    for part in range(1, _PARTS + 1):
        while (left := deals * part // _PARTS - ladder.results.deals) > 0:
            ladder.play(entries, min(_EPOCH, left))
        after = f"after {ladder.results.deals:,} deals"
        tables, planning = 0, 0.0
        for _ in range(2):  # the second time as many as the first one's time asks for
            tables = ladder.tables_at_pace(planning)
            planning = ladder.play(entries, tables) + _cpu(lambda: ladder.results.known(entrants))
        fitting = _cpu(lambda: ladder.results.standings(now=True))
        share = planning / (tables / _PACE) + fitting / max(_FIT_S, _FITS * fitting)
        rows += [
            (f"refit and plan of {tables} tables {after}", "CPU s", planning, ""),
            (f"ratings for the standings {after}", "CPU s", fitting, ""),
            (f"scheduler and refits {after}", "% of a core", 100 * share, "<= 2.5"),
        ]
    return [*rows, ("commits", "CPU ms a deal", 1000 * ladder.committing / ladder.results.deals, "")]


def _end(ladder: _Ladder, file: Path) -> list[_Row]:
    """End the day with a checkpoint; return the size of the day's data."""
    store, deals = ladder.store, ladder.results.deals
    store.database.checkpoint()
    with store.database.read() as connection:
        tables = sa.inspect(connection).get_table_names()
        count = sum(connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one() for table in tables)
    kept = _memory()
    began = time.process_time()
    made, data = ladder.results.checkpoint(ladder.day, ladder.epochs)
    took = time.process_time() - began
    store.ladders.begin_day(ladder.league.id, _next_day(ladder.day), (made, data))
    return [
        ("rows of the database", "a deal", count / deals, ""),
        ("bytes of the database", "a deal", file.stat().st_size / deals, ""),
        ("memory before the checkpoint", "MiB", kept, ""),
        ("memory after it", "MiB", _memory(), ""),
        ("checkpoint", "CPU s", took, ""),
        ("checkpoint", "MiB", len(data) / 2**20, ""),
    ]


def _begin(ladder: _Ladder) -> list[_Row]:
    """Begin runs: from the checkpoint, and from the first deal."""
    store, league = ladder.store, ladder.league
    from_checkpoint = _cpu(
        lambda: LadderRatings(store, league, time.process_time).known(store.leagues.entrants(league.id))
    )
    with store.database.write() as connection:
        connection.exec_driver_sql("DELETE FROM ladder_checkpoint")
    everything = _cpu(lambda: ladder_counts(store, league))
    return [
        ("begin and first refit, from the checkpoint", "CPU s", from_checkpoint, "< 10"),
        ("begin from the first deal, without a refit", "CPU s", everything, ""),
        ("memory after that", "MiB", _memory(), ""),
    ]


def _next_day(day: model.LadderDay) -> model.LadderDay:
    secret = bytes([day.number + 1]) * 32
    return model.LadderDay(number=day.number + 1, began=day.began + 1, digest=seed_digest(secret), secret=secret)


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _memory() -> float:
    """Return the memory of this process in MiB."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize() / 2**20
