"""Every attack once, beside honest bots, under one layer of the sandbox; and what became of it."""

from __future__ import annotations

import ast
import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchResult, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import Layer
from tests.referee.helpers import bot, finish, record_of, untagged

# The same as in bots/attacker.py, which runs where this module is not.
CANARY = "/var/tmp/beanleague-bait"
SOCKET = f"{CANARY}/socket"
ABSTRACT = "\0beanleague-bait"
DATAGRAMS = f"{CANARY}/datagrams"
MARK = 1_234_567_890

NOT_STOPPED = "NOT STOPPED"

_HERE = Path(__file__).parent
_SELDOM_READ = _HERE / "bots" / "seldom_read.txt"
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
_HELPERS = frozenset({"attacker"})
_LIMITS = Limits(move_ms=1_000, bank_ms=2_000, connect_ms=8_000)
_HONEST = 1000  # versions of the honest bots are from here on
_DEAL = b"a deal with an attacker"
_ROUNDS = 2  # enough to act, and for the others to be disturbed
_SECRET = b"the secrets of a league"
_BUSY = ("keeps_itself_waiting", "spins_in_the_background", "thinks_in_children")
"""Attacks that keep CPUs busy, also after their match; they are played last, so that they are not for long."""
TWICE = frozenset({"leaves_notes_for_its_next_process", "remembers_a_deal", "writes_to_its_own_folder"})
"""Attacks that are played again by another process."""


def attacks() -> dict[str, Path]:
    """Return the file of every attack by its name."""
    files = sorted([*_HERE.glob("bots/*.py"), *_HERE.glob("fake_grpc/*.py")], key=lambda file: file.stem)
    return {file.stem: file for file in files if file.stem not in _HELPERS}


def summary(file: Path) -> str:
    """Return what an attack does, in its own words."""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    assert docstring
    return docstring


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an attack. `match`: the first it sat in; `log`: all it wrote."""

    match: MatchResult
    log: str

    @property
    def word(self) -> str:
        """What became of it, in a word or two."""
        if any(line.startswith("done:") for line in self.log.splitlines()):
            return NOT_STOPPED
        if self.match.forfeited[1]:
            return f"forfeits: {self.match.faults[-1].kind}"
        if any(line.startswith("refused:") for line in self.log.splitlines()):
            return "refused"
        return "no effect"


@dataclass(frozen=True, slots=True)
class Arena:
    """All attacks under `layer`. `canary`: the secret file at the end; `dialled`: connections to the host's sockets."""

    layer: Layer
    outcomes: dict[str, Outcome]
    idle: MatchResult
    canary: bytes
    dialled: int


def play_all(layer: Layer) -> Arena:
    """Play one match of each attack between two honest bots, several at once, and one with a bot that never comes."""
    files = attacks()
    names = list(files)
    specs = [
        BotSpec(number, name, str(files[name].parent), ("python", f"{name}.py")) for number, name in enumerate(names)
    ]
    idle = len(specs)
    specs.append(bot(idle, "exits_at_import"))
    specs += [bot(_HONEST, "plays_well"), bot(_HONEST + 1, "plays_well")]
    busy = [names.index(name) for name in _BUSY]
    usual = [number for number in range(idle + 1) if number not in busy]
    results: dict[int, MatchResult] = {}
    logs: list[BotLog] = []
    with host() as sockets:
        keeps_access_times()  # sets the access time back
        for numbers in (usual[::2], usual[1::2], busy):  # with fewer processes at once, all of which are watched
            first = [_task(number, number, lane=0) for number in numbers]
            twice = [number for number in numbers if number < idle and names[number] in TWICE]
            again = [_task(idle + 1 + number, number, lane=1) for number in twice]
            pool = WorkerPool(specs, _LIMITS, workers=1, in_flight=12, layers=[layer])
            try:
                for tasks in (first, again):
                    for task in tasks:
                        pool.submit(task)
                    played, written = finish(pool, len(tasks))
                    results |= played
                    logs += written
            finally:
                logs += pool.close()
        dialled = sum(map(was_dialled, sockets))
        canary = Path(CANARY, "league.db").read_bytes()
    texts = {number: untagged("".join(log.text for log in logs if log.version == number)) for number in range(idle)}
    outcomes = {name: Outcome(results[number], texts[number]) for number, name in enumerate(names)}
    return Arena(layer, outcomes, results[idle], canary, dialled)


def actions(result: MatchResult) -> list[tuple[int, object]]:
    """Return every action of a match."""
    return [(move.seat, move.action) for move in record_of(result).moves]


def _task(number: int, attacker: int, *, lane: int) -> MatchTask:
    seats = (_HONEST, attacker, _HONEST + 1)
    luck = tuple(bytes([seat]) * 16 for seat in range(3))
    short = {"max_rounds": _ROUNDS}
    return MatchTask(number, "bohnanza", _DEAL, seats, luck, lane, options=short, unforgiven=frozenset(seats))


@contextmanager
def host() -> Iterator[list[socket.socket]]:
    """Give the host a file with secrets, and two sockets that all its users can dial; only to one arena at a time."""
    with Path(f"{CANARY}-{os.getuid()}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with _bait() as sockets:
            yield sockets


@contextmanager
def _bait() -> Iterator[list[socket.socket]]:
    folder = Path(CANARY)
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    secret = folder / "league.db"
    secret.write_bytes(_SECRET)
    secret.chmod(0o666)
    for address in (SOCKET, DATAGRAMS):
        Path(address).unlink(missing_ok=True)
    try:
        with ExitStack() as stack:
            sockets = []
            for address in (SOCKET, ABSTRACT):
                opened = stack.enter_context(socket.socket(socket.AF_UNIX))
                opened.bind(address)
                opened.listen()
                opened.setblocking(False)
                sockets.append(opened)
            opened = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            opened.bind(DATAGRAMS)
            opened.setblocking(False)
            sockets.append(opened)
            for address in (SOCKET, DATAGRAMS):
                Path(address).chmod(0o777)
            yield sockets
    finally:
        for path in (secret, Path(SOCKET), Path(DATAGRAMS)):
            path.unlink(missing_ok=True)
        folder.rmdir()


def was_dialled(opened: socket.socket) -> bool:
    """Return whether somebody connected or sent to one of the host's sockets."""
    try:
        if opened.type is socket.SOCK_DGRAM:
            opened.recv(1)
        else:
            opened.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def keeps_access_times() -> bool:
    """Return whether the host notes when a file is read, and make the file that no bot read yet look unread."""
    modified = _SELDOM_READ.stat().st_mtime_ns
    unread = modified - 10**9
    os.utime(_SELDOM_READ, ns=(unread, modified))
    _SELDOM_READ.read_bytes()
    noted = _SELDOM_READ.stat().st_atime_ns != unread
    os.utime(_SELDOM_READ, ns=(unread, modified))
    return noted


def devices_are_as_they_were() -> bool:
    """Return whether no attack changed the times of a device."""
    return all(MARK not in {int(about.st_mtime), int(about.st_atime)} for about in map(os.stat, _DEVICES))


def secret_is_whole(arena: Arena) -> bool:
    """Return whether the file with secrets is as it was."""
    return arena.canary == _SECRET
