"""Calling something several times at once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier


def raised_at_once(number: int, do: Callable[[], object]) -> list[BaseException]:
    """Call `do` in `number` threads at the same time; return the exceptions raised."""
    all_there = Barrier(number)

    def call() -> None:
        all_there.wait()
        do()

    with ThreadPoolExecutor(number) as threads:
        calls = [threads.submit(call) for _ in range(number)]
    return [error for call in calls if (error := call.exception())]
