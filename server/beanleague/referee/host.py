"""What the host has, and what it is short of, in words: what is short, and what to do.

What a run needs is checked before anything is played, since a shortage in the middle costs time. None of these is the
fault of an honest bot.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from beanleague.referee.messages import Limits, Load
from beanleague.referee.sandbox.cgroups import process_room
from beanleague.referee.sandbox.process_tree import Usage
from beanleague.referee.this_node import this_node

MAX_WARM = 64
"""Maximum number of idle bot processes that a worker keeps; a Python bot takes about 40 MB."""

_WORKER_FILES = 48
_PROCESS_FILES = 16  # a socket, 4 connections, stderr and a pidfd, and while it starts as many again
_WORKER_THREADS = 16
_PROCESS_THREADS = 12  # of a Python bot, those of bubblewrap included
_DEFAULT_IN_FLIGHT = 16
_MAX_IN_FLIGHT = 128
_MATCHES_A_PROCESS = 16  # of which most wait for others: messages then carry about half as many requests
_FEWER_IN_ALL = "or play fewer matches at once (--workers, --in-flight)"

_CONNECTING_DESCRIPTORS = 8  # that gRPC opens for a bot until its hello, rounded up
_HOARDED_SHARE = 0.5  # of its limit, which a bot has to use to be blamed for a shortage
_HOARDED_FACTOR = 4.0  # times what any other bot uses, likewise


class NeedsError(Exception):
    """Raised if the host allows less than a run needs, or is another. The message has both, and what to do."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a run needs."""

    workers: int
    """Number of worker processes."""
    processes: int
    """Maximum number of bot processes of each worker at once."""

    @property
    def files(self) -> int:
        """Open files of each worker."""
        return _WORKER_FILES + _PROCESS_FILES * self.processes

    @property
    def threads(self) -> int:
        """Threads of all workers and their bots."""
        return self.workers * (_WORKER_THREADS + _PROCESS_THREADS * self.processes)

    def check(self) -> None:
        """Check that the host allows it; raise the soft limit of open files if that helps.

        Raises:
            NeedsError: if it does not.
        """
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and self.files > hard:
            raise NeedsError(
                f"each worker needs up to {self.files} open files for {self.processes} bot processes, but {hard} are "
                f"allowed; raise the limit (ulimit -n {self.files}), {_FEWER_IN_ALL}"
            )
        if soft != resource.RLIM_INFINITY and self.files > soft:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, hard))
        room = _thread_room()
        if room is not None and self.threads > room:
            raise NeedsError(
                f"the run needs up to {self.threads} threads for {self.workers} workers with {self.processes} bot "
                f"processes each, but only {room} more are allowed; raise the limit (ulimit -u, or that of the "
                f"container), end other programs, {_FEWER_IN_ALL}"
            )


def needs_of(load: Load, workers: int, in_flight: int, *, fresh: bool) -> Needs:
    """Return what so many workers need."""
    processes = bot_processes(
        bots=load.bots * load.copies, seats=load.seats, lanes=load.lanes(workers), in_flight=in_flight, fresh=fresh
    )
    return Needs(workers, processes)


def in_flight_for(load: Load, workers: int, *, fresh: bool) -> int:
    """Return how many matches each of so many workers plays at once by default."""
    return default_in_flight(bots=load.bots, lanes=load.lanes(workers), fresh=fresh or load.few)


def check_cpu(cpu: str) -> None:
    """Check that the CPU of this machine is of the model `cpu`; "" for any.

    Raises:
        NeedsError: if it is another.
    """
    here = this_node().cpu
    if cpu not in {"", here}:
        raise NeedsError(
            f"all deals are played on the CPU of the first, {cpu}, and this machine has another, {here}; run the "
            "league on a machine with that CPU"
        )


def bot_processes(*, bots: int, seats: int, lanes: int, in_flight: int, fresh: bool) -> int:
    """Return how many bot processes a worker may have at once. `bots` play in each of its `lanes`."""
    at_the_tables = in_flight * seats
    return at_the_tables if fresh else min(bots * lanes, max(MAX_WARM, at_the_tables))


