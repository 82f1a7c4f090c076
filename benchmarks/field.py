"""Cost of a league of many bots: whole commands at default settings, starts of bots included.

BEANLEAGUE_FIELD="100*25 300*100" replaces `FIELDS`: numbers of bots and of deals. With BEANLEAGUE_FIELD_USER=NAME root
runs the commands as that user, who must be able to read this interpreter.
"""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import psutil

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.house_bots import house_bots
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest
from beanleague.referee.blame import Blame, Register
from beanleague.referee.bot_process import BotProcess
from beanleague.referee.messages import BotSpec, Limits
from beanleague.referee.sandbox.cgroups import ControlGroup
from beanleague.referee.sandbox.layers import SandboxError
from beanleague.referee.sandbox.probe import choose, forking
from beanleague.referee.sandbox.process_tree import ProcessTree
from beanleague.referee.sandbox.users import BotUsers
from beanleague.store import Store
from benchmarks.bots import plain, renamed
from benchmarks.figures import Figure

FIELDS = ("4*100", "30*100", "100*100", "300*100", "30h*100")
"""Numbers of trivial bots, or with "h" of house bots under other names, and numbers of deals."""
_SEATS = 4
_STARTS = 20
_SECRET = bytes(range(32))
_LOOK_S = 0.25  # between looks at the processes


@dataclass(slots=True)
class _Seen:
    """Resource use of the processes of a command."""

    run: float = 0.0
    """CPU seconds of the command itself."""
    workers: float = 0.0
    """CPU seconds of its workers."""
    processes: int = 0
    """At most at once, bots' and ours."""
    memory: int = 0
    """Largest sum of bytes that belong to no file; shared ones count once."""


def measure() -> list[Figure]:
    """Return the cost of a match in each field."""
    fields = os.environ.get("BEANLEAGUE_FIELD", "").split() or FIELDS
    user = os.environ.get("BEANLEAGUE_FIELD_USER", "")
    starts = [] if user else asyncio.run(_starts())
    return [*starts, *(figure for field in fields for figure in _measure(field, user))]


async def _starts() -> list[Figure]:
    """Return the time from the start of a bot to its first message, for forked bots and for others.

    The start of bubblewrap, a shell and the template of forked bots, 5 ms or so, is included only in the figures of
    fields.
    """
    launching = choose(Limits(), trusted=False)
    ways = {"started": launching}
    with suppress(SandboxError):  # bots are forked under bubblewrap only
        ways = {"forked": forking(launching), **ways}
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        home, tree, users = Path(folder), ProcessTree(), BotUsers(needed=launching.gives_users)
        spec = BotSpec(0, "plain", str(plain(home, 0)), ("python", "bot.py"))
        blame = Blame(Limits(), Register(home / "register"))
        for number in range(_STARTS):
            for way, sandbox in ways.items():
                own = home / f"{way}{number}"
                group = ControlGroup(tuple(place / f"{home.name}-{own.name}" for _, place in sandbox.groups.places))
                process = BotProcess(spec, 0, sandbox, tree, users, blame, home=own, lag=lambda: 0.0)
                before = time.process_time()
                await process.connect()
                taken[way].append((group.cpu_seconds() or 0.0, time.process_time() - before))
                await process.close()
    for sandbox in ways.values():
        if sandbox.template:
            sandbox.template.close()
    return [
        Figure(f"a bot that is {way}: CPU of {whose}", "ms", tuple(1000 * both[side] for both in costs), "")
        for way, costs in taken.items()
        for side, whose in enumerate(("the bot", "its worker"))
    ]


