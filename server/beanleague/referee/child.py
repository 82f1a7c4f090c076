"""A bot's operating system process: its output, its delay by the host, and the end of all its processes."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum

from beanleague.referee.sandbox.cgroups import ControlGroup
from beanleague.referee.sandbox.launch import BotFiles, Sandbox
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage, parent_and_birth, read, usage_of
from beanleague.referee.sandbox.users import BotUsers

_READ_BYTES = 65_536
_END_TIMEOUT_S = 1.0  # time for the kernel to end killed processes
_END_POLLS = 20  # number of checks within `_END_TIMEOUT_S`
_FREEZE_ROUNDS = 50  # number of attempts to freeze a bot that keeps starting processes
_TAIL_BYTES = 8192
_REPORT_BYTES = 64
_NUMBER_LINE = re.compile(rb"(\d+)\n")
_SIGNAL_EXIT = 128  # bubblewrap exits with this plus the number of the signal that killed the bot

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")  # ticks per second, the unit of CPU time in /proc


class Child:
    """A started bot process. `stderr`: output not taken yet, at most `stderr_bytes` in total.

    `launched`: whether the bot's own command was run; errors before that are not the bot's fault. `group`: its control
    group. `template`: the template it is forked from, None if it is started.

    `users`: pool of users. `tag`: see `TaggedLines`. `on_exit`: called when it ends by itself, with the reason as a
        phrase and whether SIGKILL ended it.

    Raises:
        OSError: if the command cannot be started.
        GroupError: if its control groups cannot be created, which is not the bot's fault.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        bot: BotFiles,
        users: BotUsers,
        tree: ProcessTree,
        tag: Callable[[], str],
        on_exit: Callable[[str, bool], None],
    ) -> None:
        self.stderr = TaggedLines(sandbox.limits.stderr_bytes, tag)
        self._wrapped = sandbox.wrapped
        self._outer = sandbox.outer_processes
        self._said = b""  # report of the template and the launcher
        self._frozen: set[int] = set()
        self._used_before = 0.0  # CPU seconds when the process was frozen
        self._tree = tree
        self._on_exit = on_exit
        self._loop = asyncio.get_running_loop()
        self.launched = False
        self.group = sandbox.group(bot)
        self.template = sandbox.template_for(bot)
        self._report: int | None
        self._users, self._user = users, None
        try:
            self._user = users.take()
            self._popen, self._pidfd, self._report = _start(sandbox, bot, self._user, self.group)
        except OSError:
            users.give_back(self._user)
            self.group.remove()
            raise
        self.pid = self._popen.pid
        self._root: int | None = None  # root of the bot's processes in the tree; differs from `pid` for a forked bot
        self._delay = HostDelay(self._loop.time, self._processes, self.group.cpu_seconds)
        self._used: float | None = None
        self._most_threads = 0  # maximum number of threads seen so far
        if self.template:
            self._loop.add_reader(self._report, self._read_report)
        else:
            self._root = self.pid
            tree.add(self.pid)
        assert self._popen.stdout is not None
        self._pipe = self._popen.stdout
        os.set_blocking(self._pipe.fileno(), False)
        self._loop.add_reader(self._pipe.fileno(), self.read_stderr)
        self._loop.add_reader(self._pidfd, self._ended)
        self.shell_gone = False  # whether one of our processes around it was killed, which bots in namespaces cannot do
        self._gone = asyncio.Event()
        self._silent = asyncio.Event()  # set when no process holds the other end of the pipe

    @property
    def lost_template(self) -> bool:
        """Whether the template that the process was forked from has ended."""
        return self.template is not None and self.template.has_ended

    @property
    def delayed(self) -> float:
        """Seconds that the process waited for a CPU because of the host, up to the last `look`."""
        return self._delay.total

    def look(self) -> float:
        """Measure and return the total seconds that the process waited for a CPU because of the host."""
        return self._delay.look()

    def has_run(self) -> bool:
        """Return whether the process may have had a CPU since the last call; if not, its usage is unchanged."""
        before, self._used = self._used, self.group.cpu_seconds()
        return self._used is None or self._used != before

    def _processes(self) -> list[int]:
        """Return the ids of its processes, by its group, else as last seen in the process tree."""
        return self.group.processes() or ([] if self._root is None else self._tree.family(self._root))

    def usage(self) -> Usage:
        """Return the usage of its processes."""
        return usage_of(self._processes())

    def threads(self) -> int:
        """Return the number of threads of the bot's processes, ours included.

        Returns a new maximum since the last call, even if there are fewer threads now.
        """
        counted = self.group.threads()
        if counted is None:
            return self.usage().threads
        before, self._most_threads = self._most_threads, self.group.most_threads() or 0
        return max(counted, self._most_threads) if self._most_threads > before else counted

    def freeze(self) -> bool:
        """Stop all processes of the bot until `thaw`; return False if it keeps starting new processes.

        Our processes around the bot keep running, so that it ends with the referee; in namespaces it does so anyway.
        """
        stopped = (self._wrapped and self.group.freeze(frozen=True)) or self._stop()
        self._used_before = self._cpu_seconds()
        return stopped

    def _stop(self) -> bool:
        """Stop its processes by signals, until two rounds find the same ones: a running process may continue others."""
        for _ in range(_FREEZE_ROUNDS):
            found = self._own_processes()
            self._signal(found, signal.SIGSTOP)
            if found == self._frozen:
                return True
            self._frozen = found
        return False

    def used_while_frozen(self) -> float:
        """Return the CPU seconds used by its processes since `freeze`."""
        return self._cpu_seconds() - self._used_before

    def _cpu_seconds(self) -> float:
        counted = self.group.cpu_seconds()
        return fsum(map(_cpu_seconds_of, self._processes())) if counted is None else counted

    def thaw(self) -> None:
        """Continue all processes of the bot."""
        if self._wrapped:
            self.group.freeze(frozen=False)
        self._signal(self._frozen, signal.SIGCONT)
        self._frozen.clear()

    def _own_processes(self) -> set[int]:
        """Return its processes, without our own around it."""
        if not self.group.folders:
            self._tree.refresh()
        processes = set(self._processes())
        outer = self.pid
        for _ in range(self._outer):
            processes.discard(outer)
            outer = next((process for process in processes if parent_and_birth(process)[0] == outer), outer)
        return processes

    def _signal(self, processes: Iterable[int], number: signal.Signals) -> None:
        for process in processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)

    def check_launch(self) -> None:
        """Update `launched`. Call it after the bot has connected, has ended, or was given up."""
        if self._report is not None:
            self._read_report()
            self.launched = self._said == b"+"
            self._loop.remove_reader(self._report)
            os.close(self._report)
            self._report = None

    def _read_report(self) -> None:
        """Read reports of the start: progress, and the pid of a forked bot."""
        assert self._report is not None
        with contextlib.suppress(BlockingIOError):
            self._said += os.read(self._report, _REPORT_BYTES)
        told = _NUMBER_LINE.search(self._said)
        if told and self.template:
            self._said = self._said.replace(told[0], b"")
            self._loop.remove_reader(self._report)
            number = int(told[1])
            if parent_and_birth(number)[0] == self.template.process.pid:
                self._root = number
                self._tree.add(number)

    def kill(self) -> None:
        """Kill all its processes immediately. In namespaces, killing the first ends all."""
        if not self._gone.is_set():  # after the end of the group, its number may belong to another one
            _kill_group(self.pid)
        if not self._wrapped:
            self._tree.kill(self.pid)
            self._signal(self.group.processes(), signal.SIGKILL)

    async def close(self, grace: float) -> None:
        """Give the process `grace` seconds to exit, then kill the remaining processes."""
        self._on_exit = lambda *_: None
        self.thaw()
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
        if self._root is not None:
            self._tree.remove(self._root)
        for _ in range(_END_POLLS):
            if self.group.remove():
                break
            await asyncio.sleep(_END_TIMEOUT_S / _END_POLLS)
        self._users.give_back(self._user)

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        _kill_group(self.pid)  # kills remaining processes; the number cannot be reused before the wait
        code = self._popen.wait()
        self.shell_gone = self._wrapped and code == -signal.SIGKILL
        if self._wrapped and code > _SIGNAL_EXIT:
            code = _SIGNAL_EXIT - code
        self._gone.set()
        self.check_launch()
        self.read_stderr()
        reason = f"the process exited with {code}" if code >= 0 else f"the process was killed by signal {-code}"
        self._on_exit(reason, code == -signal.SIGKILL)

    def read_stderr(self) -> None:
        """Read the process's output."""
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


