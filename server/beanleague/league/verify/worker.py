"""Worker processes that check deals. A worker ends when its connection is closed."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait

from beanleague.interpreter import python
from beanleague.league.errors import LeagueError
from beanleague.league.verify.deals import Finding, Frame, check_deal
from beanleague.store.matches import Rows

_POLL_INTERVAL_S = 0.25
_MAX_LEAD = 4  # maximum batches begun per process before the first of them is done

Batch = Sequence[tuple[int, Rows]]
"""Deals by number, each with its rows."""


def check_batches(
    frame: Frame, batches: Iterator[Batch], workers: int, wanted: Callable[[], bool]
) -> Iterator[tuple[Batch, list[Finding]]]:
    """Check deals in `workers` processes, or in this one if 0; yield each batch and its findings in order.

    Memory does not grow with the league, since few batches wait for an earlier one. `wanted`: polled several times a
    second; checking ends when it returns False.

    Raises:
        LeagueError: if a process cannot be started, or dies.
    """
    if workers:
        yield from _checked_by_processes(frame, batches, workers, wanted)
    else:
        yield from ((batch, _check(frame, batch)) for batch in batches if wanted())


def _checked_by_processes(
    frame: Frame, batches: Iterator[Batch], workers: int, wanted: Callable[[], bool]
) -> Iterator[tuple[Batch, list[Finding]]]:
    """Check batches in processes, which finish in any order; yield results in the order of `batches`."""
    numbered = enumerate(batches)
    begun = following = 0  # number of batches begun, and the next one to yield
    done: dict[int, tuple[Batch, list[Finding]]] = {}
    processes = _Processes(frame, workers)
    try:
        while wanted():
            while begun < following + _MAX_LEAD * workers and processes.free and (batch := next(numbered, None)):
                processes.check(*batch)
                begun += 1
            if not processes.busy:
                return
            done.update(processes.results())
            while following in done:
                yield done.pop(following)
                following += 1
    except (OSError, EOFError) as error:
        raise LeagueError(f"a process that checks matches ended ({str(error) or 'killed'}); verify again") from None
    finally:
        processes.close()


class _Processes:
    """Pool of up to `most` processes, started when needed. Each checks one batch at a time."""

    def __init__(self, frame: Frame, most: int) -> None:
        self._frame = frame
        self._most = most
        self._all: list[tuple[Connection, subprocess.Popen[bytes]]] = []
        self._idle: list[Connection] = []
        self.busy: dict[Connection, tuple[int, Batch]] = {}
        """Workers at work, each with its batch and the number of the batch."""

    @property
    def free(self) -> bool:
        """Whether a worker is free."""
        return bool(self._idle) or len(self._all) < self._most

    def check(self, number: int, batch: Batch) -> None:
        if not self._idle:
            self._all.append(_start(self._frame))
            self._idle.append(self._all[-1][0])
        connection = self._idle.pop()
        connection.send(batch)
        self.busy[connection] = (number, batch)

    def results(self) -> Iterator[tuple[int, tuple[Batch, list[Finding]]]]:
        """Wait a moment; yield number and findings of each completed batch."""
        for ready in wait(list(self.busy), _POLL_INTERVAL_S):
            assert isinstance(ready, Connection)
            found: list[Finding] = ready.recv()
            number, batch = self.busy.pop(ready)
            self._idle.append(ready)
            yield number, (batch, found)

    def close(self) -> None:
        for connection, process in self._all:
            connection.close()
            process.kill()
            process.wait()


def _start(frame: Frame) -> tuple[Connection, subprocess.Popen[bytes]]:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        python("-m", __name__, str(theirs.fileno())),
        pass_fds=(theirs.fileno(),),
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for this process alone
    )
    theirs.close()
    connection = Connection(ours.detach())
    connection.send(frame)
    return connection, process


def _check(frame: Frame, batch: Batch) -> list[Finding]:
    return [finding for number, rows in batch for finding in check_deal(frame, number, rows)]


def main() -> None:
    """Check the batches that arrive on the socket; its descriptor is the first argument."""
    connection = Connection(int(sys.argv[1]))
    try:
        frame = connection.recv()
        while True:
            connection.send(_check(frame, connection.recv()))
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()
