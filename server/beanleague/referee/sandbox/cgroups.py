"""Control groups: the kernel's limits and accounts of a bot's processes together.

Groups are created next to the referee's own if permitted: in version 1 of the interface below its own, in each writable
hierarchy; in version 2, where a group with processes has no subgroups, below its parent. See cgroups(7). Empty groups
left by a killed referee are removed by the next one.
"""

import contextlib
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.process_tree import read
from beanleague.referee.temp_folders import PREFIX

CONTROLLERS = ("memory", "pids", "cpu", "cpuacct")
"""Controllers used for limits or counts. CPU time is counted in every group of version 2."""

OWN_PROCESSES = 3
"""Number of our own processes counted in a bot's group: bubblewrap's, and the shell that enters the group."""

_STALE_AFTER_S = 60.0  # seconds after which an empty group is abandoned: a group in use gets its first process at once
_SWAP = frozenset({"memory.swap.max", "memory.memsw.limit_in_bytes"})  # files missing in kernels that do not count swap
_KERNEL_BYTES = 32 * 2**20  # allowance for a bot's kernel memory: sockets, files, page tables
_KILL_FILES = ("memory.events", "memory.oom_control")
_HUGE_PAGE_BYTES = 2 * 2**20  # a group counts as full if one more page of this size does not fit
_NO_LIMIT = 2**60  # version 1 writes a number near 2 ** 63 for no limit
_PERIOD_US = 100_000  # period of the CPU quota; a bot's quota is one CPU
_ENTER = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 1; shift; done; shift; exec "$@"'


class GroupError(Exception):
    """Raised when a group cannot be created; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """Control group of a bot process: folders, one per hierarchy."""

    folders: tuple[Path, ...]
    """Folders of the group: in version 1 one per controller, in version 2 a single one."""
    _places: dict[str, Path] = field(default_factory=dict, repr=False, compare=False)
    """Cached folder of each file read before: a search through all folders takes four times as long."""

    def enter(self, words: list[str]) -> list[str]:
        """Return a command that enters the group and then runs `words`."""
        if not self.folders:
            return words
        entrances = (str(folder / "cgroup.procs") for folder in self.folders)
        return ["/bin/sh", "-c", _ENTER, "sh", *entrances, "--", *words]

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel killed a process of the group at the group's own memory limit."""
        return self._killed_for_memory() and self._was_full()

    def host_ran_out_of_memory(self) -> bool:
        """Return whether the kernel killed a process of the group because the machine, or a parent group, was full.

        The kernel counts the kill in the process's group, whichever group was full.
        """
        return self._killed_for_memory() and not self._was_full()

    @property
    def counts_kills(self) -> bool:
        """Whether the group counts kills for lack of memory."""
        return any(self._count(name, "oom_kill") is not None for name in _KILL_FILES)

    def _killed_for_memory(self) -> bool:
        return any(self._count(name, "oom_kill") for name in _KILL_FILES)

    def threads(self) -> int | None:
        """Return the current number of threads in the group, ours included; None if not counted."""
        return self._count("pids.current")

    def most_threads(self) -> int | None:
        """Return the peak number of threads in the group; None if the kernel does not count it."""
        return self._count("pids.peak")

    def refusals(self) -> int | None:
        """Return the number of threads and processes that the host refused; None if not counted.

        Version 1 counts a refusal in the group of the new thread, version 2 in the full group. The count of a group
        that reached its own limit includes refusals by that limit; then the result is 0.
        """
        if any((folder / "cgroup.controllers").exists() for folder in self.folders):
            return None
        refused, most, limit = self._count("pids.events", "max"), self.most_threads(), self._count("pids.max")
        if refused is None or most is None or limit is None:
            return None
        return refused if most < limit else 0

    def _was_full(self) -> bool:
        """Return whether the group has reached its own memory limit.

        In version 1 also True if the kernel could then reclaim memory, such as cached files.
        """
        for events in ("memory.events.local", "memory.events"):  # the first file exists since Linux 5.2
            if (full := self._count(events, "oom")) is not None:
                return full > 0
        # Kernels do not always count in failcnt. With swap accounting, the common limit is reached first.
        for kind in ("memory", "memory.memsw"):
            peak, limit = self._count(f"{kind}.max_usage_in_bytes"), self._count(f"{kind}.limit_in_bytes")
            if peak is not None and limit is not None and peak > limit - _HUGE_PAGE_BYTES:
                return True
        return False

    def _count(self, file: str, word: str = "") -> int | None:
        """Return the number in a file, or after `word` in it; None if missing."""
        known = self._places.get(file)
        for folder in (known,) if known else self.folders:
            if (number := _number(folder, file, word)) is not None:
                self._places[file] = folder
                return number
        return None

    def cpu_seconds(self) -> float | None:
        """Return the CPU time of all the group's processes, ended processes included; None if not counted."""
        if (nanoseconds := self._count("cpuacct.usage")) is not None:
            return nanoseconds / 1e9
        microseconds = self._count("cpu.stat", "usage_usec")
        return None if microseconds is None else microseconds / 1e6

    def processes(self) -> list[int]:
        """Return the ids of the group's processes; empty without a group."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                return sorted(map(int, read(f"{folder}/cgroup.procs").split()))
        return []

    def freeze(self, *, frozen: bool) -> bool:
        """Freeze or thaw the group's processes; return False in version 1.

        In version 1 a frozen process cannot be killed, and the referee may be killed before thawing it.
        """
        for folder in self.folders[:1]:  # in version 2 all controllers share one folder
            with contextlib.suppress(OSError), (folder / "cgroup.freeze").open("r+b", 0) as file:
                file.write(b"%d" % frozen)
                return True
        return False

    def remove(self) -> bool:
        """Remove the group; return False if one of its processes has not ended yet."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return not any(folder.exists() for folder in self.folders)


