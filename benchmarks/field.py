"""What a league of many bots costs: whole commands at default settings, starts of bots included.

BEANLEAGUE_FIELD="100*25 300*100" plays other fields than those of `FIELDS`: so many bots, so many deals.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest
from beanleague.store.store import Store
from benchmarks.figures import Figure

FIELDS = ("4*100", "30*100", "100*100", "300*100", "30h*100")
"""So many trivial bots, or with "h" house bots under other names, and so many deals."""
_SEATS = 4
_SECRET = bytes(range(32))
_GROUPS = Path("/sys/fs/cgroup/cpuacct")
_LOOK_S = 0.25  # between looks at the processes
_TRIVIAL = """\
from beanbot import run
from beanbot.bohnanza import BohnanzaBot


class Bot(BohnanzaBot):
    pass


run(Bot)
"""


@dataclass(slots=True)
class _Seen:
    """What was seen of the processes of a command."""

    run: float = 0.0
    """CPU seconds of the command itself."""
    workers: float = 0.0
    """CPU seconds of its workers."""
    processes: int = 0
    """At most at once, bots' and ours."""
    memory: int = 0
    """Private bytes of all, at most at once."""


def measure() -> list[Figure]:
    """Return what each field costs a match."""
    fields = os.environ.get("BEANLEAGUE_FIELD", "").split() or FIELDS
    return [figure for field in fields for figure in _measure(field)]


def _measure(field: str) -> list[Figure]:
    bots, deals = field.split("*")
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "field.db"
        _create(file, int(bots.rstrip("h")), int(deals), house=bots.endswith("h"))
        before = time.monotonic()
        with _counted() as (enter, used):
            words = [sys.executable, "-m", "beanleague", "--db", str(file), "league", "run", "field", "--json"]
            process = subprocess.Popen([*enter, *words], stdout=subprocess.PIPE, text=True)
            seen = _watch(process)
            assert process.stdout
            answer = json.loads(process.stdout.read())
            cpu = used()
        seconds = time.monotonic() - before
    matches = int(deals) * _SEATS
    each = 1000 / matches
    rows = [
        ("matches", "/s", matches / seconds),
        ("CPU", "ms a match", cpu * each),
        ("CPU of the run", "ms a match", seen.run * each),
        ("CPU of workers", "ms a match", seen.workers * each),
        ("CPU of bots", "ms a match", (cpu - seen.run - seen.workers) * each),
        ("starts of bots", "a match", answer.get("starts", 0) / matches),
        ("requests", "a message", answer.get("batch", 0.0)),
        ("processes at once", "", float(seen.processes)),
        ("private memory at once", "MiB", seen.memory / 2**20),
    ]
    return [Figure(f"field of {bots}, {deals} deals: {what}", unit, (value,), "") for what, unit, value in rows]


def _create(file: Path, bots: int, deals: int, *, house: bool) -> None:
    """Make a database with a league of so many bots."""
    folders = [folder for folder in house_bots("bohnanza") if (folder / "bot.toml").exists()]
    with Store(f"sqlite:///{file}") as store:
        for number in range(bots):
            folder = file.parent / f"bot{number}"
            folder.mkdir()
            if house:
                for part in folders[number % len(folders)].iterdir():
                    if part.is_file():
                        (folder / part.name).write_bytes(part.read_bytes())
                manifest = (folder / "bot.toml").read_text("utf-8")
                manifest = re.sub(r"(?m)^name = .*$", f'name = "{folder.name}"', manifest)
            else:
                (folder / "bot.py").write_text(_TRIVIAL, "utf-8")
                manifest = f'name = "{folder.name}"\ncommand = ["python", "bot.py"]\ngames = ["bohnanza"]\n'
            (folder / "bot.toml").write_text(manifest, "utf-8")
            made = read_bundle(pack(folder))
            store.bots.add(made.manifest, made.digest, made.data)
        request = LeagueRequest(name="field", ruleset="bohnanza", seats=_SEATS, deals=deals, secret=_SECRET)
        create_league(store, request)


@contextmanager
def _counted() -> Iterator[tuple[list[str], Callable[[], float]]]:
    """Give what enters a control group of its own, and what returns the CPU seconds of all that were ever in it."""
    group = _GROUPS / f"beanleague-field-{os.getpid()}"
    group.mkdir()
    enter = ["/bin/sh", "-c", 'echo 0 >"$1/cgroup.procs" && shift && exec "$@"', "sh", str(group)]
    try:
        yield enter, lambda: int((group / "cpuacct.usage").read_bytes()) / 1e9
    finally:
        with suppress(OSError):
            group.rmdir()


def _watch(process: subprocess.Popen[str]) -> _Seen:
    """Look at a command and what it started until it ends."""
    seen = _Seen()
    root = psutil.Process(process.pid)
    while process.poll() is None:
        workers, memory = 0.0, 0
        with suppress(psutil.Error, OSError):
            seen.run = sum(root.cpu_times()[:2])
            family = [root, *root.children(recursive=True)]
            seen.processes = max(seen.processes, len(family))
            for each in family:
                with suppress(psutil.Error, OSError):
                    if "beanleague.referee.worker" in each.cmdline():
                        workers += sum(each.cpu_times()[:2])
                    memory += _private(each.pid)
            seen.workers = max(seen.workers, workers)
            seen.memory = max(seen.memory, memory)
        time.sleep(_LOOK_S)
    return seen


def _private(process: int) -> int:
    """Return the bytes that `process` has of its own."""
    lines = Path(f"/proc/{process}/status").read_bytes().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith((b"RssAnon:", b"RssShmem:")))