def _measure(field: str, user: str) -> list[Figure]:
    bots, deals = field.split("*")
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "field.db"
        _create(file, int(bots.rstrip("h")), int(deals), house=bots.endswith("h"))
        before = time.monotonic()
        # A pipe without a reader yet would be too small.
        with control_group() as group, tempfile.TemporaryFile() as said:
            words = [sys.executable, "-P", "-m", "beanleague", "--db", str(file), "league", "run", "field", "--json"]
            if user:
                words = [*_becoming(user, file), *words]
            process = subprocess.Popen(group.enter(words), stdout=said)
            seen = _watch(process, group)
            said.seek(0)
            answer = json.load(said)
            cpu = group.cpu_seconds() or 0.0
        seconds = time.monotonic() - before
    matches = int(deals) * _SEATS
    each = 1000 / matches
    rows = [
        ("matches", "/s", matches / seconds),
        ("CPU", "ms a match", cpu * each),
        ("CPU of the run", "ms a match", seen.run * each),
        ("CPU of workers", "ms a match", seen.workers * each),
        ("CPU of bots", "ms a match", (cpu - seen.run - seen.workers) * each),
        ("requests", "a message", answer.get("batch", 0.0)),
        ("starts", "a match", answer.get("starts", 0) / matches),
        ("processes at once", "", float(seen.processes)),
        ("memory at once", "MiB", seen.memory / 2**20),
    ]
    return [Figure(f"field of {bots}, {deals} deals: {what}", unit, (value,), "") for what, unit, value in rows]


def _becoming(user: str, database: Path) -> list[str]:
    """Give `user` a database, and return the words that run a command as that user."""
    for path in (database.parent, database):
        shutil.chown(path, user, pwd.getpwnam(user).pw_gid)
    home = pwd.getpwnam(user).pw_dir
    return ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "env", "-u", "XDG_CACHE_HOME", f"HOME={home}"]


def _create(file: Path, bots: int, deals: int, *, house: bool) -> None:
    """Create a database with a league of `bots` bots."""
    folders = house_bots("bohnanza")
    with Store(f"sqlite:///{file}") as store:
        for number in range(bots):
            made = (
                renamed(folders[number % len(folders)], file.parent / f"bot{number}")
                if house
                else plain(file.parent, number)
            )
            bundle = read_bundle(pack(made))
            store.bots.add(bundle.manifest, bundle.digest, bundle.data)
        request = LeagueRequest(name="field", ruleset="bohnanza", seats=_SEATS, deals=deals, secret=_SECRET)
        create_league(store, request)


@contextmanager
def control_group() -> Iterator[ControlGroup]:
    """Give a control group of its own, which counts the CPU time and memory of all that are ever in it."""
    place = Path("/sys/fs/cgroup")
    places = [place / name for name in ("cpuacct", "memory") if (place / name).exists()] or [place]
    group = ControlGroup(tuple(place / f"beanleague-field-{os.getpid()}" for place in places))
    for folder in group.folders:
        folder.mkdir()
    try:
        yield group
    finally:
        group.remove()


def _memory(group: ControlGroup) -> int:
    """Return how many bytes the processes of a group have that are no file's."""
    for folder, name in product(group.folders, ("total_rss", "anon")):
        with suppress(OSError, ValueError):
            words = (folder / "memory.stat").read_text("ascii").split()
            return int(words[words.index(name) + 1])
    return 0


def _watch(process: subprocess.Popen[bytes], group: ControlGroup) -> _Seen:
    """Sample a command and its child processes, which form a group, until it ends."""
    seen = _Seen()
    root = psutil.Process(process.pid)
    while process.poll() is None:
        workers = 0.0
        with suppress(psutil.Error, OSError):
            seen.run = sum(root.cpu_times()[:2])
            family = [root, *root.children(recursive=True)]
            seen.processes = max(seen.processes, len(family))
            for each in family:
                with suppress(psutil.Error, OSError):
                    if "beanleague.referee.worker" in each.cmdline():
                        workers += sum(each.cpu_times()[:2])
            seen.workers = max(seen.workers, workers)
            seen.memory = max(seen.memory, _memory(group))
        time.sleep(_LOOK_S)
    return seen
