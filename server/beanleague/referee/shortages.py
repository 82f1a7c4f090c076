"""What the host may be short of, in words: what is short, and what to do. None of it is the fault of an honest bot."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Mapping, Sequence
from enum import StrEnum

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.cgroups import process_room
from beanleague.referee.sandbox.usage import Usage

_CONNECTING_DESCRIPTORS = 8  # that gRPC opens for a bot until its hello, rounded up
_HOARDED_SHARE = 0.5  # of its limit, which a bot has to use to be blamed for a shortage
_HOARDED_FACTOR = 4.0  # times what any other bot uses, likewise


class Shortage(StrEnum):
    """What the host is short of."""

    FILES = "open files"
    PROCESSES = "processes"
    MEMORY = "memory"
    DISK = "disk"
    OTHER = "something else"


_KINDS = {
    errno.EMFILE: Shortage.FILES,
    errno.ENFILE: Shortage.FILES,
    errno.EAGAIN: Shortage.PROCESSES,
    errno.ENOMEM: Shortage.MEMORY,
    errno.ENOSPC: Shortage.DISK,
    errno.EDQUOT: Shortage.DISK,
}
_FEWER = "or play fewer matches at once (--in-flight)"
_TEXTS = {
    errno.EMFILE: "a worker process has no open files left: it may have {files}; raise the limit (ulimit -n), "
    + _FEWER,
    errno.ENFILE: "the machine has no open files left; raise fs.file-max, end other programs, " + _FEWER,
    errno.EAGAIN: "no more processes or threads can be started: this user may have {processes}; raise the limit "
    "(ulimit -u, or that of the container), end other programs, " + _FEWER,
    errno.ENOMEM: "the machine has no memory left; end other programs, " + _FEWER,
    errno.ENOSPC: "the disk of temporary files is full; free some space, or set TMPDIR to a folder on another disk",
    errno.EDQUOT: "the quota of disk space is used up; free some space, or set TMPDIR to a folder on another disk",
}


def kind(problem: Exception) -> Shortage:
    """Return what the host is short of, given an error of the operating system or of memory."""
    return _KINDS.get(_number_of(problem), Shortage.OTHER)


def describe(problem: Exception) -> str:
    """Return what an error of the operating system or of memory means, and what to do; never ""."""
    text = _TEXTS.get(_number_of(problem))
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
