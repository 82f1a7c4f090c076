"""Resources of the host, and messages about shortages with remedies.

The needs of a run are checked before it plays, since a shortage in the middle costs time. No shortage is counted
against an honest bot.
"""

import contextlib
import errno
import os
import resource
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from beanleague.referee.messages import Limits, Load
from beanleague.referee.sandbox.cgroups import memory_rooms, process_room
from beanleague.referee.this_node import this_node

MOST_PROCESSES = 1024
"""Number of bot processes per worker if the run's needs are unknown."""

_WORKER_FILES = 48
# files per process: a socket, 4 connections, stderr and a pidfd, and as many again during its start
_PROCESS_FILES = 16
_WORKER_THREADS = 16
# threads of a Python bot, three of them in our processes around it; larger bots reduce the number kept
_PROCESS_THREADS = 6
_PROCESS_BYTES = 16 * 2**20  # memory of a Python bot that computes little, kernel memory included
_BUSY_SHARE = 0.25  # share of processes that play at a time, if memory is too small for all; the others are idle
_DEFAULT_IN_FLIGHT = 16
_MAX_IN_FLIGHT = 128
# matches per process, most of which wait for other seats: messages then carry about half as many requests
_MATCHES_A_PROCESS = 16

_CONNECTING_DESCRIPTORS = 8  # descriptors that gRPC opens for a bot until its hello, rounded up


class NeedsError(Exception):
    """Raised if the host has less than a run needs, or another CPU. The message gives both, and the remedy."""


@dataclass(frozen=True, slots=True)
class WorkerRoom:
    """Resources of each worker of a run on this host."""

    in_flight: int
    """Maximum number of matches at once."""
    processes: int
    """Maximum number of bot processes at once, as long as memory suffices."""


@dataclass(frozen=True, slots=True)
class FreeMemory:
    """Memory that may still be used."""

    bytes: int
    """Number of free bytes."""
    share: float
    """Free share of the total, 0 to 1."""


class Host:
    """Resources of this machine, read anew at each call; a subclass may stand for another machine."""

    def free_memory(self) -> FreeMemory:
        """Return the free memory of this machine, or of a control group of this process that has less."""
        rooms = list(memory_rooms())
        with contextlib.suppress(OSError, ValueError, KeyError):
            lines = Path("/proc/meminfo").read_text("ascii").splitlines()
            numbers = {words[0]: int(words[1]) * 1024 for line in lines if len(words := line.split()) > 1}
            rooms.append((numbers["MemAvailable:"], numbers["MemTotal:"]))
        rooms = [(max(free, 0), total) for free, total in rooms if total]
        if not rooms:
            return FreeMemory(2**62, 1.0)
        return FreeMemory(min(free for free, _ in rooms), min(free / total for free, total in rooms))

    def container_room(self) -> int | None:
        """Return the number of further processes and threads in this container; None without a limit."""
        return process_room()

    def thread_room(self) -> int | None:
        """Return the number of further threads for this user and container; None without a limit."""
        rooms = [self.container_room()]
        limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
        if os.getuid() != 0 and limit != resource.RLIM_INFINITY:  # the kernel does not enforce process limits for root
            rooms.append(max(limit - _threads_of(os.getuid()), 0))
        return min((room for room in rooms if room is not None), default=None)

    def max_files(self) -> int:
        """Return the maximum number of open files that this process may allow itself."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        return 2**31 if hard == resource.RLIM_INFINITY else hard

    def allow_files(self, files: int) -> None:
        """Let this process have at least this many open files, up to `max_files`."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY and files > soft:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))

    def reserve_descriptors(self) -> "ReservedDescriptors":
        """Reserve descriptors for a bot's connection.

        Raises:
            OSError: if there are too few.
        """
        return ReservedDescriptors()


HERE = Host()
"""This machine."""


def _threads_of(uid: int) -> int:
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid:
                count += len(os.listdir(folder / "task"))  # noqa: PTH208  # takes a third of the time
        except OSError:  # raised if the process has ended
            continue
    return count


