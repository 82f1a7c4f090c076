"""The pool of deals: gives every match of a deal a lane, and hands the results out together."""

from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Unpack

from beanleague.model import Node, PlayedDeal, PlayedMatch
from beanleague.referee import messages
from beanleague.referee.host import MOST_PROCESSES, WorkerRoom, check_cpu, fit
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.this_node import this_node


@dataclass(slots=True)
class _Begun:
    """Where a deal is."""

    task: messages.DealTask
    waiting: deque[tuple[int, messages.MatchTask]]
    """Rotations not begun yet, and their matches."""
    played: dict[int, PlayedMatch] = field(default_factory=dict)
    """By rotation."""


class DealPool(AbstractContextManager["DealPool"]):
    """Plays deals in `pool`, which plays matches. Use it from one thread only.

    No two matches of a deal that share a bot share a lane, and a deal that was void gets new lanes, whose processes
    know nothing of it: so no bot process sees a deal twice.

    With `isolate` deals are played in rounds: one match of each, and the next when all of these are over. So no process
    of a bot can tell a process in another match of a deal anything, directly or through a third.

    `node`: this machine, as it is called in results.
    """

    nodes = None
    remarks = ()

    def __init__(self, pool: WorkerPool, *, isolate: bool = False, node: Node | None = None) -> None:
        self._pool = pool
        self._node = node or this_node()
        self._isolate = isolate
        self._ids = count()
        self._next_lane = 0
        self.unfinished = 0
        self._deals: dict[int, _Begun] = {}  # by number
        self._playing: dict[int, tuple[_Begun, int]] = {}  # by match: its deal and rotation

    @property
    def capacity(self) -> int:
        """How many matches it plays at once."""
        return self._pool.capacity

    def admit(self, bots: Sequence[messages.BotSpec]) -> bool:
        """Take in more bots, as `WorkerPool.admit` does."""
        return self._pool.admit(bots)

    def submit(self, task: messages.DealTask) -> None:
        """Begin a deal; with `isolate` it waits for the next round."""
        lanes = self._pool.lanes(task.repeats)
        first, others = self._next_lane, lanes * task.voids
        # The workers have equally much to do: all the time, or with `isolate` in each round.
        self._next_lane += 1 if self._isolate else len(task.matches)
        matches = (
            replace(match, id=next(self._ids), lane=(first + rotation) % lanes + others)
            for rotation, match in enumerate(task.matches)
        )
        deal = self._deals[task.number] = _Begun(task, deque(enumerate(matches)))
        self.unfinished += len(deal.waiting)
        while deal.waiting and not self._isolate:
            self._begin(deal)

    def poll(self, timeout: float) -> list[messages.DealReport]:
        """Wait up to `timeout` seconds for a report, and return all that have come.

        Raises:
            OSError: if a worker cannot be started, after some waiting.
        """
        if not self._playing:
            for deal in self._deals.values():
                self._begin(deal)
        reports: list[messages.DealReport] = []
        for report in self._pool.poll(timeout):
            if not isinstance(report, PlayedMatch | messages.VoidMatch):
                reports.append(report)
                continue
            deal, rotation = self._playing.pop(report.id)
            number = deal.task.number
            self.unfinished -= 1
            if self._deals.get(number) is not deal:  # void, as was reported
                continue
            if isinstance(report, messages.VoidMatch):
                self.unfinished -= len(deal.waiting)  # these are not begun
                del self._deals[number]
                reports.append(
                    messages.VoidDeal(number, report.why, report.killed, report.host, self._node, over=len(deal.played))
                )
                continue
            reports.append(report)
            deal.played[rotation] = report
            if len(deal.played) == len(deal.task.matches):
                del self._deals[number]
                matches = tuple(deal.played[rotation] for rotation in range(len(deal.played)))
                reports.append(PlayedDeal(number, deal.task.matches[0].seed, matches, self._node))
        return reports

    def _begin(self, deal: _Begun) -> None:
        """Play the next match of a deal."""
        rotation, match = deal.waiting.popleft()
        self._playing[match.id] = (deal, rotation)
        self._pool.submit(match)

    def close(self) -> list[messages.BotLog]:
        """End every bot; return what they wrote since the last poll."""
        return self._pool.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def start_workers(
    bots: Sequence[messages.BotSpec],
    limits: messages.Limits,
    *,
    layers: Sequence[Layer] = CONFINING,
    **settings: Unpack[messages.PoolSettings],
) -> DealPool:
    """Start a pool of deals that are played in worker processes on this machine. `layers`: as of `WorkerPool`.

    Raises:
        OSError, NeedsError, SandboxError: as of `messages.StartPool`.
    """
    workers, isolate, fresh = settings["workers"], settings.get("isolate", False), settings.get("fresh", False)
    check_cpu(settings.get("cpu", ""))
    room = room_of(settings)
    pool = WorkerPool(
        bots,
        limits,
        workers=workers,
        in_flight=room.in_flight,
        processes=room.processes,
        fresh=fresh,
        isolate=isolate,
        cpus=settings.get("cores", frozenset()),
        layers=layers,
    )
    return DealPool(pool, isolate=isolate)


def room_of(settings: messages.PoolSettings) -> WorkerRoom:
    """Return what each worker of a pool with these settings may do on this host.

    Raises:
        NeedsError: as of `start_workers`.
    """
    if "load" not in settings:
        return WorkerRoom(settings["in_flight"] or 1, MOST_PROCESSES)
    fresh = settings.get("fresh", False) or settings.get("isolate", False)
    return fit(settings["load"], settings["workers"], settings["in_flight"], fresh=fresh)
