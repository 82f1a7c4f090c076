"""A bot's operating system process: what it writes, how it ended, and the end of all its processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable

from beanleague.referee.host_delay import HostDelay
from beanleague.referee.sandbox.cgroups import Group
from beanleague.referee.sandbox.launch import BotFiles, Sandbox
from beanleague.referee.sandbox.process_tree import ProcessTree
from beanleague.referee.tagged_lines import TaggedLines

_READ_BYTES = 65_536
_END_TIMEOUT_S = 1.0  # for the kernel to end killed processes
_END_POLLS = 20  # in that time
_SIGNAL_EXIT = 128  # bubblewrap exits with this plus the number of the signal that killed the bot


class Child:
    """A started process. `stderr`: what it wrote and the caller has not taken yet, at most `stderr_bytes` in all.

    `launched`: whether the bot's own command was run; before that, nothing that goes wrong is the bot's fault.

    `number`: identifies the process within its worker. `tag`: see `TaggedLines`. `on_exit` is called when it ends by
    itself, with the reason as a phrase and whether SIGKILL ended it.

    Raises:
        OSError: if the command cannot be started.
        GroupError: if its control groups cannot be made, which is no fault of the bot.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        bot: BotFiles,
        number: int,
        tree: ProcessTree,
        tag: Callable[[], str],
        on_exit: Callable[[str, bool], None],
    ) -> None:
        self.stderr = TaggedLines(sandbox.limits.stderr_bytes, tag)
        self._wrapped = sandbox.wrapped
        self._tree = tree
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self.launched = False
        self._group = sandbox.group(bot)
        self._report: int | None
        try:
            self._popen, self._pidfd, self._report = _start(sandbox, bot, number, self._group)
        except OSError:
            self._group.remove()
            raise
        self.pid = self._popen.pid
        self._delay = HostDelay(self._loop.time, self._group.cpu_seconds)
        tree.add(self.pid)
        assert self._popen.stdout is not None
        self._pipe = self._popen.stdout
        os.set_blocking(self._pipe.fileno(), False)
        self._loop.add_reader(self._pipe.fileno(), self.read_stderr)
        self._loop.add_reader(self._pidfd, self._ended)
        self._gone = asyncio.Event()
        self._silent = asyncio.Event()  # no process holds the other end of the pipe any more

    @property
    def delayed(self) -> float:
        """For how many seconds the host had kept the process waiting for a CPU, as of the last `look`."""
        return self._delay.total

    def look(self) -> float:
        """Return for how many seconds the host has kept the process waiting for a CPU so far."""
        return self._delay.look(self._tree.family(self.pid))

    def check_launch(self) -> None:
        """Find out whether it is `launched`. To be called when it has connected, has ended, or is given up."""
        if self._report is not None:
            with contextlib.suppress(BlockingIOError):
                self.launched = os.read(self._report, 2) == b"+"
            os.close(self._report)
            self._report = None

    def kill(self) -> None:
        """Kill all its processes at once. Those in namespaces of their own all end with the first."""
        if not self._gone.is_set():  # afterwards another group may have its number
            _kill_group(self.pid)
        if not self._wrapped:
            self._tree.kill(self.pid)

    async def close(self, grace: float) -> None:
        """Give the process `grace` seconds to end by itself, then kill all that is left."""
        self._on_exit = _ignore
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._gone.wait()
        self.kill()
        await self._gone.wait()
        if self._wrapped:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_END_TIMEOUT_S):
                    await self._silent.wait()
        self.read_stderr()
        self._close_pipe()
        self.check_launch()
        self._tree.remove(self.pid)
        for _ in range(_END_POLLS):
            if self._group.remove():
                break
            await asyncio.sleep(_END_TIMEOUT_S / _END_POLLS)

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel killed one of its processes for their memory."""
        return self._group.ran_out_of_memory()

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        _kill_group(self.pid)  # processes it left; the number cannot be reused before the wait
        code = self._popen.wait()
        if self._wrapped and code > _SIGNAL_EXIT:
            code = _SIGNAL_EXIT - code
        self._gone.set()
        self.check_launch()
        self.read_stderr()
        reason = f"the process exited with {code}" if code >= 0 else f"the process was killed by signal {-code}"
        self._on_exit(reason, code == -signal.SIGKILL)

    def read_stderr(self) -> None:
        """Take in what it has written."""
        if self._pipe.closed:
            return
        try:
            text = os.read(self._pipe.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        if text:
            self.stderr.add(text)
        else:
            self._close_pipe()

    def _close_pipe(self) -> None:
        if not self._pipe.closed:
            self._loop.remove_reader(self._pipe.fileno())
            self._pipe.close()
        self._silent.set()


def _start(sandbox: Sandbox, bot: BotFiles, number: int, group: Group) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start the process; return it, the descriptor by which its end is known, and that of its launcher's report."""
    report, theirs = os.pipe()
    os.set_blocking(report, False)
    try:
        popen = sandbox.start(bot, number, group, theirs)
        try:
            return popen, os.pidfd_open(popen.pid), report
        except OSError:
            _kill_group(popen.pid)
            with popen:  # waits, and closes its pipe
                raise
    except OSError:
        os.close(report)
        raise
    finally:
        os.close(theirs)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _ignore(reason: str, killed: bool) -> None:  # noqa: FBT001  # as `on_exit`
    del reason, killed
