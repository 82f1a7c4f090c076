"""What the host gives up for a process: its own memory, what the kernel holds for it, and its threads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
# Pages of files are the host's, and shared by all bots.
_OWN = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
_OF_A_DESCRIPTOR = 256 * 2**10  # bytes that the kernel may hold for a socket, where its buffers cannot be enlarged
_USUAL_DESCRIPTORS = 24  # of a process; what those hold is not counted
_OF_A_FILE = 2**11  # bytes that the kernel holds for a file of a tmpfs, besides what is in it
_SCRATCH = ("tmp", "dev/shm")


@dataclass(frozen=True, slots=True)
class Held:
    """What processes hold: `memory` in bytes, and how many `threads` they have in all."""

    memory: int = 0
    threads: int = 0

    def __add__(self, other: Held) -> Held:
        return Held(self.memory + other.memory, self.threads + other.threads)


def held(process: int) -> Held:
    """Return what `process` holds; pages that it shares with others count. Nothing if it is gone.

    What the kernel holds for sockets and pipes cannot be seen, so many descriptors count as if all were full.
    """
    try:
        lines = (_PROC / str(process) / "status").read_bytes().splitlines()
        descriptors = len(os.listdir(_PROC / str(process) / "fd"))  # noqa: PTH208  # a third of the time
    except OSError:
        return Held()
    kernel = _OF_A_DESCRIPTOR * max(descriptors - _USUAL_DESCRIPTORS, 0)
    own = 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(_OWN))
    return Held(kernel + own, sum(int(line.split()[1]) for line in lines if line.startswith(b"Threads:")))


def held_for_files(process: int) -> Held:
    """Return what the kernel holds for files and folders in the scratch space of `process`, full or empty.

    Nothing where that is the host's own, or `process` is gone.
    """
    return Held(sum(_files(_PROC / str(process) / "root" / place, Path("/", place)) for place in _SCRATCH))


def _files(folder: Path, of_the_host: Path) -> int:
    try:
        if folder.stat().st_dev == of_the_host.stat().st_dev:
            return 0
        about = os.statvfs(folder)
    except OSError:
        return 0
    return _OF_A_FILE * (about.f_files - about.f_ffree)