def default_in_flight(*, bots: int, lanes: int, fresh: bool) -> int:
    """Return how many matches a worker plays at once by default.

    Every message costs, so as many as fill messages to quick bots; but not where each match has processes of its own,
    or bots are so many that more matches would need more processes.
    """
    processes = bots * lanes
    if fresh or processes > MAX_WARM:
        return _DEFAULT_IN_FLIGHT
    return min(max(_DEFAULT_IN_FLIGHT, _MATCHES_A_PROCESS * processes), _MAX_IN_FLIGHT)


def _thread_room() -> int | None:
    """Return how many threads more this user and container may have; None if nothing limits them."""
    rooms = [process_room()]
    limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if os.getuid() != 0 and limit != resource.RLIM_INFINITY:  # for root, the kernel does not look at it
        rooms.append(max(limit - _threads_of(os.getuid()), 0))
    return min((room for room in rooms if room is not None), default=None)


def _threads_of(uid: int) -> int:
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == uid:
                count += len(os.listdir(folder / "task"))  # noqa: PTH208  # a third of the time
        except OSError:  # it has ended
            continue
    return count


class Shortage(StrEnum):
    """What the host is short of."""

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
    errno.EMFILE: "a worker process has no open files left: it may have {files}; raise the limit (ulimit -n), "
    + _FEWER_AT_ONCE,
    errno.ENFILE: "the machine has no open files left; raise fs.file-max, end other programs, " + _FEWER_AT_ONCE,
    errno.EAGAIN: "no more processes or threads can be started: this user may have {processes}; raise the limit "
    "(ulimit -u, or that of the container), end other programs, " + _FEWER_AT_ONCE,
    errno.ENOMEM: "the machine, or the container, has no memory left; end other programs, " + _FEWER_AT_ONCE,
    errno.ENOSPC: "the disk of temporary files is full; free some space, or set TMPDIR to a folder on another disk",
    errno.EDQUOT: "the quota of disk space is used up; free some space, or set TMPDIR to a folder on another disk",
}


def shortage_of(problem: Exception) -> Shortage:
    """Return what the host is short of, given an error of the operating system or of memory."""
    return _SHORTAGES.get(_number_of(problem), Shortage.OTHER)


def describe_problem(problem: Exception) -> str:
    """Return what an error of the operating system or of memory means, and what to do; never ""."""
    text = _ADVICE.get(_number_of(problem))
    if text is None:
        return str(problem) or type(problem).__name__
    return text.format(
        files=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        processes=_number(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
    )


def _number_of(problem: Exception) -> int:
    """Return the kernel's number of an error, 0 if it has none."""
    if isinstance(problem, MemoryError):
        return errno.ENOMEM
    return problem.errno or 0 if isinstance(problem, OSError) else 0


def _number(limit: int) -> str:
    return "any number" if limit == resource.RLIM_INFINITY else str(limit)


def check_processes(limits: Limits) -> None:
    """Check that the container has room for all processes and threads that a bot may have.

    Raises:
        OSError: if it has not. A bot that fails at that time may do so for want of a thread.
    """
    room = process_room()
    if room is not None and room < limits.processes:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


class ReservedDescriptors:
    """Descriptors that are kept for what gRPC opens while a bot connects: it waits in silence if there are none.

    Raises:
        OSError: if there are not enough.
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
        """Close them."""
        while self._kept:
            os.close(self._kept.pop())


def hoarder(shortage: Shortage, usage: Mapping[int, Sequence[Usage]], limits: Limits) -> int | None:
    """Return the bot that may have caused a shortage, None if it is certain that none did.

    `usage`: of each process, by bot. What bots cannot use up within their limits is never their fault: open files,
    which cost memory, and disk space, which they have none of.
    """
    if shortage is Shortage.PROCESSES:
        means = {bot: sum(each.threads for each in all_) / len(all_) for bot, all_ in usage.items() if all_}
        limit = limits.processes
    elif shortage is Shortage.MEMORY:
        means = {bot: sum(each.memory for each in all_) / len(all_) for bot, all_ in usage.items() if all_}
        limit = limits.memory_bytes
    else:
        return None
    if len(means) < 2:
        return None
    *_, (second, _), (most, bot) = sorted((mean, bot) for bot, mean in means.items())
    return bot if most >= max(_HOARDED_SHARE * limit, _HOARDED_FACTOR * second) else None
