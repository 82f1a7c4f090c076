"""What the host gives up for a process: its own memory, what the kernel keeps for it, and its threads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
# Pages of files are the host's, and shared by all bots.
_OWN_MEMORY = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
_DESCRIPTOR_BYTES = 256 * 2**10  # the kernel may hold for a socket, where its buffers cannot be enlarged
_FREE_DESCRIPTORS = 24  # of a process: as many as usual programs have, which count as empty
_FILE_BYTES = 2**11  # that the kernel holds for a file of a tmpfs, besides what is in it
_SCRATCH = ("tmp", "dev/shm")


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or several processes use."""

    memory: int = 0
    """Bytes."""
    threads: int = 0
    """Of all processes together."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.memory + other.memory, self.threads + other.threads)


def process_usage(process: int) -> Usage:
    """Return what `process` uses, pages that it shares with others included; nothing if it is gone.

    What the kernel holds for sockets and pipes cannot be seen, so many descriptors count as if all were full.
    """
    try:
        lines = (_PROC / str(process) / "status").read_bytes().splitlines()
        descriptors = len(os.listdir(_PROC / str(process) / "fd"))  # noqa: PTH208  # a third of the time
    except OSError:
        return Usage()
    kernel = _DESCRIPTOR_BYTES * max(descriptors - _FREE_DESCRIPTORS, 0)
    own = 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(_OWN_MEMORY))
    return Usage(kernel + own, sum(int(line.split()[1]) for line in lines if line.startswith(b"Threads:")))


def scratch_usage(process: int) -> Usage:
    """Return what the kernel holds for files and folders in the scratch space of `process`, full or empty.

    Nothing where that space is the host's own, or `process` is gone.
    """
    return Usage(sum(_inode_bytes(_PROC / str(process) / "root" / path, Path("/", path)) for path in _SCRATCH))


def _inode_bytes(folder: Path, folder_of_host: Path) -> int:
    try:
        if folder.stat().st_dev == folder_of_host.stat().st_dev:
            return 0
        about = os.statvfs(folder)
    except OSError:
        return 0
    return _FILE_BYTES * (about.f_files - about.f_ffree)
