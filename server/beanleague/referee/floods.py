"""Finds bots that flood their sockets with data that never becomes a message.

HTTP/2 has frames that a receiver must read and ignore, and gRPC neither counts them nor tells of them. What it cannot
hide is the CPU time of its threads. When that is more than all messages can explain, the connections are watched for
moments in which the referee itself does nothing. So an honest bot then sends at most the answers that it still owes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import struct
import termios
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

_WINDOW_TICKS = 12
_SHARE = 0.2  # of a CPU, which gRPC's threads take at most besides
_MESSAGE_S = 0.001  # for each message; it takes a tenth of that
_WATCH_S = 0.005
_MAX_WATCHES = 40  # after a window in which there was too much
_ANSWER_BYTES = 4096  # of an answer at most, and of frames that go with it
_FLOODED_WATCHES = 3  # in which a process sent too much
_MAX_CONNECTIONS = 16  # one after the other, while they are watched


class Sender(Protocol):
    """A bot process, as far as what it sends is concerned."""

    @property
    def socket(self) -> str:
        """The path of the referee's socket for it."""

    @property
    def messages(self) -> int:
        """How many messages came from it and went to it."""

    @property
    def owed(self) -> int:
        """How many answers it owes."""

    def flooded(self) -> None:
        """It sends more than messages."""


@dataclass(slots=True)
class _Sent:
    """What a process was seen to send."""

    watches: int = 0
    """How often that was too much."""
    inodes: set[int] = field(default_factory=set)
    """Its connections."""


class FloodWatch:
    """To be called at every tick of a worker's event loop.

    `others`: returns the CPU time in seconds of all other threads, which are gRPC's. `now`: seconds.
    """

    def __init__(
        self,
        others: Callable[[], float] = lambda: time.process_time() - time.thread_time(),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._others = others
        self._now = now
        self._ticks = 0
        self._began = (now(), others(), 0)
        self._watches = 0  # left
        self._sent: dict[str, _Sent] = {}

    def tick(self, senders: Collection[Sender]) -> None:
        """Look whether there may be a flood; if so, find out who sends it."""
        self._ticks += 1
        if self._ticks % _WINDOW_TICKS == 0:
            before, self._began = self._began, (self._now(), self._others(), sum(each.messages for each in senders))
            seconds, used, messages = (new - old for new, old in zip(self._began, before, strict=True))
            if used > _SHARE * seconds + _MESSAGE_S * max(messages, 0):
                self._watches = _MAX_WATCHES
        if self._watches:
            self._watches -= 1
            self._watch({each.socket: each for each in senders})
            if not self._watches:
                self._sent.clear()

    def _watch(self, senders: dict[str, Sender]) -> None:
        with _connections(senders) as connections:
            seen = _received([fd for _, fd, _ in connections])
        for path, sender in senders.items():
            sent = self._sent.setdefault(path, _Sent())
            sent.inodes.update(inode for where, _, inode in connections if where == path)
            size = sum(sizes for (where, _, _), (sizes, _) in zip(connections, seen, strict=True) if where == path)
            times = sum(often for (where, _, _), (_, often) in zip(connections, seen, strict=True) if where == path)
            sent.watches += size > _ANSWER_BYTES * (sender.owed + 1) or times > 4 * (sender.owed + 2)
            if sent.watches >= _FLOODED_WATCHES or len(sent.inodes) > _MAX_CONNECTIONS:
                sender.flooded()


@contextmanager
def _connections(paths: Collection[str]) -> Iterator[list[tuple[str, int, int]]]:
    """Give the connections of this process to bots: the path of the socket, a descriptor and the inode of each."""
    found: list[tuple[str, int, int]] = []
    with contextlib.ExitStack() as stack:
        for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  # a third of the time
            with contextlib.suppress(OSError):  # it was closed
                if not os.readlink(f"/proc/self/fd/{name}").startswith("socket:"):  # noqa: PTH115  # likewise
                    continue
                connection = stack.enter_context(socket.socket(fileno=os.dup(int(name))))
                if connection.family is socket.AF_UNIX and connection.getsockname() in paths:
                    found.append((connection.getsockname(), connection.fileno(), os.fstat(connection.fileno()).st_ino))
        yield found


def _received(descriptors: list[int]) -> list[tuple[int, int]]:
    """Return how many bytes were seen to come over each connection in a moment, and how often: not more than did."""
    unread = [_unread(fd) for fd in descriptors]
    sizes, times = [0] * len(unread), [0] * len(unread)
    deadline = time.perf_counter() + _WATCH_S
    while time.perf_counter() < deadline:
        for index, fd in enumerate(descriptors):
            more = _unread(fd) - unread[index]
            unread[index] += more
            if more > 0:
                sizes[index] += more
                times[index] += 1
    return list(zip(sizes, times, strict=True))


def _unread(descriptor: int) -> int:
    try:
        (size,) = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))
    except OSError:  # the socket that listens
        return 0
    return int(size)
