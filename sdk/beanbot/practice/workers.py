"""Play deals in one process or several; processes are started only if several are wanted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from beanbot.practice.deals import Keep, PracticeSettings
from beanbot.practice.match import PracticeMatch, PracticePlayer, Report
from beanleague.games import Record

if TYPE_CHECKING:  # imported for types only: WebAssembly has no such module
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext

T = TypeVar("T")

_WITHOUT_PROCESSES = frozenset({"emscripten", "wasi"})
"""Platforms of WebAssembly, by `sys.platform`."""


class WorkerDiedError(Exception):
    """Raised when a process ended before finishing its deals, or none can be started; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class _Played:
    """Deal as received from a process."""

    results: tuple[PracticeMatch, ...]
    """Results of the matches without entrants, since bot classes cannot be pickled."""
    seated: tuple[tuple[int, ...], ...]
    """Entrants of each match, as indices into `PracticeSettings.entrants`."""
    reports: tuple[tuple[str, str], ...]
    """Arguments of the calls to `report`."""
    records: tuple[tuple[str, Record], ...]
    """Arguments of the calls to `keep`."""


def play_deals(
    playing: PracticeSettings, numbers: Iterable[int], *, report: Report, keep: Keep | None = None, workers: int = 1
) -> Iterator[tuple[PracticeMatch, ...]]:
    """Play the deals `numbers` with `workers` processes; yield their matches in the order of `numbers`.

    The results do not depend on `workers`.

    Raises:
        WorkerDiedError: if a bot ends its process, or no process can be started.
    """
    if workers == 1:
        for number in numbers:
            yield playing.deal(number, report, keep)
        return
    for played in _in_order(playing, list(numbers), workers, keeping=keep is not None):
        for call in played.reports:
            report(*call)
        for name, record in played.records:
            assert keep
            keep(name, record)
        yield tuple(
            replace(result, entrants=tuple(playing.entrants[i] for i in seated))
            for result, seated in zip(played.results, played.seated, strict=True)
        )


def _in_order(playing: PracticeSettings, numbers: list[int], workers: int, *, keeping: bool) -> Iterator[_Played]:
    """Yield the deals in order; process i of n plays every n-th deal, starting with the i-th."""
    forking = _forking()
    workers = min(workers, len(numbers))
    pipes = [forking.Pipe(duplex=False) for _ in range(workers)]
    processes = [
        forking.Process(target=_work, args=(playing, numbers[i::workers], pipes[i][1], keeping)) for i in range(workers)
    ]
    try:
        for process, (_, sender) in zip(processes, pipes, strict=True):
            process.start()
            sender.close()
        for i in range(len(numbers)):
            try:
                yield pipes[i % workers][0].recv()
            except EOFError:
                processes[i % workers].join()
                status = processes[i % workers].exitcode
                raise WorkerDiedError(
                    f"a process ended with status {status} in deal {numbers[i]}; a bot must not end its process"
                ) from None
    finally:
        for process in processes:
            if process.pid is not None:
                process.kill()
                process.join()


def _forking() -> ForkContext:
    """Return a context whose processes inherit the loaded bots.

    Raises:
        WorkerDiedError: if there is none; in WebAssembly the module may exist, but cannot start processes.
    """
    if sys.platform not in _WITHOUT_PROCESSES:
        with suppress(ImportError):
            import multiprocessing

            return multiprocessing.get_context("fork")
    raise WorkerDiedError("this Python cannot start other processes; practise with 1 worker")


def _work(playing: PracticeSettings, numbers: list[int], pipe: Connection, keeping: bool) -> None:  # noqa: FBT001  # of a process
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is handled by the process that shows the results
    index: dict[PracticePlayer, int] = {entrant: i for i, entrant in enumerate(playing.entrants)}
    for number in numbers:
        reports: list[tuple[str, str]] = []
        records: list[tuple[str, Record]] = []
        results = playing.deal(number, _calls(reports), _calls(records) if keeping else None)
        pipe.send(
            _Played(
                tuple(replace(result, entrants=()) for result in results),
                tuple(tuple(index[entrant] for entrant in result.entrants) for result in results),
                tuple(reports),
                tuple(records),
            )
        )


def _calls(calls: list[tuple[str, T]]) -> Callable[[str, T], None]:
    """Return a function that records its calls."""
    return lambda name, value: calls.append((name, value))
