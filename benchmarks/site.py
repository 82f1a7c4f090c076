"""Writing a league of 10,000 matches as a site of files, and writing it again when nothing is new.

Some matches are played by house bots; the others are replays of them, with seeds and records of their own deals.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from beanleague.league.bots.house_bots import TrustedPools
from beanleague.service.access import Role
from beanleague.service.server import embedded
from beanleague.web.export import Counts, export
from beanproto.v1.league_pb2_grpc import LeagueStub
from benchmarks.figures import Figure
from benchmarks.store import PLAYED_DEALS, Recorder, Replayer, new_league, of_deals, play_league

MATCHES = 10_000
_SEATS = 3  # as many as there are house bots of the game


def measure() -> list[Figure]:
    """Return what the site takes."""
    with new_league(PLAYED_DEALS) as store:
        play_league(store, TrustedPools(of_deals(Recorder)))
    with new_league(-(-MATCHES // _SEATS)) as store, tempfile.TemporaryDirectory() as folder:
        play_league(store, of_deals(Replayer))
        target = Path(folder) / "site"
        first = _export(store.database.file, target)
        again = _export(store.database.file, target)
        assert again.counts.files == 0, "it was not left alone"
        pages = [page.stat().st_size for page in target.glob("matches/bench/*.html")]
    matches = first.counts.matches
    return [
        Figure(f"site: {matches:,} matches", "s", (first.seconds,), "< 300"),
        Figure(f"site: {matches:,} matches, CPU of each", "ms", (1000 * first.cpu / matches,)),
        Figure("site: again with nothing new", "s", (again.seconds,), "< 10"),
        Figure("site: the page of a match, largest", "bytes", (max(pages),), "<= 12,000"),
        Figure("site: the page of a match, mean", "bytes", (sum(pages) / len(pages),)),
    ]


@dataclass(frozen=True, slots=True)
class _Run:
    """What a call took."""

    counts: Counts
    """What it wrote."""
    seconds: float
    """How long it took."""
    cpu: float
    """The CPU time of the process, which serves itself."""


def _export(database: Path | None, target: Path) -> _Run:
    wall, cpu = perf_counter(), process_time()
    with embedded(f"sqlite:///{database}", cache=target.parent / "cache", guest=Role.VIEWER) as channel:
        counts = export(LeagueStub(channel), target)
    return _Run(counts, perf_counter() - wall, process_time() - cpu)
