"""Writing a league of 10,000 matches as a site of files, and visitors' waiting times during an author's attack.

Some matches are played by house bots; the others are replays of them, with seeds and records of their own deals. The
author uploads all the time, from several connections: bundles as large as may be, of bots that keep cores busy.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import randbytes
from threading import Event
from time import perf_counter, process_time, sleep
from zipfile import ZipFile

import httpx

from beanleague.league.bots.house_bots import TrustedPools, house_bots
from beanleague.service.access import Role
from beanleague.service.server import embedded
from beanleague.store import Store
from beanleague.web.export import Counts, export
from beanproto.v1.league_pb2_grpc import LeagueStub
from benchmarks.figures import Figure
from benchmarks.spectators import started
from benchmarks.store import PLAYED_DEALS, Recorder, Replayer, new_league, of_deals, play_league

MATCHES = 10_000
_SECONDS = 30.0
_PAUSE_S = 0.05
_UPLOADS = 6  # at once; the site takes four of an address
_PADDING = 4 * 2**20 + 2**19
_BUSY = b"import os\nfor _ in range(16):\n    if not os.fork():\n        while True: pass\n"
_SEATS = 3  # as many as there are house bots of the game


def measure() -> list[Figure]:
    """Return the time and the size of the site."""
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
    waits = sorted(_waits())
    return [
        Figure(f"site: {matches:,} matches", "s", (first.seconds,), "< 300"),
        Figure(f"site: {matches:,} matches, CPU of each", "ms", (1000 * first.cpu / matches,)),
        Figure("site: again with nothing new", "s", (again.seconds,), "< 10"),
        Figure("site: the page of a match, largest", "bytes", (max(pages),), "<= 12,000"),
        Figure("site: the page of a match, mean", "bytes", (sum(pages) / len(pages),)),
        Figure("site: a page while an author does harm, 95th percentile", "ms", (_of_95(waits),), "< 250"),
        Figure("site: a page while an author does harm, longest", "ms", (waits[-1],)),
    ]


@dataclass(frozen=True, slots=True)
class _Run:
    """Time and result of a call."""

    counts: Counts
    """Files written, by kind."""
    seconds: float
    """Seconds that it took."""
    cpu: float
    """The CPU time of the process, which serves itself."""


def _export(database: Path | None, target: Path) -> _Run:
    wall, cpu = perf_counter(), process_time()
    with embedded(f"sqlite:///{database}", cache=target.parent / "cache", guest=Role.VIEWER) as channel:
        counts = export(LeagueStub(channel), target)
    return _Run(counts, perf_counter() - wall, process_time() - cpu)


def _of_95(waits: Sequence[float]) -> float:
    return waits[int(0.95 * len(waits))]


def _waits() -> list[float]:
    """Return how many milliseconds pages took that a visitor opened one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/leagues.db"
        with Store(url) as store:
            token = store.tokens.new("ann", "author")[1]
        words = ("serve", "--db", url, "--listen", "127.0.0.1:0", "--require-tokens", "--web", "127.0.0.1:0")
        with started(*words, before=b"http://") as (_, address), ThreadPoolExecutor(_UPLOADS) as author:
            over = Event()
            harm = [author.submit(_do_harm, f"http://{address}", token, number, over) for number in range(_UPLOADS)]
            waits = []
            with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.2")) as visitor:
                end = perf_counter() + _SECONDS
                while perf_counter() < end:
                    before = perf_counter()
                    visitor.get(f"http://{address}/bots").raise_for_status()
                    waits.append(1000 * (perf_counter() - before))
                    sleep(_PAUSE_S)
            over.set()
            assert sum(each.result() for each in harm) >= _UPLOADS, "nothing was uploaded"
    return waits


def _do_harm(site: str, token: str, number: int, over: Event) -> int:
    """Upload until it is `over`; return how often that was taken."""
    taken = 0
    with httpx.Client(headers={"origin": site}, timeout=60) as client:
        client.post(f"{site}/sign-in", data={"token": token})
        while not over.is_set():
            bundle = {"bundle": ("bot.zip", _busy_bot(f"{number}-{taken}"))}
            answer = client.post(f"{site}/submit", files=bundle, data={"what": "submit"})
            taken += answer.status_code < 400
            over.wait(float(answer.headers.get("retry-after", _PAUSE_S)))
    return taken


def _busy_bot(text: str) -> bytes:
    """Return a bundle as large as may be, of a bot that keeps all cores busy beside its work."""
    (random,) = (folder for folder in house_bots() if folder.name == "random")
    files = {path.name: path.read_bytes() for path in random.iterdir() if path.is_file()}
    files["bot.toml"] = files["bot.toml"].replace(b'"random"', b'"busy"')
    files["bot.py"] = _BUSY + files["bot.py"].replace(b"from __future__ import annotations", b"")
    files["padding"] = f"{text} ".encode() + randbytes(_PADDING)
    written = BytesIO()
    with ZipFile(written, "w") as bundle:
        for name, data in files.items():
            bundle.writestr(name, data)
    return written.getvalue()
