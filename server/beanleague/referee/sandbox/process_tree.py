"""Tree of the bots' processes on the host, and their usage of memory and threads."""

import contextlib
import os
import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass

# Pages of files are not counted: they belong to the host, and all bots share them.
_OWN_MEMORY = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap|VmPTE):\s*(\d+)", re.MULTILINE)
_THREADS = re.compile(rb"^Threads:\s*(\d+)", re.MULTILINE)
_DESCRIPTOR_BYTES = 256 * 2**10  # maximum kernel memory of a socket, if its buffers cannot be enlarged
_FREE_DESCRIPTORS = 24  # descriptors of an ordinary program, which count as empty
_FILE_OF_KERNEL_BYTES = 2**16
_FILE_BYTES = 2**11  # kernel memory of a file in a tmpfs, without its contents
_SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108  # in the namespace of a bot


@dataclass(frozen=True, slots=True)
class Usage:
    """Resource usage of one or several processes."""

    memory: int = 0
    """Memory in bytes."""
    threads: int = 0
    """Number of threads of all these processes."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.memory + other.memory, self.threads + other.threads)


def usage_of(processes: Sequence[int]) -> Usage:
    """Return the usage of a bot's processes, the youngest last; shared pages count for each process."""
    scratch = processes[-1:]  # the first process may see the host's files
    held = sum(_inode_bytes(f"/proc/{process}/root{path}", path) for process in scratch for path in _SCRATCH)
    return sum(map(_process_usage, processes), Usage(held))


def _process_usage(process: int) -> Usage:
    """Return the usage of `process`, including shared pages; zero if the process has ended.

    The kernel does not report the memory of sockets and pipes, so descriptors beyond the ordinary number count as full.
    """
    try:
        status = read(f"/proc/{process}/status")
        descriptors = len(os.listdir(f"/proc/{process}/fd"))  # noqa: PTH208  # a third of the time
    except OSError:
        return Usage()
    kernel = _DESCRIPTOR_BYTES * max(descriptors - _FREE_DESCRIPTORS, 0)
    return Usage(kernel + 1024 * sum(map(int, _OWN_MEMORY.findall(status))), sum(map(int, _THREADS.findall(status))))


def _inode_bytes(folder: str, folder_of_host: str) -> int:
    """Return the kernel memory of the files and folders in a scratch space, without their contents.

    Returns 0 if `folder` is the host's own, or the process has ended.
    """
    try:
        if os.stat(folder).st_dev == os.stat(folder_of_host).st_dev:  # noqa: PTH116  # faster
            return 0
        about = os.statvfs(folder)
    except OSError:
        return 0
    return _FILE_BYTES * (about.f_files - about.f_ffree)


@dataclass(frozen=True, slots=True)
class _Process:
    """A process of a bot."""

    root: int
    """Process id of the added process from which this one descends."""
    born: int
    """Start time in ticks since boot; it distinguishes the process from a later one with the same id."""


class ProcessTree:
    """Added processes and their descendants, as of the last `refresh`, which is due every few tens of ms.

    A refresh reads the parents of new processes only. This is cheap, and correct only for new ones, since the kernel
    reuses the ids of ended processes.
    """

    def __init__(self) -> None:
        self._bots: dict[int, _Process] = {}
        self._families: dict[int, list[int]] = {}
        self._others: set[int] = set()

    def add(self, root: int) -> None:
        """Add `root`, a new process, and follow its future descendants."""
        _, born = parent_and_birth(root)
        self._bots[root] = _Process(root, born)
        self._families[root] = [root]
        self._others.discard(root)

    def remove(self, root: int) -> None:
        """Remove `root` and its descendants."""
        for process in self._families.pop(root, ()):
            del self._bots[process]

    def refresh(self) -> None:
        """Update the tree to the processes that exist now."""
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
        """Return `root` and its known descendants, in the order of discovery."""
        return list(self._families.get(root, ()))

    def kill(self, root: int) -> None:
        """Refresh, then kill the known descendants of `root`."""
        self.refresh()
        for process in self.family(root):
            if process != root and parent_and_birth(process)[1] == self._bots[process].born:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)

    def _place(self, process: int, new: set[int]) -> None:
        """Assign a new process to the root of its parent; if the parent is in `new`, assign that first."""
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
    """Return the contents of a small file in /proc, in a third of the time of `Path.read_bytes`.

    Raises:
        OSError: if the file does not exist, e.g. because its process has ended.
    """
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return os.read(descriptor, _FILE_OF_KERNEL_BYTES)
    finally:
        os.close(descriptor)


def parent_and_birth(process: int) -> tuple[int, int]:
    """Return the parent of `process`, and the ticks from the boot to its start; 0 and 0 if it has ended."""
    try:
        words = read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        return int(words[1]), int(words[19])
    except (OSError, IndexError, ValueError):
        return 0, 0
