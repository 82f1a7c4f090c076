"""Which processes of the host belong to which bot, and what the host gives up for them: memory and threads."""

import contextlib
import os
import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass

# Pages of files are the host's, and shared by all bots.
_OWN_MEMORY = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s*(\d+)", re.MULTILINE)
_THREADS = re.compile(rb"^Threads:\s*(\d+)", re.MULTILINE)
_DESCRIPTOR_BYTES = 256 * 2**10  # the kernel may hold for a socket, where its buffers cannot be enlarged
_FREE_DESCRIPTORS = 24  # of a process: as many as usual programs have, which count as empty
_FILE_OF_KERNEL_BYTES = 2**16
_FILE_BYTES = 2**11  # that the kernel holds for a file of a tmpfs, besides what is in it
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108  # in the namespace of a bot


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or several processes use."""

    memory: int = 0
    """Bytes."""
    threads: int = 0
    """Of all processes together."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.memory + other.memory, self.threads + other.threads)


def usage_of(processes: Sequence[int]) -> Usage:
    """Return what the processes of a bot use, the youngest being the last; pages that several share count for each."""
    scratch = processes[-1:]  # the first may see the files of the host
    held = sum(_inode_bytes(f"/proc/{process}/root{path}", path) for process in scratch for path in _SCRATCH)
    return sum(map(_process_usage, processes), Usage(held))


def _process_usage(process: int) -> Usage:
    """Return what `process` uses, pages that it shares with others included; nothing if it is gone.

    What the kernel holds for sockets and pipes cannot be seen, so many descriptors count as if all were full.
    """
    try:
        status = read(f"/proc/{process}/status")
        descriptors = len(os.listdir(f"/proc/{process}/fd"))  # noqa: PTH208  # a third of the time
    except OSError:
        return Usage()
    kernel = _DESCRIPTOR_BYTES * max(descriptors - _FREE_DESCRIPTORS, 0)
    return Usage(kernel + 1024 * sum(map(int, _OWN_MEMORY.findall(status))), sum(map(int, _THREADS.findall(status))))


def _inode_bytes(folder: str, folder_of_host: str) -> int:
    """Return what the kernel holds for files and folders in a scratch space, full or empty.

    Nothing where that space is the host's own, or its process is gone.
    """
    try:
        if os.stat(folder).st_dev == os.stat(folder_of_host).st_dev:  # noqa: PTH116  # as `read`
            return 0
        about = os.statvfs(folder)
    except OSError:
        return 0
    return _FILE_BYTES * (about.f_files - about.f_ffree)


@dataclass(frozen=True, slots=True)
class _Process:
    """A process of a bot."""

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
        self._families: dict[int, list[int]] = {}
        self._others: set[int] = set()

    def add(self, root: int) -> None:
        """Add `root`, which was just started, and what descends from it."""
        _, born = parent_and_birth(root)
        self._bots[root] = _Process(root, born)
        self._families[root] = [root]
        self._others.discard(root)

    def remove(self, root: int) -> None:
        """Remove `root` and what descends from it."""
        for process in self._families.pop(root, ()):
            del self._bots[process]

    def refresh(self) -> None:
        """Find out which processes exist now."""
        if not self._bots:
            self._others.clear()
            return
        alive = {int(name) for name in os.listdir("/proc") if name.isdecimal()}  # noqa: PTH208  # a third of the time
        self._others &= alive
        for gone in self._bots.keys() - alive:
            if (root := self._bots[gone].root) != gone:
                self._families[root].remove(gone)
                del self._bots[gone]
        new = alive - self._others - self._bots.keys()
        while new:
            self._place(new.pop(), new)

    def family(self, root: int) -> list[int]:
        """Return `root` and all that descends from it, as far as it was seen, those found last at the end."""
        return list(self._families.get(root, ()))

    def kill(self, root: int) -> None:
        """Kill what descends from `root`, as far as it was seen, also just now."""
        self.refresh()
        for process in self.family(root):
            if process != root and parent_and_birth(process)[1] == self._bots[process].born:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)

    def _place(self, process: int, new: set[int]) -> None:
        """Find out whose a new process is, and first whose its parent is, if that is among the `new` ones too."""
        parent, born = parent_and_birth(process)
        if parent in new:
            new.remove(parent)
            self._place(parent, new)
        if parent in self._bots:
            root = self._bots[parent].root
            self._bots[process] = _Process(root, born)
            self._families[root].append(process)
        else:
            self._others.add(process)


def read(file: str) -> bytes:
    """Return what a small file of the kernel says, in a third of the time that paths take.

    Raises:
        OSError: if it is gone.
    """
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return os.read(descriptor, _FILE_OF_KERNEL_BYTES)
    finally:
        os.close(descriptor)


def parent_and_birth(process: int) -> tuple[int, int]:
    """Return the parent of `process`, and the ticks from the boot to its start; 0 and 0 if it is gone."""
    try:
        words = read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        return int(words[1]), int(words[19])
    except (OSError, IndexError, ValueError):
        return 0, 0
