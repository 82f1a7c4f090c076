"""The processes that check deals, so that all cores work. One ends when its connection is closed."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from multiprocessing.connection import Connection, wait

from beanleague.league.errors import LeagueError
from beanleague.league.verify.deals import check_deal
from beanleague.league.verify.findings import Finding
from beanleague.league.verify.records import Frame
from beanleague.model import StoredDeal

_POLL_INTERVAL_S = 0.25

Batch = Sequence[StoredDeal]


def checked(
    frame: Frame, batches: Iterator[Batch], workers: int, wanted: Callable[[], bool]
) -> Iterator[tuple[Batch, list[Finding]]]:
    """Check deals in `workers` processes, or in this one if that is 0; yield each batch with what was found.

    Each process has one batch at a time, so memory does not grow with the league. `wanted`: asked several times a
    second; when it returns False this ends.

    Raises:
        LeagueError: if a process cannot be started, or ends.
    """
    if not workers:
        yield from ((batch, _check(frame, batch)) for batch in batches if wanted())
        return
    busy: dict[Connection, Batch] = {}
    processes: list[tuple[Connection, subprocess.Popen[bytes]]] = []
    try:
        for batch in islice(batches, workers):
            processes.append(_start(frame))
            connection = processes[-1][0]
            connection.send(batch)
            busy[connection] = batch
        while busy and wanted():
            for ready in wait(list(busy), _POLL_INTERVAL_S):
                assert isinstance(ready, Connection)
                found: list[Finding] = ready.recv()
                done = busy.pop(ready)
                following = next(batches, None)
                if following is not None:
                    ready.send(following)
                    busy[ready] = following
                yield done, found
    except (OSError, EOFError) as error:
        raise LeagueError(f"a process that checks matches ended ({str(error) or 'killed'}); verify again") from None
    finally:
        for connection, process in processes:
            connection.close()
            process.kill()
            process.wait()


def _start(frame: Frame) -> tuple[Connection, subprocess.Popen[bytes]]:
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, str(theirs.fileno())],
        pass_fds=(theirs.fileno(),),
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the process that started it
    )
    theirs.close()
    connection = Connection(ours.detach())
    connection.send(frame)
    return connection, process


def _check(frame: Frame, batch: Batch) -> list[Finding]:
    return [finding for deal in batch for finding in check_deal(frame, deal)]


def main() -> None:
    """Check what comes through the socket with the descriptor that is the first argument."""
    connection = Connection(int(sys.argv[1]))
    try:
        frame = connection.recv()
        while True:
            connection.send(_check(frame, connection.recv()))
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()
