"""User ids for bots: each bot process gets a user id that no other process on the host has.

The kernel counts threads by user, and processes of one user may stop each other. A worker reserves blocks of ids, each
by a socket with an abstract name, which the kernel releases when the worker ends. Blocks and ids are drawn at random,
so that an id reveals neither a process id nor the number of bots started.
"""

import os
import socket
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import SystemRandom

_FROM, _TO = 0x4000_0000, 0x8000_0000  # range of user ids, far above those of people and services; signed 32 bits
_BLOCK = 256  # users per block: a small league's worker needs one block, and a small container has several
_TRIES = 64  # number of random blocks tried before all count as taken
_NAME = "\0beanleague-users-{}"


class BotUsers(AbstractContextManager["BotUsers"]):
    """Operating-system users that a worker's bots run as.

    `needed`: whether each bot gets a user of its own, which requires root. `among`: user ids to choose from; by default
    the suitable ids of this machine or container.
    """

    def __init__(self, *, needed: bool, among: range | None = None) -> None:
        self._needed = needed
        self._among = _room(Path("/proc/self/uid_map").read_text("ascii")) if among is None else among
        self._chance = SystemRandom()
        self._free: list[int] = []
        self._blocks: list[socket.socket] = []

    def take(self) -> int | None:
        """Return a user without processes; None if bots have no users of their own.

        Raises:
            OSError: other workers hold all users.
        """
        if not self._needed or len(self._among) < 2:
            return None
        while (user := self._draw()) is None:
            self._hold_another_block()
        return user

    def give_back(self, user: int | None) -> None:
        """Make `user` available again, after its last process has been reaped."""
        if user is not None:
            self._free.append(user)

    def close(self) -> None:
        """Release the blocks for other workers."""
        for block in self._blocks:
            block.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _draw(self) -> int | None:
        """Return a random free user; None if all have processes that were not reaped yet."""
        left, self._free = self._free, []
        while left:
            user = left.pop(self._chance.randrange(len(left)))
            if not _has_processes(user):
                self._free += left
                return user
            self._free.append(user)
        return None

    def _hold_another_block(self) -> None:
        blocks = -(-len(self._among) // _BLOCK)
        for number in self._chance.sample(range(blocks), min(blocks, _TRIES)):
            users = self._among[number * _BLOCK : (number + 1) * _BLOCK]
            held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                held.bind(_NAME.format(users[0]))
            except OSError:  # raised if a worker, even this one, holds the block
                held.close()
                continue
            self._blocks.append(held)
            self._free += users
            return
        raise OSError(
            "no user ID is left for another bot: other workers hold them all; start fewer workers (--workers)"
        )


def _room(uid_map: str) -> range:
    """Return the range of user ids for bots, given a uid map: in a small container, its upper half."""
    maps = [tuple(map(int, line.split())) for line in uid_map.splitlines()]
    first, _, length = max(maps, key=lambda each: each[2])
    end = first + length
    return range(max(first, _FROM), min(end, _TO)) if end > _FROM + _BLOCK else range(first + (length + 1) // 2, end)


def _has_processes(user: int) -> bool:
    """Return whether a process of `user` exists, possibly one that has ended but was not reaped."""
    try:
        os.getpriority(os.PRIO_USER, user)
    except ProcessLookupError:
        return False
    return True
