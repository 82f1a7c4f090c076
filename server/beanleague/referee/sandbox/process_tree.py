"""Which processes of the host belong to which bot, and what they use together."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from beanleague.referee.sandbox.usage import Usage, process_usage, scratch_usage

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class _Process:
    """A process of a bot."""

    parent: int
    root: int
    """The process it descends from that was added."""
    born: int
    """Ticks since the boot: by this it differs from a later process of the same number."""


class ProcessTree:
    """The processes that descend from those added, as of the last `refresh`, which is due every few tens of ms.

    Only processes that are new since the last refresh are asked for their parent, so it costs little; and only then is
    it certain whose number that is: numbers of processes that ended are given to others.
    """

    def __init__(self) -> None:
        self._bots: dict[int, _Process] = {}
        self._others: set[int] = set()

    def add(self, root: int) -> None:
        """Add `root`, which was just started, and what descends from it."""
        _, born = _parent_and_birth(root)
        self._bots[root] = _Process(0, root, born)
        self._others.discard(root)

    def remove(self, root: int) -> None:
        """Remove `root` and what descends from it."""
        for process in self.family(root):
            del self._bots[process]

    def refresh(self) -> None:
        """Find out which processes exist now."""
        if not self._bots:
            self._others.clear()
            return
        alive = {int(name) for name in os.listdir(_PROC) if name.isdecimal()}  # noqa: PTH208  # a third of the time
        self._others &= alive
        for gone in self._bots.keys() - alive:
            if self._bots[gone].root != gone:
                del self._bots[gone]
        new = alive - self._others - self._bots.keys()
        while new:
            self._place(new.pop(), new)

    def family(self, root: int) -> list[int]:
        """Return `root` and all that descends from it, as far as it was seen."""
        return [process for process, found in self._bots.items() if found.root == root]

    def usage(self) -> dict[int, Usage]:
        """Return what the processes of each root use; pages that several share count for each."""
        sums: dict[int, Usage] = {}
        youngest: dict[int, int] = {}
        for process, found in self._bots.items():
            sums[found.root] = sums.get(found.root, Usage()) + process_usage(process)
            youngest[found.root] = process
        for root, process in youngest.items():  # the root itself may see the files of the host
            sums[root] += scratch_usage(process)
        return sums

    def kill(self, root: int) -> None:
        """Kill what descends from `root`, as far as it was seen, also just now."""
        self.refresh()
        for process in self.family(root):
            if process != root and _parent_and_birth(process)[1] == self._bots[process].born:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)

    def _place(self, process: int, new: set[int]) -> None:
        """Find out whose a new process is, and first whose its parent is, if that is among the `new` ones too."""
        parent, born = _parent_and_birth(process)
        if parent in new:
            new.remove(parent)
            self._place(parent, new)
        if parent in self._bots:
            self._bots[process] = _Process(parent, self._bots[parent].root, born)
        else:
            self._others.add(process)


def _parent_and_birth(process: int) -> tuple[int, int]:
    try:
        words = (_PROC / str(process) / "stat").read_bytes().rpartition(b")")[2].split()
        return int(words[1]), int(words[19])
    except (OSError, IndexError, ValueError):
        return 0, 0