def _start(
    sandbox: Sandbox, bot: BotFiles, user: int | None, group: ControlGroup
) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start the process; return it, a descriptor that signals its end, and one for its launcher's report."""
    report, theirs = os.pipe()
    os.set_blocking(report, False)
    try:
        popen = sandbox.start(bot, user, group, theirs)
        try:
            return popen, os.pidfd_open(popen.pid), report
        except OSError:
            _kill_group(popen.pid)
            with popen:  # waits for the process and closes its pipe
                raise
    except OSError:
        os.close(report)
        raise
    finally:
        os.close(theirs)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


class TaggedLines:
    """Buffered output of a process, with tagged lines, at most `limit` bytes in total.

    Each line begins with `tag()` at its arrival. A bot can write lines that look tagged, but a true tag precedes each
    of them.
    """

    def __init__(self, limit: int, tag: Callable[[], str]) -> None:
        self._limit = self._left = limit
        self._tag = tag
        self._text = bytearray()
        self._in_line = False  # whether the last line is incomplete
        self._tail = b""

    @property
    def tail(self) -> str:
        """End of the output without tags, even if it was taken or dropped."""
        return self._tail.decode("utf-8", "replace")

    def add(self, data: bytes) -> None:
        """Add output; bytes beyond the limit are dropped."""
        self._tail = (self._tail + data)[-_TAIL_BYTES:]
        if not (data and self._left):
            return
        tag = self._tag().encode()
        begun, self._in_line = self._in_line, not data.endswith(b"\n")
        lines = data.removesuffix(b"\n").replace(b"\n", b"\n" + tag)
        self._keep((b"" if begun else tag) + lines + (b"" if self._in_line else b"\n"))

    def note(self, tag: str, sentence: str) -> None:
        """Add lines written by the referee, each with this tag."""
        begun, self._in_line = self._in_line, False
        lines = "".join(f"{tag}{line}\n" for line in sentence.splitlines())
        self._keep((b"\n" if begun else b"") + lines.encode())

    def _keep(self, tagged: bytes) -> None:
        if not self._left:
            return
        kept = tagged[: self._left]
        self._left -= len(kept)
        self._text += kept
        if len(kept) < len(tagged):
            self._text += f"\n[more than {self._limit} bytes; the rest is left out]\n".encode()

    @property
    def text(self) -> str:
        """Output since the last `take`."""
        return self._text.decode("utf-8", "replace")

    def take(self) -> str:
        """Return the output since the last call."""
        text = self.text
        self._text.clear()
        return text


