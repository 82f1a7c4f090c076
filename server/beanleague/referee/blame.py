"""Blame for killed processes and host shortages: the bot itself, another bot, or the host.

A bot can fake an outside kill, and can exhaust shared resources. Neither may give it a better outcome than a crash.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from operator import attrgetter
from pathlib import Path

from beanleague.referee.host import Shortage
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.process_tree import Usage, read

_REMEMBERED_S = 2.0  # seconds for which earlier use can be blamed: other bots fail only a moment after a shortage
_UNEXPLAINED_KILLS = 1  # kills without a known cause that may void matches of a run: a person may have killed the bot
# kills of a bot by the kernel, for lack of memory, that may void matches: rare on a host with enough memory
_EXPLAINED_KILLS = 4

# Honest programs take less than `_MANY` of the limit: on two cores, with our own threads, Python takes at most 13
# threads, Node.js 14 and a JVM 18; a JVM takes more on more cores. If half of the other bots take about as many, the
# host is too small.
_MANY = 0.7  # share of the limit of threads above which a bot can be blamed
_MANY_FACTOR = 1.5  # minimum multiple of the median of the other bots' processes
# If no bot exceeds `_MANY`, the bot that holds most is to blame, but only if it holds far more than is usual in this
# run.
_HOARDED = 0.5  # share of the limit, in one process, above which a bot can be blamed
_HOARDED_FACTOR = 4.0  # minimum multiple of the other bots' median, with all processes of a bot added up

Held = Mapping[int, Sequence[Usage]]
"""Resources held by each process, by bot."""


@dataclass(slots=True)
class _Looks:
    """Measured usage of one bot process over time."""

    bot: int
    seen: deque[tuple[float, Usage]] = field(default_factory=deque)

    def forget(self, before: float) -> None:
        """Drop measurements before a time, except the last."""
        while len(self.seen) > 1 and self.seen[0][0] < before:
            self.seen.popleft()

    def most(self, since: float) -> Usage:
        """Return the maximum usage since a time, or in the last measurement."""
        self.forget(since)
        used = [usage for _, usage in self.seen]
        return Usage(max(usage.memory for usage in used), max(usage.threads for usage in used))


class Holdings:
    """Peak usage of bot processes in the last `_REMEMBERED_S` seconds, including processes that have ended since.

    Processes are identified by any hashable value. `now`: returns the time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._looks: dict[object, _Looks] = {}
        self._ended: deque[tuple[float, object]] = deque()  # ended processes by the time of their end

    def saw(self, process: object, bot: int, usage: Usage) -> None:
        """Record the current resource use of a process of `bot`."""
        looks = self._looks.setdefault(process, _Looks(bot))
        now = self._now()
        looks.seen.append((now, usage))
        looks.forget(now - _REMEMBERED_S)

    def ended(self, process: object) -> None:
        """Record the end of a process; its usage counts for a moment longer."""
        self._forget()
        if process in self._looks:
            self._ended.append((self._now(), process))

    def by_bot(self) -> dict[int, list[Usage]]:
        """Return the resource use of each process, by bot."""
        self._forget()
        since = self._now() - _REMEMBERED_S
        held: dict[int, list[Usage]] = {}
        for looks in self._looks.values():
            held.setdefault(looks.bot, []).append(looks.most(since))
        return held

    def _forget(self) -> None:
        """Forget processes that ended long ago."""
        while self._ended and self._ended[0][0] < self._now() - _REMEMBERED_S:
            self._looks.pop(self._ended.popleft()[1], None)


