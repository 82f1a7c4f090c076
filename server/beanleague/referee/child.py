"""A bot's operating system process: what it writes to stderr, how it ended, and the end of its whole group."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from beanleague.referee import launch
from beanleague.referee.hostdelay import waited

_READ = 65_536


class Child:
    """A started process. `stderr`: what it wrote and nobody took yet, at most `stderr_bytes` in all.

    `on_exit` is called with how it ended, in words, when it ends by itself.

    Raises:
        OSError: the command cannot be started.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        folder: Path,
        target: str,
        home: Path,
        stderr_bytes: int,
        on_exit: Callable[[str], None],
    ) -> None:
        self.stderr = bytearray()
        self._left = stderr_bytes
        self._most = stderr_bytes
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self._popen = launch.start(command, folder, target, home)
        assert self._popen.stderr is not None
        self._pipe = self._popen.stderr
        os.set_blocking(self._pipe.fileno(), False)
        self._loop.add_reader(self._pipe.fileno(), self._read)
        self._pidfd = os.pidfd_open(self._popen.pid)
        self._loop.add_reader(self._pidfd, self._ended)
        self._gone = asyncio.Event()

    def waited(self) -> float:
        """Return for how many seconds the host has kept the process waiting for a CPU so far."""
        return waited(self._popen.pid)

    def kill(self) -> None:
        """Kill the whole process group at once."""
        launch.kill_group(self._popen.pid)

    async def close(self, patience: float) -> None:
        """Give the process `patience` seconds to end by itself, then kill its whole group."""
        self._on_exit = _nothing
        try:
            async with asyncio.timeout(patience):
                await self._gone.wait()
        except TimeoutError:
            pass
        self.kill()
        await self._gone.wait()
        if not self._pipe.closed:
            self._read()
            self._close_pipe()

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        code = self._popen.wait()
        self._gone.set()
        self._on_exit(f"the process exited with {code}" if code >= 0 else f"the process was killed by signal {-code}")

    def _read(self) -> None:
        try:
            text = os.read(self._pipe.fileno(), _READ)
        except BlockingIOError:
            return
        if not text:
            self._close_pipe()
            return
        kept = text[: self._left]
        self._left -= len(kept)
        if kept and len(kept) < len(text):
            kept += f"\n[more than {self._most} bytes; the rest is left out]\n".encode()
        self.stderr += kept

    def _close_pipe(self) -> None:
        self._loop.remove_reader(self._pipe.fileno())
        self._pipe.close()


def _nothing(how: str) -> None:
    del how