@dataclass(frozen=True, slots=True)
class Thread:
    """Scheduling figures of a thread, as the kernel accounts for it."""

    ran: float
    """Seconds that the thread has run on a CPU."""
    waited: float
    """Seconds that the thread was ready but waited for a CPU, updated whenever it gets one."""


@dataclass(slots=True)
class HostDelay:
    """Measures how long the host delayed a bot process and its children. All times are in seconds.

    A bot that is ready to run without a CPU waits for the host, unless its own threads and children keep the CPUs busy.
    Therefore between two checks the host is charged at most the time that the bot left unused: every CPU second of a
    bot is charged to it, however long it made itself wait.
    """

    now: Callable[[], float]
    """Clock, in seconds."""
    processes: Callable[[], Iterable[int]]
    """Function that returns the ids of all processes of the bot."""
    cpu_seconds: Callable[[], float | None] = lambda: None
    """Function that returns the CPU time of all processes of the bot, ended processes included; None if not
    measured."""
    total: float = 0.0
    _at: float = field(init=False)
    _threads: dict[str, Thread] = field(default_factory=dict)
    _used: float = 0.0
    _overused: float = 0.0  # CPU time used beyond the elapsed time: by several CPUs at once, or by rounding to ticks

    def __post_init__(self) -> None:
        self._at = self.now()

    def look(self) -> float:
        """Examine all processes of the bot; return the total delay.

        The kernel counts a wait only when it ends; until then the time since the last check is used.
        """
        now = self.now()
        counted = self.cpu_seconds()
        if counted is not None and counted == self._used:
            return self._without_cpu(now)
        processes = [*self.processes()]
        threads: dict[str, Thread] = {}
        for process in processes:
            threads |= _threads(process)
        if counted is None and threads and threads == self._threads:
            return self._without_cpu(now)
        used = fsum(map(_cpu_seconds_of, processes)) if counted is None else counted
        if threads or used:
            self.total += min(self._longest_wait(threads), self._unused_time(now, used - self._used))
            self._threads, self._used = threads, used
        return self.total

    def _longest_wait(self, threads: Mapping[str, Thread]) -> float:
        """Return the longest wait of any thread for a CPU since the last check, in seconds."""
        new = Thread(0.0, 0.0)
        waits = (each.waited - self._threads.get(tid, new).waited for tid, each in threads.items())
        return max((0.0, *waits))

    def _without_cpu(self, now: float) -> float:
        """Return the total delay of a bot that had no CPU since the last check."""
        if any(map(_is_ready, self.processes())):
            return self.total + max(now - self._at - self._overused, 0.0)
        self._unused_time(now, 0.0)  # a sleeping bot does not save up time
        return self.total

    def _unused_time(self, now: float, used: float) -> float:
        """Return how much of the time since the last call the bot left unused. `used`: CPU seconds in that time."""
        unused = now - self._at - max(used, 0.0) - self._overused
        self._at, self._overused = now, max(-unused, 0.0)
        return max(unused, 0.0)