class Register:
    """Facts about bots, shared by a run's workers on one host as files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder  # folder created with the first file

    def forgives_kill(self, bot: int, *, explained: bool) -> bool:
        """Count a SIGKILL of a process of `bot`; return True for void matches, False for a crash.

        `explained`: whether the kernel is known to have killed for memory.
        """
        kind, most = ("explained", _EXPLAINED_KILLS) if explained else ("kill", _UNEXPLAINED_KILLS)
        return any(self._write(f"{bot}-{kind}-{number}") for number in range(most))

    def bar(self, bot: int) -> None:
        """Bar `bot`: none of its processes is started any more."""
        self._write(f"{bot}-barred")

    def is_barred(self, bot: int) -> bool:
        """Return whether `bot` is barred."""
        return (self._folder / f"{bot}-barred").exists()

    def note_lack(self, shortage: Shortage) -> None:
        """Record that a bot failed just now because of a shortage."""
        name = f"lack-{shortage.name}"
        if not self._write(name):
            os.utime(self._folder / name)

    def lacked_lately(self, shortage: Shortage) -> bool:
        """Return whether a bot of any worker failed because of this shortage in the last `_REMEMBERED_S` seconds."""
        with suppress(OSError):
            return time.time() - (self._folder / f"lack-{shortage.name}").stat().st_mtime < _REMEMBERED_S
        return False

    def _write(self, name: str) -> bool:
        """Create a file; return True to exactly one worker, the one that created it."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        try:
            (self._folder / name).touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            return False
        return True


class Blame:
    """Judges a worker's bots. `limits`: limits of each bot. `register`: facts shared with other workers.

    `look`: function that measures all bots and the host, and warns the bots that a shortage may hit. `suspects`: bots
    that caused void matches. `now`: returns the time in seconds.
    """

    def __init__(
        self,
        limits: Limits,
        register: Register,
        look: Callable[[], None] = lambda: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self.register = register
        self.look = look
        self.holdings = Holdings(now)
        self.suspects: set[int] = set()

    def hoarders(self, shortage: Shortage) -> frozenset[int]:
        """Return the bots that hold most of a short resource, or did so a moment ago."""
        return hoarders(shortage, self.holdings.by_bot(), self._limits)

    def suspect(self, shortage: Shortage) -> frozenset[int]:
        """Record and return the bots that hold most of a resource whose shortage made another bot fail.

        A bot that is suspected repeatedly is barred, since each time other bots lose a match.
        """
        self.register.note_lack(shortage)
        found = self.hoarders(shortage)
        for bot in found & self.suspects:
            self.register.bar(bot)
        self.suspects |= found
        return found

    def condemned(self, shortage: Shortage) -> frozenset[int]:
        """Return the bots to end while the host is short: hoarders that made other bots fail, in any worker."""
        hoarding = self.hoarders(shortage)
        return hoarding if self.register.lacked_lately(shortage) else hoarding & self.suspects

    def is_hoarder(self, bot: int, shortage: Shortage) -> bool:
        """Return whether `bot` holds most of a short resource, or did so a moment ago."""
        return bot in self.hoarders(shortage)


def hoarders(shortage: Shortage, held: Held, limits: Limits) -> frozenset[int]:
    """Return the bots that may have caused a shortage; empty if no bot can have.

    Resources that bots cannot exhaust within their limits are never their fault: open files cost memory, and bots have
    no disk space.
    """
    match shortage:
        case Shortage.PROCESSES:
            used, limit, many = attrgetter("threads"), limits.processes, _MANY * limits.processes
        case Shortage.MEMORY:  # honest programs may take any amount of memory
            used, limit, many = attrgetter("memory"), limits.memory_bytes, inf
        case _:
            return frozenset()
    most = {bot: max(map(used, processes)) for bot, processes in held.items() if processes}
    if found := frozenset(_far_above_others(most, many, _MANY_FACTOR)):
        return found
    total = {bot: sum(map(used, held[bot])) for bot in most}
    top = max(total.values(), default=0)
    return frozenset(
        bot
        for bot in _far_above_others(total, 0, _HOARDED_FACTOR)
        if total[bot] == top and most[bot] >= _HOARDED * limit
    )


def _far_above_others(numbers: Mapping[int, int], least: float, factor: float) -> Iterator[int]:
    """Yield the bots with at least `least`, and `factor` times the median of the others; none without other bots.

    A hoarder could be hidden only by half of all other bots, if they hold as much.
    """
    if len(numbers) > 1:
        # lower median of the other bots if this bot is above it
        usual = sorted(numbers.values())[len(numbers) // 2 - 1]
        yield from (bot for bot, number in numbers.items() if number >= max(least, factor * usual) and number > usual)


def oom_kills() -> int:
    """Return the number of processes killed by this machine's kernel for lack of memory; 0 if unknown."""
    with suppress(OSError, ValueError):
        words = read("/proc/vmstat").split()
        return int(words[words.index(b"oom_kill") + 1])
    return 0
