"""Limits of each caller: a rate of calls with bursts (a token bucket), and a number of concurrent calls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

import grpc

from beanleague.service.access import Cost
from beanleague.service.errors import RefusedCallError

_MAX_ACCOUNTS = 4096  # beyond that, those with their full allowance are dropped


@dataclass(frozen=True, slots=True)
class Allowance:
    """The limits of a caller."""

    rate: float
    """Calls per second in the long run."""
    burst: int
    """Calls at once after a pause."""
    open: int
    """Concurrent calls."""


ALLOWANCES = MappingProxyType(
    {
        Cost.READ: Allowance(rate=20, burst=100, open=16),
        Cost.WORK: Allowance(rate=1, burst=30, open=4),  # a trial takes seconds of a core
        Cost.RUN: Allowance(rate=0.5, burst=10, open=4),
        Cost.TABLE: Allowance(rate=0.5, burst=10, open=2),
    }
)
"""The limits of each caller of a server."""


@dataclass(slots=True)
class _Account:
    left: float
    seen: float
    open: int = 0


class Throttle:
    """Admits calls within `allowances`; calls whose cost has no allowance are not limited. `clock`: seconds."""

    def __init__(self, allowances: Mapping[Cost, Allowance], clock: Callable[[], float] = time.monotonic) -> None:
        self._allowances = allowances
        self._clock = clock
        self._lock = threading.Lock()
        self._accounts: dict[tuple[str, Cost], _Account] = {}

    @contextmanager
    def admit(self, who: str, cost: Cost) -> Iterator[None]:
        """Admit a call, which lasts as long as this context.

        Raises:
            RefusedCallError: if `who` makes too many calls; it says how long to wait.
        """
        allowance = self._allowances.get(cost)
        if allowance is None:
            yield
            return
        account = self._enter(who, cost, allowance)
        try:
            yield
        finally:
            with self._lock:
                account.open -= 1

    def _enter(self, who: str, cost: Cost, allowance: Allowance) -> _Account:
        with self._lock:
            now = self._clock()
            account = self._account(who, cost, now)
            if account.open >= allowance.open:
                raise _refused(f"too many concurrent calls of this kind ({account.open}); wait for one to finish", None)
            account.left = min(allowance.burst, account.left + (now - account.seen) * allowance.rate)
            account.seen = now
            if account.left < 1:
                wait = (1 - account.left) / allowance.rate
                raise _refused(f"you have made too many calls; try again in {max(wait, 0.1):.1f} seconds", wait)
            account.left -= 1
            account.open += 1
            return account

    def _account(self, who: str, cost: Cost, now: float) -> _Account:
        known = self._accounts.get((who, cost))
        if known is None:
            if len(self._accounts) >= _MAX_ACCOUNTS:
                self._forget(now)
            known = self._accounts[who, cost] = _Account(self._allowances[cost].burst, now)
        return known

    def _forget(self, now: float) -> None:
        """Drop accounts that have their full allowance."""
        for (who, cost), account in list(self._accounts.items()):
            allowance = self._allowances[cost]
            if not account.open and account.left + (now - account.seen) * allowance.rate >= allowance.burst:
                del self._accounts[who, cost]


def _refused(message: str, wait: float | None) -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.RESOURCE_EXHAUSTED, message, wait)