def _threads(process: int) -> dict[str, Thread]:
    """Return the threads of a process by id.

    Read from the first two numbers in /proc/PID/task/*/schedstat, in nanoseconds; None if the kernel does not count
    them.
    """
    threads: dict[str, Thread] = {}
    folder = f"/proc/{process}/task"
    try:
        for thread in os.listdir(folder):  # noqa: PTH208  # a third of the time
            ran, waited, _ = read(f"{folder}/{thread}/schedstat").split()
            threads[thread] = Thread(int(ran) / 1e9, int(waited) / 1e9)
    except (OSError, ValueError):
        pass
    return threads


def _is_ready(process: int) -> bool:
    """Return whether any thread of a process runs or waits for a CPU."""
    folder = f"/proc/{process}/task"
    try:
        return any(_state(f"{folder}/{thread}/stat") == b"R" for thread in os.listdir(folder))  # noqa: PTH208  # faster
    except OSError:
        return False


def _state(file: str) -> bytes:
    """Return the state letter in a thread's stat file. It comes after the name, which may contain anything."""
    return read(file).rpartition(b")")[2][1:2]


def _cpu_seconds_of(process: int) -> float:
    """Return the CPU seconds of `process` and of its ended children: fields 14 to 17 of stat."""
    try:
        words = read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        return sum(map(int, words[11:15])) / _TICKS_A_SECOND
    except (OSError, ValueError):
        return 0.0