def fit(load: Load, workers: int, in_flight: int | None, *, fresh: bool, host: Host = HERE) -> WorkerRoom:
    """Return the resources of each of `workers` workers of a `host`; raise its soft limit of open files accordingly.

    `in_flight`: requested number of concurrent matches, None for one that suits `load`. If the host allows fewer
    processes, threads or open files than useful, the numbers are lower.

    Raises:
        NeedsError: if there is no room for a single match.
    """
    files, room = host.max_files(), host.thread_room()
    threads = 2**31 if room is None else room // workers
    allowed = min((files - _WORKER_FILES) // _PROCESS_FILES, (threads - _WORKER_THREADS) // _PROCESS_THREADS)
    if allowed < load.seats:
        raise NeedsError(
            f"no worker has room for the {load.seats} bot processes of a match: they take "
            f"{_WORKER_FILES + _PROCESS_FILES * load.seats} open files (allowed: {files}, ulimit -n), and "
            f"{_WORKER_THREADS + _PROCESS_THREADS * load.seats} threads for each of {workers} workers (allowed: "
            f"{'any number' if room is None else f'{room} more'}, ulimit -u or the limit of the container); raise "
            "these limits, end other programs, or start fewer workers (--workers)"
        )
    lanes = load.lanes(workers)
    if in_flight is None:
        in_flight = default_in_flight(
            seats=load.seats,
            processes=load.bots * lanes,
            memory=host.free_memory().bytes // workers,
            fresh=fresh or load.few,
        )
    in_flight = min(in_flight, allowed // load.seats)
    processes = in_flight * load.seats if fresh else min(load.bots * load.copies * lanes, allowed)
    host.allow_files(_WORKER_FILES + _PROCESS_FILES * processes)
    return WorkerRoom(in_flight, processes)


def check_cpu(cpu: str) -> None:
    """Check that the CPU of this machine is of the model `cpu`; "" for any.

    Raises:
        NeedsError: if it is another model.
    """
    here = this_node().cpu
    if cpu not in {"", here}:
        raise NeedsError(
            f"this league is played on the CPU of its first deal, {cpu}, but this machine has {here}; run the "
            "league on a machine with that CPU"
        )


def default_in_flight(*, seats: int, processes: int, memory: int, fresh: bool) -> int:
    """Return the default number of concurrent matches of a worker. `processes`: its eventual number of processes.

    It is large, so that messages to fast bots carry many requests, but small if each match has its own processes, and
    smaller if `memory` bytes do not hold all processes.
    """
    if fresh:
        return _DEFAULT_IN_FLIGHT
    most = min(_MATCHES_A_PROCESS * processes, _MAX_IN_FLIGHT)
    held = memory // _PROCESS_BYTES
    return max(_DEFAULT_IN_FLIGHT, most if processes <= held else min(most, int(_BUSY_SHARE * held / seats)))


class Shortage(StrEnum):
    """Kinds of shortages of the host."""

    FILES = "open files"
    PROCESSES = "processes"
    MEMORY = "memory"
    DISK = "disk"
    OTHER = "something else"


_SHORTAGES = {
    errno.EMFILE: Shortage.FILES,
    errno.ENFILE: Shortage.FILES,
    errno.EAGAIN: Shortage.PROCESSES,
    errno.ENOMEM: Shortage.MEMORY,
    errno.ENOSPC: Shortage.DISK,
    errno.EDQUOT: Shortage.DISK,
}
_FEWER_AT_ONCE = "or play fewer matches at once (--in-flight)"
_ADVICE = {
    errno.EMFILE: "a worker process has reached its limit of {files} open files; raise the limit (ulimit -n), "
    + _FEWER_AT_ONCE,
    errno.ENFILE: "the machine has run out of open files; raise fs.file-max, end other programs, " + _FEWER_AT_ONCE,
    errno.EAGAIN: "no more processes or threads can be started: this user may have {processes}; raise the limit "
    "(ulimit -u, or that of the container), end other programs, " + _FEWER_AT_ONCE,
    errno.ENOMEM: "the machine, or the container, has run out of memory; end other programs, " + _FEWER_AT_ONCE,
    errno.ENOSPC: "the disk of temporary files is full; free some space, or set TMPDIR to a folder on another disk",
    errno.EDQUOT: "the quota of disk space is used up; free some space, or set TMPDIR to a folder on another disk",
}


def shortage_of(problem: Exception) -> Shortage:
    """Return the kind of shortage behind an error of the operating system or of memory."""
    return _SHORTAGES.get(_number_of(problem), Shortage.OTHER)


def describe_problem(problem: Exception) -> str:
    """Return an explanation and a remedy for an error of the operating system or of memory; never ""."""
    text = _ADVICE.get(_number_of(problem))
    if text is None:
        return str(problem) or type(problem).__name__
    files, processes = (resource.getrlimit(what)[0] for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC))
    return text.format(files=files, processes="any number" if processes == resource.RLIM_INFINITY else processes)


def _number_of(problem: Exception) -> int:
    """Return the errno of an exception; 0 if it has none."""
    if isinstance(problem, MemoryError):
        return errno.ENOMEM
    return problem.errno or 0 if isinstance(problem, OSError) else 0


def check_processes(limits: Limits, host: Host = HERE) -> None:
    """Check that the container of `host` has room for all processes and threads of a bot.

    Raises:
        OSError: if it has not. A bot that fails at that time may have failed for lack of a thread.
    """
    room = host.container_room()
    if room is not None and room < limits.processes:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


class ReservedDescriptors:
    """File descriptors reserved for gRPC while a bot connects, since gRPC hangs silently without them.

    Raises:
        OSError: if there are too few.
    """

    def __init__(self) -> None:
        self._kept: list[int] = []
        try:
            while len(self._kept) < _CONNECTING_DESCRIPTORS:
                self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Close the descriptors."""
        while self._kept:
            os.close(self._kept.pop())
