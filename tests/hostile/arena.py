"""Every attack once, beside honest bots, under one layer of the sandbox; and what became of it."""

import ast
import fcntl
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from beanleague.model import PlayedMatch
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import Layer
from tests.referee.helpers import bot, finish, record_of, untagged

# As in bots/attacker.py, which runs where this module is not and is told the folder. Each user of the host has one.
CANARY = f"/var/tmp/beanleague-bait-{os.getuid()}"
SOCKET = f"{CANARY}/socket"
ABSTRACT = f"\0{CANARY}"
DATAGRAMS = f"{CANARY}/datagrams"
MARK = 1_234_567_890

NOT_STOPPED = "NOT STOPPED"

_HERE = Path(__file__).parent
_SELDOM_READ = _HERE / "bots" / "seldom_read.txt"
_DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")
_HELPERS = frozenset({"attacker"})
LIMITS = Limits(move_ms=1_000, bank_ms=2_000, connect_ms=8_000)
SHORT = Limits(move_ms=500, bank_ms=500, connect_ms=8_000)
"""Who thinks for too long, in children too, keeps a CPU busy for so long."""
_HONEST = 1000  # versions of the honest bots are from here on
_DEAL = b"a deal with an attacker"
_ROUNDS = 2  # enough to act, and for the others to be disturbed
_SECRET = b"the secrets of a league"
_AT_ONCE = 20  # attacks in one pool
_BUSY = ("keeps_itself_waiting", "spins_in_the_background", "thinks_in_children")
"""Attacks that keep CPUs busy, also after their match; they are played last, so that they are not for long."""
CLASSES = {
    "answers that break the rules of a match": (
        "plays_for_other_matches",
        "acts_for_other_seats",
        "answers_before_it_is_asked",
        "plays_old_decisions",
        "sends_invalid_utf8",
        "sends_long_errors",
        "sends_nan",
        "sends_unknown_enum_values",
        "sends_unknown_fields_and_values",
    ),
    "what is no message": ("sends_garbage", "sends_a_truncated_message", "sends_an_oversize_message"),
    "floods": (
        "floods_moves",
        "floods_frames",
        "floods_stdout_and_stderr",
        "opens_connections_without_calls",
        "opens_idle_streams",
    ),
    "silence": ("never_answers", "closes_the_stream", "drips_answers", "never_dials", "sleeps_at_import"),
    "memory": (
        "private_memory",
        "fills_shared_memory_files",
        "fills_the_disk",
        "memory_of_a_nameless_file",
        "memory_of_empty_files",
        "memory_of_sockets",
        "memory_of_system_v",
        "shared_memory",
    ),
    "processes": (
        "fork_bomb",
        "becomes_another_program",
        "calls_off_its_end",
        "fork_bomb_with_memory",
        "ignores_sigterm_with_grandchildren",
        "starts_threads_without_end",
    ),
    "time": (
        "thinks_in_children",
        "chooses_its_cpus",
        "keeps_itself_waiting",
        "spins_in_the_background",
        "wakes_itself",
    ),
    "files of the host": (
        "reads_a_file_of_the_host",
        "reads_passwd",
        "looks_for_names",
        "looks_for_the_seed",
        "writes_a_file_of_the_host",
        "touches_devices",
    ),
    "other processes": (
        "reads_memory_of_others",
        "has_itself_killed",
        "kills_the_referee",
        "looks_for_other_bots",
        "reads_descriptors_of_others",
        "reads_environments_of_others",
        "traces_others",
    ),
    "the network": (
        "dials_pathname_sockets",
        "dials_abstract_sockets",
        "opens_netlink_sockets",
        "opens_packet_sockets",
        "opens_tcp_sockets",
        "opens_udp_sockets",
        "sends_datagrams_to_the_host",
    ),
    "more rights": ("makes_namespaces", "calls_by_other_numbers", "mounts_file_systems"),
    "messages to its next process": (
        "leaves_notes_for_its_next_process",
        "binds_abstract_names",
        "counts_descriptors_of_others",
        "counts_processes_of_the_host",
        "reads_counters_of_the_machine",
        "remembers_a_deal",
        "whispers_by_futexes",
        "whispers_by_locks",
        "whispers_by_the_page_cache",
        "whispers_by_watches",
        "writes_access_times",
        "writes_to_its_own_folder",
    ),
    "what others import": ("replaces_the_sdk", "ships_a_fake_grpc"),
}
"""Attacks by what they are after; `make test` plays the first of each class, the environment `hostile` all."""

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

    match: PlayedMatch
    log: str

    @property
    def word(self) -> str:
        """What became of it, in a word or two."""
        if any(line.startswith("done:") for line in self.log.splitlines()):
            return NOT_STOPPED
        if self.match.seats[1].forfeited:
            return f"forfeits: {self.match.faults[-1].kind}"
        if any(line.startswith("refused:") for line in self.log.splitlines()):
            return "refused"
        return "no effect"


@dataclass(frozen=True, slots=True)
class Arena:
    """All attacks under `layer`. `canary`: the secret file at the end; `dialled`: connections to the host's sockets."""

    layer: Layer
    outcomes: dict[str, Outcome]
    idle: PlayedMatch
    canary: bytes
    dialled: int


def one_of_each() -> dict[str, Path]:
    """Return the file of one attack of each class by its name."""
    files = attacks()
    return {name: files[name] for name, *_ in CLASSES.values()}


def play(files: Mapping[str, Path], layer: Layer, limits: Limits = LIMITS) -> Arena:
    """Play one match of each attack between two honest bots, several at once, and one with a bot that never comes."""
    names = list(files)
    specs = [
        BotSpec(number, name, str(files[name].parent), ("python", f"{name}.py", CANARY))
        for number, name in enumerate(names)
    ]
    idle = len(specs)
    specs.append(bot(idle, "exits_at_import"))
    specs += [bot(_HONEST, "plays_well"), bot(_HONEST + 1, "plays_well")]
    busy = [names.index(name) for name in _BUSY if name in files]
    usual = [number for number in range(idle + 1) if number not in busy]
    results: dict[int, PlayedMatch] = {}
    logs: list[BotLog] = []
    with host() as sockets:
        keeps_access_times()  # sets the access time back
        # With fewer processes at once, all of which are watched.
        for numbers in (usual[::2], usual[1::2], busy) if len(usual) > _AT_ONCE else (usual + busy,):
            first = [_task(number, number, lane=0) for number in numbers]
            twice = [number for number in numbers if number < idle and names[number] in TWICE]
            again = [_task(idle + 1 + number, number, lane=1) for number in twice]
            pool = WorkerPool(specs, limits, workers=1, in_flight=12, layers=[layer])
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
    texts = {number: untagged("".join(log.text for log in logs if log.number == number)) for number in range(idle)}
    outcomes = {name: Outcome(results[number], texts[number]) for number, name in enumerate(names)}
    return Arena(layer, outcomes, results[idle], canary, dialled)


def actions(result: PlayedMatch) -> list[tuple[int, object]]:
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
    with Path(f"{CANARY}.lock").open("w", encoding="utf-8") as lock:
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
