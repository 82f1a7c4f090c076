"""Pool of deals: assigns lanes to the matches of each deal, and returns their results together."""

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
    """A deal in progress."""

    task: messages.DealTask
    waiting: deque[tuple[int, messages.MatchTask]]
    """Matches that have not begun, each with its rotation."""
    played: dict[int, PlayedMatch] = field(default_factory=dict)
    """Results by rotation."""


class DealPool(AbstractContextManager["DealPool"]):
    """Plays deals in `pool`, a pool of matches. Not thread-safe.

    Matches of a deal that share a bot never share a lane, and a void deal gets new lanes with new processes, so that no
    bot process sees a deal twice.

    With `isolate` deals are played in rounds: one match of each deal at a time, and the next round when all are over.
    Then no bot process can communicate with one in another match of the same deal, directly or through a third.

    `node`: description of this machine, for results.
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
        self._deals: dict[int, _Begun] = {}  # deals by number
        self._playing: dict[int, tuple[_Begun, int]] = {}  # deal and rotation by match

    @property
    def capacity(self) -> int:
        """Number of matches that can run at once."""
        return self._pool.capacity

    def admit(self, bots: Sequence[messages.BotSpec]) -> bool:
        """Accept more bots; see `WorkerPool.admit`."""
        return self._pool.admit(bots)

    def submit(self, task: messages.DealTask) -> None:
        """Begin a deal; with `isolate` in the next round."""
        lanes = self._pool.lanes(task.repeats)
        first, others = self._next_lane, lanes * task.voids
        # Balances the workers: at all times, or with `isolate` in each round.
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
        """Wait up to `timeout` seconds for reports and return them.

        Raises:
            OSError: if a worker cannot be started, after several attempts.
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
            if self._deals.get(number) is not deal:  # the deal is void and already reported
                continue
            if isinstance(report, messages.VoidMatch):
                self.unfinished -= len(deal.waiting)  # waiting matches will not begin
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
        """End all bots; return their logs since the last poll."""
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
    """Start a pool of deals in worker processes on this machine. `layers`: see `WorkerPool`.

    Raises:
        OSError, NeedsError, SandboxError: see `messages.StartPool`.
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
    """Return the resources of each worker of a pool with these settings on this host.

    Raises:
        NeedsError: see `start_workers`.
    """
    if "load" not in settings:
        return WorkerRoom(settings["in_flight"] or 1, MOST_PROCESSES)
    fresh = settings.get("fresh", False) or settings.get("isolate", False)
    return fit(settings["load"], settings["workers"], settings["in_flight"], fresh=fresh)
