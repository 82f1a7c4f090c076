"""What an isolated league needs: bots and all that they read in memory, under a layer that can show them that."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from beanleague.referee.messages import BotSpec, Limits
from beanleague.referee.sandbox.launch import Sandbox
from beanleague.referee.sandbox.layers import Layer, SandboxError
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.sandbox.runtime import copy_bundle, copy_runtime
from beanleague.referee.temp_folders import MEMORY, TempFolder

_MIN_MIB = 512  # an interpreter with a few packages takes 300 MiB


def why_not_isolated(limits: Limits) -> str:
    """Return why leagues cannot be isolated on this machine, "" if they can."""
    if why := examine(Layer.BUBBLEWRAP, limits).why_not:
        return f"{Layer.BUBBLEWRAP} does not work: {why}"
    if not _is_tmpfs(MEMORY):
        return f"no tmpfs is mounted at {MEMORY}"
    if (free := _free_mib()) < _MIN_MIB:
        return (
            f"a copy of all that bots read takes at least {_MIN_MIB} MiB of memory, and {MEMORY} has {free} MiB "
            "left; free memory, or make it larger (with Docker: --shm-size 2g)"
        )
    return ""


@contextmanager
def held_in_memory(bots: Sequence[BotSpec], limits: Limits) -> Iterator[tuple[Sandbox, tuple[BotSpec, ...]]]:
    """Give a sandbox with a copy of the runtime in memory, and the bots with copies of their bundles.

    The copies are removed at the end; if this process is killed, by the next that makes a `TempFolder`.

    Raises:
        SandboxError: if that is not possible on this machine; the message says why.
    """
    sandbox = examine(Layer.BUBBLEWRAP, limits).sandbox
    why = why_not_isolated(limits)
    if why or sandbox is None:
        raise SandboxError(f"this league is isolated, which is not possible here: {why}. See 'beanleague doctor'")
    with TempFolder(MEMORY) as folder:
        runtime = folder.path / "runtime"
        runtime.mkdir()
        installed = sorted({bot.packages for bot in bots} - {""})
        programs = {bot.command[0] for bot in bots} - {"python"}
        copy_runtime(runtime, sandbox.readable, programs, map(Path, installed))
        copies = [copy_bundle(Path(bot.folder), folder.path / f"bot{bot.version}") for bot in bots]
        packages = {
            name: str(copy_bundle(Path(name), folder.path / f"packages{number}"))
            for number, name in enumerate(installed)
        }
        yield (
            replace(sandbox, runtime=runtime),
            tuple(
                replace(bot, folder=str(copy), packages=packages.get(bot.packages, ""))
                for bot, copy in zip(bots, copies, strict=True)
            ),
        )


def _is_tmpfs(folder: Path) -> bool:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    return any(words[1:3] == [str(folder), "tmpfs"] for words in mounts)


def _free_mib() -> int:
    """Return how much fits into `MEMORY`, and into the machine's memory."""
    lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    available = next((int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), 0) // 2**10
    return min(shutil.disk_usage(MEMORY).free // 2**20, available)
