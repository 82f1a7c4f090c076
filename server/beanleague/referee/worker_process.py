"""A worker process, seen from the process that started it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection

from beanleague.referee.messages import BotLog
from beanleague.referee.orders import Setup, Stop
from beanleague.referee.temp_folders import TempFolder

GRACE_S = 1.0
"""For workers to end their bots before they are killed."""

_BOTS_TIMEOUT_S = 10.0  # for the kernel to end the bots of a worker that has ended
_POLL_INTERVAL_S = 0.02  # while killed processes end


class WorkerProcess:
    """A running worker, with `connection` to it.

    Raises:
        OSError: if it cannot be started.
    """

    def __init__(self, setup: Setup) -> None:
        self._groups = setup.sandbox.groups
        self._folder = TempFolder()
        try:
            ours, theirs = socket.socketpair()
            with theirs:
                self.popen = subprocess.Popen(
                    [sys.executable, "-m", "beanleague.referee.worker", str(theirs.fileno()), str(self._folder.path)],
                    pass_fds=(theirs.fileno(),),
                    env={"GRPC_VERBOSITY": "NONE", **os.environ},  # results say what matters of its log
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except OSError:
            self._folder.close()
            raise
        self.connection = Connection(ours.detach())
        self.connection.send(setup)

    def stop(self) -> None:
        """Tell it to end its bots and itself."""
        with contextlib.suppress(OSError):
            self.connection.send(Stop())

    def end(self, deadline: float) -> list[BotLog]:
        """Wait for its end, and kill it after `deadline` (`time.monotonic`); return what its bots still wrote."""
        logs: list[BotLog] = []
        with contextlib.suppress(EOFError, OSError):
            while self.connection.poll(max(deadline - time.monotonic(), 0)):
                report = self.connection.recv()
                if isinstance(report, BotLog):
                    logs.append(report)
        self.connection.close()  # a worker that still runs kills its bots and ends when it sees this
        try:
            self.popen.wait(max(deadline - time.monotonic(), 0.2))
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
        self.clean()
        return logs

    def clean(self) -> None:
        """Remove its folder, and its control groups once the bots in them have ended, as they do with the worker.

        Without control groups nobody here knows its bots, so they may still be about to end.
        """
        self._folder.close()
        deadline = time.monotonic() + _BOTS_TIMEOUT_S
        while not self._groups.remove(self._folder.path.name) and time.monotonic() < deadline:
            time.sleep(_POLL_INTERVAL_S)
