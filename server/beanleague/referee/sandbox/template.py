"""A process that has loaded what bots in Python need, and forks into them: so they need no interpreter and no imports.

Run by a worker as `python -s -S -P template.py FD`, where FD is a socket to it. Bubblewrap makes the namespaces and
mounts of every bot around a shell that waits. Who is forked here enters these, then does what the launcher does.

Each message of the worker brings the settings of a bot (see `launcher`) and descriptors: of a socket to that shell, of
the bot's output, and of its report, if that is wanted. By the socket come the number of a process in the namespaces
and, once they are complete, a "+". The exit code of the bot goes back by it, and the shell ends with it. If this
process ends, so do the shells, and with them the bots in their namespaces.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import marshal
import os
import select
import site
import socket
import sys
import threading

_MOUNTS, _GROUPS, _HOST_NAME, _IPC, _NETWORK = 1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 30  # CLONE_NEW*
_PROCESSES = 1 << 29  # CLONE_NEWPID, which only children enter
_DROP_FROM_BOUNDS = 24  # PR_CAPBSET_DROP
_PROCESS = b'"child-pid":'  # what bubblewrap writes before the number
_MESSAGE_BYTES = 2**18
_MOST_DESCRIPTORS = 3
_SIGNAL_EXIT = 128  # shells exit with this plus the number of a signal

_libc = ctypes.CDLL(None, use_errno=True)


def _enter(namespaces: int, kinds: int) -> None:
    if _libc.setns(ctypes.c_int(namespaces), ctypes.c_int(kinds)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class _Bot:
    """A bot that is about to start. `descriptors`: as they came with its settings."""

    def __init__(self, settings: bytes, descriptors: list[int]) -> None:
        self.settings = settings
        self.hold, self.output, *report = descriptors
        self.report = report[0] if report else None
        self.said = b""  # by bubblewrap and the shell

    def close(self) -> None:
        """Close its descriptors: its shell ends."""
        os.close(self.hold)
        self.close_outlets()

    def close_outlets(self) -> None:
        """Close what it writes to."""
        os.close(self.output)
        if self.report is not None:
            os.close(self.report)

    def enter(self, namespaces: int) -> None:
        """Enter the bot's groups and namespaces."""
        os.dup2(self.output, 1)
        os.dup2(self.output, 2)
        settings = marshal.loads(self.settings)  # noqa: S302  # the worker wrote it
        for processes in settings["groups"]:
            with open(processes, "wb", buffering=0) as file:  # noqa: PTH123  # pathlib is not loaded
                file.write(b"0")
        _enter(namespaces, _MOUNTS | _GROUPS | _HOST_NAME | _IPC | _NETWORK)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # no two bots may share what a descriptor leads to
        os.setsid()
        os.chdir(settings["folder"])
        os.environ["PWD"] = settings["folder"]
        capability = 0
        while _libc.prctl(_DROP_FROM_BOUNDS, ctypes.c_ulong(capability), 0, 0, 0) == 0:
            capability += 1


class _Template:
    """Forks into the bots that a worker sends over a socket."""

    def __init__(self, worker: socket.socket) -> None:
        self._worker = worker
        self._poll = select.epoll()
        self._poll.register(worker, select.EPOLLIN)
        self._starting: dict[int, _Bot] = {}  # by `hold`
        self._running: dict[int, tuple[int, int]] = {}  # number and `hold`, by a descriptor of the process

    def until_born(self) -> _Bot:
        """Fork into bots until the worker ends; return one, in the process that becomes it and only there."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._running:
                    self._bury(descriptor)
                elif descriptor not in self._starting:
                    self._take()
                elif (process := self._ready(descriptor)) and (born := self._fork(descriptor, process)):
                    return born

    def _take(self) -> None:
        settings, descriptors, _, _ = socket.recv_fds(self._worker, _MESSAGE_BYTES, _MOST_DESCRIPTORS)
        if not settings:
            os._exit(0)
        bot = _Bot(settings, descriptors)
        self._starting[bot.hold] = bot
        self._poll.register(bot.hold, select.EPOLLIN)

    def _ready(self, hold: int) -> int:
        """Return a process in the namespaces of a bot; 0 while they are not complete, or if they never will be."""
        bot = self._starting[hold]
        said = os.read(hold, _MESSAGE_BYTES)
        bot.said += said
        if not said:
            self._forget(hold).close()
        if not said.endswith(b"+\n"):
            return 0
        return int(bot.said.partition(_PROCESS)[2].translate(None, b",}").split()[0])

    def _forget(self, hold: int) -> _Bot:
        self._poll.unregister(hold)
        return self._starting.pop(hold)

    def _fork(self, hold: int, process: int) -> _Bot | None:
        """Fork into the bot, and return it there."""
        bot = self._forget(hold)
        try:
            namespaces = os.pidfd_open(process)
            _enter(namespaces, _PROCESSES)
            child = os.fork()
        except OSError:  # the worker has ended it already, or the host is short of something
            bot.close()
            return None
        if not child:
            self._poll.close()
            self._worker.detach()
            bot.enter(namespaces)
            return bot
        os.close(namespaces)
        bot.close_outlets()
        running = os.pidfd_open(child)
        self._running[running] = child, hold
        self._poll.register(running, select.EPOLLIN)
        return None

    def _bury(self, running: int) -> None:
        child, hold = self._running.pop(running)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with contextlib.suppress(OSError):  # its shell was killed
            os.write(hold, b"%d\n" % (code if code >= 0 else _SIGNAL_EXIT - code))
        self._poll.unregister(running)
        os.close(running)
        os.close(hold)


def main() -> None:
    """Do what the command line says."""
    gc.disable()
    site.main()
    launcher = importlib.import_module("beanleague.referee.sandbox.launcher")
    for name in ("bohnanza", "dice", "duel", "two"):
        importlib.import_module(f"beanbot.{name}")
    importlib.import_module("beanbot._runtime.runner").load_messages()
    worker = socket.socket(fileno=int(sys.argv[1]))
    gc.collect()
    gc.freeze()
    worker.send(marshal.dumps({name.partition(".")[0] for name in sys.modules}))
    bot = _Template(worker).until_born()
    gc.enable()
    launcher.become(bot.settings, bot.report)


def _end(code: object) -> None:
    """End as Python does with this code of SystemExit, but leave all that is loaded to the kernel.

    To take it apart would copy every page that is shared with other bots.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # as multiprocessing does where it forks
    atexit._run_exitfuncs()  # noqa: SLF001
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        code = 1
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    try:
        main()
    except SystemExit as end:
        _end(end.code)
    except OSError as problem:
        _end(f"the sandbox cannot be set up: {problem}")
    _end(0)
