"""What a node reports of the deals that it plays, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence

from beanleague.league.run.cluster.orders import Play, Reports
from beanleague.referee.messages import BotLog, DealResult

_PROGRESS = 4  # times as long as a result waits: between reports that only say how many matches are over


class Reporting:
    """Groups what there is to say to a runner about the deals of one pool. Times are seconds of any clock."""

    def __init__(self) -> None:
        self._matches: dict[int, int] = {}  # of deals that are not over, by number
        self._all = 0  # of them together
        self._reports: list[DealResult | BotLog] = []
        self._report_s = 0.0
        self._due = math.inf
        self._said = 0  # matches that are over, of deals that are not
        self._last = -math.inf  # when that was

    def begin(self, order: Play) -> None:
        """Take in that deals begin."""
        self._report_s = order.report_s
        for task in order.tasks:
            self._matches[task.number] = len(task.matches)
            self._all += len(task.matches)

    def add(self, reports: Sequence[DealResult | BotLog], now: float) -> None:
        """Take in results and what bots wrote."""
        if reports and not self._reports:
            self._due = now + self._report_s
        self._reports += reports
        for report in reports:
            if isinstance(report, DealResult):
                self._all -= self._matches.pop(report.number, 0)

    def due_in(self, now: float) -> float:
        """Return how long what there is to say may still wait for more, in seconds."""
        return max(self._due - now, 0.0) if self._reports else math.inf

    def message(self, unfinished: int, now: float) -> Reports | None:
        """Return what has to be said now, None if it can wait. `unfinished`: matches that the pool has to play."""
        partial = max(self._all - unfinished, 0)
        if self._reports:
            due = now >= self._due or not unfinished
        else:
            due = partial != self._said and now >= self._last + _PROGRESS * self._report_s
        if not due:
            return None
        message = Reports(self._reports, partial)
        self._reports, self._said, self._last = [], partial, now
        return message
