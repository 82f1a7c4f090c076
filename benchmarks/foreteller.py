"""Worth of the best channel between replays of a deal: a dicer that foretells its dice by it, against a dicer.

Each league is of these two and plays one match after the other, which is best for the foreteller: in the first rotation
of each deal it tells the second, by unread files of the system, what the dice will show (see `foreteller_bot.py`). All
these files are dropped from the cache before, as they are when a machine has started.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from beanleague.league.bots.bundles import pack
from beanleague.league.bots.house_bots import house_bots
from beanleague.service.server import embedded
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from benchmarks.figures import Figure

DEALS = 60
FOLDERS = (Path("/usr/lib"), Path("/usr/share"))
STRIDE = 16 * 1024
"""Same as in `foreteller_bot.py`."""

MIN_BYTES = 2**17

_PROGRAM = Path(__file__).with_name("foreteller_bot.py")
_SECRET = b"dice that are to be foretold"


def measure() -> list[Figure]:
    """Return per league the foreteller's rating above the dicer's with its 95 % interval, and how much it foretold."""
    (dicer,) = (folder for folder in house_bots() if folder.name == "dicer")
    files = dict(_files())
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/a.db"
        with embedded(url, cache=Path(folder) / "cache", trust_bots=False) as channel:
            stub = LeagueStub(channel)
            for bundle in (dicer, _foreteller(dicer, Path(folder), files)):
                for _ in stub.TryBot(pb.TryBotRequest(bundle=pack(bundle), submit=True)):
                    pass
            for isolate in (False, True):
                _forget(files)
                figures += _league(stub, "isolated" if isolate else "usual", isolate=isolate)
    return figures


def _league(stub: LeagueStub, name: str, *, isolate: bool) -> Iterator[Figure]:
    stub.CreateLeague(
        pb.CreateLeagueRequest(name=name, ruleset="dice", deals=DEALS, secret=_SECRET, isolate=isolate, anchor="dicer")
    )
    for _ in stub.RunLeague(pb.RunLeagueRequest(name=name, workers=1, in_flight=1)):
        pass
    standings = stub.Ratings(pb.RatingsRequest(league=name)).standings
    (standing,) = (standing for standing in standings if standing.bot == "foreteller")
    elo, margin = standing.rating - 1500, standing.interval
    logs = stub.BotLogs(pb.BotLogsRequest(name="foreteller", league=name)).logs
    words = "".join(log.text for log in logs).split()
    right, total = words.count("right"), words.count("right") + words.count("wrong")
    yield Figure(
        f"foreteller: {name} league of {DEALS} deals of dice, above dicer", "Elo", (elo - margin, elo, elo + margin)
    )
    yield Figure(f"foreteller: {name} league, dice of {total:,} that it foretold", "%", (100 * right / max(total, 1),))


def _foreteller(dicer: Path, folder: Path, files: Mapping[Path, int]) -> Path:
    """Make a dicer that foretells by `files`, each with `pages` pages; return its folder."""
    bundle = folder / "foreteller"
    shutil.copytree(dicer, bundle, ignore=shutil.ignore_patterns("__pycache__"))
    (bundle / "bot.toml").write_text('name = "foreteller"\ngames = ["dice"]\ncommand = ["python", "bot.py"]\n')
    shutil.copy(_PROGRAM, bundle / "bot.py")
    (bundle / "files.txt").write_text("".join(f"{path} {pages}\n" for path, pages in files.items()))
    return bundle


def _files() -> Iterator[tuple[Path, int]]:
    """Yield large files of the system, and how many pages of each stand for a bit."""
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            for path in (Path(folder, name) for name in names):
                if not path.is_symlink() and path.is_file() and path.stat().st_size >= MIN_BYTES:
                    yield path, path.stat().st_size // STRIDE - 1


def _forget(files: Iterable[Path]) -> None:
    """Drop files from the cache, except pages that processes have mapped."""
    for path in files:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