@dataclass(frozen=True, slots=True)
class ControlGroups:
    """Places where control groups can be created."""

    places: tuple[tuple[str, Path], ...] = ()
    """Controllers, each with the folder in which its groups are created."""
    unified: bool = False
    """Whether the groups are of version 2."""
    why_not: str = ""
    """Reason why no groups can be created, "" if they can."""

    @property
    def controllers(self) -> tuple[str, ...]:
        """Names of the controllers available for limits or counts."""
        return tuple(controller for controller, _ in self.places)

    @property
    def counts_cpu(self) -> bool:
        """Whether groups count the CPU time of their processes, ended processes included."""
        return bool(self.places) and (self.unified or "cpuacct" in self.controllers)

    @property
    def bound_usage(self) -> bool:
        """Whether the kernel enforces each bot's limits of memory, processes and threads at all times."""
        return {"memory", "pids"} <= set(self.controllers)

    def make(self, name: str, limits: Limits) -> ControlGroup:
        """Create the group `name`, which must be unique and begin with `PREFIX`.

        Raises:
            GroupError: the group cannot be created.
        """
        group = ControlGroup(tuple(dict.fromkeys(place / name for _, place in self.places)))
        try:
            for folder in group.folders:
                folder.mkdir()
            for controller, place in self.places:
                for file, value in _settings(controller, limits, unified=self.unified):
                    path = place / name / file
                    if file not in _SWAP or path.exists():
                        path.write_text(value, "ascii")
        except OSError as problem:
            group.remove()
            where = Path(problem.filename or "").parent
            raise GroupError(f"cannot create a control group in {where}: {problem.strerror}") from None
        return group

    def remove(self, name: str) -> bool:
        """Remove all groups with the name prefix `name`; see `ControlGroup.remove`."""
        folders = [folder for _, place in self.places for folder in place.glob(f"{name}*")]
        return ControlGroup(tuple(dict.fromkeys(folders))).remove()

    def sweep(self) -> None:
        """Remove groups left by killed referees."""
        for place in dict.fromkeys(place for _, place in self.places):
            for folder in place.glob(f"{PREFIX}*"):
                with contextlib.suppress(OSError):  # groups with processes cannot be removed
                    if time.time() - folder.stat().st_mtime > _STALE_AFTER_S:
                        folder.rmdir()


def find(limits: Limits) -> ControlGroups:
    """Return the places for groups, verified by creating and entering one."""
    try:
        mounts, own = _mounts_and_own()
    except OSError as problem:
        return ControlGroups(why_not=problem.strerror or str(problem))
    problems: list[str] = []
    for groups in (_places_v2(mounts, own), _by_hierarchy(mounts, own)):
        working = tuple(filter(None, (_working(groups, place, limits, problems) for place in groups.places)))
        if working:
            found = ControlGroups(working, groups.unified)
            found.sweep()
            return found
    return ControlGroups(
        why_not="; ".join(dict.fromkeys(problems)) or "the control group of this process has no controllers"
    )


def process_room() -> int | None:
    """Return how many more processes and threads the control groups of this process allow; None if unlimited.

    Container runtimes set this limit.
    """
    return min((max(left, 0) for left, _ in _rooms("pids.max", "pids.current")), default=None)


