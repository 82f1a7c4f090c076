"""Who is to blame when a bot process is killed, or when the host is short of something: that bot, another, or the host.

A bot can kill itself as if somebody else had done it, and can use up what it shares with others. An outcome that it
chooses in such a way must not be better than its crash.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import attrgetter

from beanleague.referee.host import Shortage
from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.process_tree import Usage, read

_UNEXPLAINED_KILLS = 1  # of a bot in a worker that void a match; somebody on the host may have killed it
_EXPLAINED_KILLS = 4  # likewise, where the kernel killed for memory: seldom on a host with enough
_HOARDED_SHARE = 0.5  # of its limit, which a bot has to use to be blamed for a shortage
_HOARDED_FACTOR = 4.0  # times what any other bot uses, likewise

Held = Mapping[int, Sequence[Usage]]
"""What each process of each bot uses."""


class Blame:
    """What a worker remembers of its bots. `limits`: of each. `held`: returns what they were last seen to use.

    `look`: sees whether the host is short of something, and tells the bots that may need it. `suspects`: those on whose
    account a match was void.
    """

    def __init__(
        self, limits: Limits, held: Callable[[], Held] = dict, look: Callable[[], None] = lambda: None
    ) -> None:
        self._limits = limits
        self._held = held
        self.look = look
        self._kills: Counter[tuple[int, bool]] = Counter()
        self.suspects: set[int] = set()

    def forgives_kill(self, bot: int, *, explained: bool) -> bool:
        """Count a SIGKILL of a process of `bot`; return whether its matches are void, else it counts as a crash.

        `explained`: whether the kernel is known to have killed for memory.
        """
        self._kills[bot, explained] += 1
        return self._kills[bot, explained] <= (_EXPLAINED_KILLS if explained else _UNEXPLAINED_KILLS)

    def hoarders(self, shortage: Shortage) -> frozenset[int]:
        """Return the bots that hold most of what is short."""
        return hoarders(shortage, self._held(), self._limits)

    def suspect(self, shortage: Shortage) -> frozenset[int]:
        """Return the bots that hold most of what somebody else failed for the want of, and remember them."""
        found = self.hoarders(shortage)
        self.suspects |= found
        return found

    def is_hoarder(self, bot: int, shortage: Shortage, own: Usage) -> bool:
        """Return whether `bot` holds most of what is short. `own`: what a process of it used, which may have ended."""
        held = dict(self._held())
        held[bot] = [*held.get(bot, ()), own]
        return bot in hoarders(shortage, held, self._limits)


def hoarders(shortage: Shortage, held: Held, limits: Limits) -> frozenset[int]:
    """Return the bots that may have caused a shortage, none if it is certain that none did.

    Each has a process that uses half of what it may, and four times as much as any process of the other bots. What bots
    cannot use up within their limits is never their fault: open files, which cost memory, and disk space, which they
    have none of.
    """
    match shortage:
        case Shortage.PROCESSES:
            used, limit = attrgetter("threads"), limits.processes
        case Shortage.MEMORY:
            used, limit = attrgetter("memory"), limits.memory_bytes
        case _:
            return frozenset()
    most = {bot: max(map(used, processes)) for bot, processes in held.items() if processes}
    suspects = {bot for bot, number in most.items() if number >= _HOARDED_SHARE * limit}
    others = most.keys() - suspects
    if not others:
        return frozenset()
    usual = max(most[bot] for bot in others)
    return frozenset(bot for bot in suspects if most[bot] >= _HOARDED_FACTOR * usual)


def oom_kills() -> int:
    """Return how many processes the kernel of this machine has killed for memory; 0 where it does not say."""
    with suppress(OSError, ValueError):
        words = read("/proc/vmstat").split()
        return int(words[words.index(b"oom_kill") + 1])
    return 0
