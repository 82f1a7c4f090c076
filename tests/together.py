"""Calling something several times at once, or in the middle of something else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread

_DEADLINE_S = 60.0


def raised_at_once(number: int, do: Callable[[], object]) -> list[BaseException]:
    """Call `do` in `number` threads at the same time; return the exceptions raised."""
    all_there = Barrier(number)

    def call() -> None:
        all_there.wait(_DEADLINE_S)
        do()

    with ThreadPoolExecutor(number) as threads:
        calls = [threads.submit(call) for _ in range(number)]
    return [error for call in calls if (error := call.exception())]


def result_of(do: Callable[[], object]) -> object:
    """Call `do`; return its result or its error."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001 - whatever it is, a test looks at it
        return error


class Meanwhile:
    """Does something in a thread of its own, in the middle of something else: the first time that this is called.

    The call returns when that has ended, or when it waits for what it was begun in: then somebody calls `waits`.
    """

    def __init__(self, do: Callable[[], object]) -> None:
        self._do = do
        self._goes_on = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._result: object = None

    def _work(self) -> None:
        self._result = result_of(self._do)
        self._goes_on.set()

    def __call__(self) -> None:
        if self._thread.ident is None:
            self._thread.start()
            assert self._goes_on.wait(_DEADLINE_S), "it neither ended nor waits"

    def waits(self) -> None:
        self._goes_on.set()

    def result(self) -> object:
        """Return the result, or the error, once it has ended."""
        assert self._thread.ident is not None, "it was never begun"
        self._thread.join(_DEADLINE_S)
        assert not self._thread.is_alive()
        return self._result