def memory_rooms() -> Iterator[tuple[int, int]]:
    """Yield the free and total bytes of each group of this process with a memory limit.

    Reclaimable file caches count as free.
    """
    yield from _rooms("memory.max", "memory.current", "inactive_file")
    yield from _rooms("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _rooms(most: str, used: str, kept: str = "") -> Iterator[tuple[int, int]]:
    """Yield the free and total amount for each group of this process with a limit.

    `most`, `used`: names of a group's files. `kept`: name in memory.stat of the reclaimable part.
    """
    for folder in _folders_with(most):
        limit, now = _number(folder, most), _number(folder, used)
        if limit is not None and now is not None and limit < _NO_LIMIT:
            yield limit - now + ((_number(folder, "memory.stat", kept) or 0) if kept else 0), limit


@cache
def _folders_with(file: str) -> tuple[Path, ...]:
    """Return the groups of this process, and their parents, that have a file of this name."""
    try:
        mounts, own = _mounts_and_own()
    except OSError:
        return ()
    folders = [folder for kind in ("cgroup2", "cgroup") for _, folder in _own_folders(mounts, own, kind)]
    places = (place for folder in folders for place in (folder, *folder.parents))
    return tuple(place for place in dict.fromkeys(places) if (place / file).exists())


def _mounts_and_own() -> tuple[str, str]:
    """Return the kernel's list of mounts, and of this process's groups."""
    mounts = Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
    return mounts, Path("/proc/self/cgroup").read_text("utf-8", "surrogateescape")


def _number(folder: Path, file: str, word: str = "") -> int | None:
    """Return the number in a group's file, or after `word` in it; None if missing, or for "max"."""
    with contextlib.suppress(OSError, ValueError):
        words = read(f"{folder}/{file}").split()
        return int(words[words.index(word.encode()) + 1 if word else 0])
    return None


def _working(
    groups: ControlGroups, place: tuple[str, Path], limits: Limits, problems: list[str]
) -> tuple[str, Path] | None:
    """Return `place` if a group can be created and entered there; else extend `problems` and return None."""
    try:
        group = ControlGroups((place,), groups.unified).make(f"{PREFIX}try-{os.getpid()}-{time.monotonic_ns()}", limits)
    except GroupError as problem:
        problems.append(str(problem))
        return None
    try:
        entered = subprocess.run(
            group.enter(["true"]), capture_output=True, encoding="utf-8", errors="replace", check=False
        )
    finally:
        group.remove()
    if entered.returncode:
        problems.append(entered.stderr.strip() or f"entering a control group failed with {entered.returncode}")
        return None
    return place


def _settings(controller: str, limits: Limits, *, unified: bool) -> Iterator[tuple[str, str]]:
    """Yield the files of a controller to write, with their contents."""
    if controller == "pids":
        yield "pids.max", str(limits.processes + OWN_PROCESSES)
    elif controller == "cpu" and unified:
        yield "cpu.max", f"{_PERIOD_US} {_PERIOD_US}"
    elif controller == "cpu":
        yield "cpu.cfs_period_us", str(_PERIOD_US)
        yield "cpu.cfs_quota_us", str(_PERIOD_US)
    elif controller == "memory":  # a worker stops a bot at its limit; this limit stops one that outruns the worker
        most = str(limits.memory_bytes + limits.scratch_bytes + _KERNEL_BYTES)
        yield "memory.max" if unified else "memory.limit_in_bytes", most
        yield ("memory.swap.max", "0") if unified else ("memory.memsw.limit_in_bytes", most)


def _places_v2(mounts: str, own: str) -> ControlGroups:
    """Return the places for groups of version 2: below the parent of this process's group, or below the root."""
    for _, folder in _own_folders(mounts, own, "cgroup2"):
        for place in (folder, folder.parent):
            with contextlib.suppress(OSError):
                given = (place / "cgroup.subtree_control").read_text("ascii").split()
                if places := tuple((controller, place) for controller in CONTROLLERS if controller in given):
                    return ControlGroups(places, unified=True)
    return ControlGroups(unified=True)


def _by_hierarchy(mounts: str, own: str) -> ControlGroups:
    """Return the places for groups of version 1: below this process's group in each hierarchy."""
    places = {}
    for names, folder in _own_folders(mounts, own, "cgroup"):
        places.update(dict.fromkeys(names, folder))
    return ControlGroups(tuple((controller, places[controller]) for controller in CONTROLLERS if controller in places))


def _own_folders(mounts: str, own: str, kind: str) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Yield the controllers of each mounted hierarchy of a kind, and this process's group folder in it."""
    paths = {}
    for line in own.splitlines():
        _, listed, path = line.split(":", 2)
        paths[frozenset(filter(None, listed.split(",")))] = path
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        root, mounted = before.split()[3:5]
        fstype, _, options = after.split(maxsplit=2)
        if fstype != kind:
            continue
        for names, path in paths.items():
            if names <= frozenset(options.split(",")) and bool(names) == (kind == "cgroup"):
                yield tuple(sorted(names)), Path(mounted, os.path.relpath(path, root))
