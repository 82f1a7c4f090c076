"""A bundle that is checked, or stored, as a stream of what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from beanleague.league.bots.submission import Report

Result = TypeVar("Result")


def reports_of(work: Callable[[Callable[[Report], None]], Result]) -> Iterator[Report | Result]:
    """Call `work` in a thread with a function that takes reports; yield these, and what it returns.

    Raises:
        Exception: what `work` raised.
    """
    reports: SimpleQueue[Report | None] = SimpleQueue()

    def done(_: Future[Result]) -> None:
        reports.put(None)

    with ThreadPoolExecutor(1, thread_name_prefix="trial") as threads:
        result = threads.submit(work, reports.put)
        result.add_done_callback(done)
        while (report := reports.get()) is not None:
            yield report
        yield result.result()
