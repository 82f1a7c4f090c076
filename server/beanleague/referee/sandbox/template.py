"""Template process with the modules of Python bots loaded, which forks into bots and saves them start and imports.

Run by a worker as `python -s -S -P template.py FD FOLDER`, where FD is a socket to it, and bots find their bundle in
FOLDER. Bubblewrap creates each bot's namespaces and mounts around a waiting shell. A process forked here enters these,
then acts like the launcher.

Each message of the worker passes descriptors (see `_Bot`). A bot can read everything left in this process's memory,
including data of other bots: therefore settings are read only after the fork, and its process id on the host is wiped.
Once the namespaces are complete, the shell writes "+"; it later gets the exit code and ends with it. If this process
ends, so do the shells, and with them the bots in their namespaces.
"""

import atexit
import contextlib
import ctypes
import gc
import importlib
import os
import select
import signal
import site
import socket
import sys
import threading

_MOUNTS, _GROUPS, _HOST_NAME, _IPC, _NETWORK = 1 << 17, 1 << 25, 1 << 26, 1 << 27, 1 << 30  # CLONE_NEW* flags
_USERS = 1 << 28  # CLONE_NEWUSER, where bots have namespaces of their own for users
_PROCESSES = 1 << 29  # CLONE_NEWPID, which takes effect for children only
_DROP_FROM_BOUNDS, _SET_SUBREAPER = 24, 36  # PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER
_SETTINGS_BYTES = 2**18
_MOST_DESCRIPTORS = 16
_SIGNAL_EXIT = 128  # shells add this to a signal's number in their exit code

_INSIDE = _MOUNTS | _GROUPS | _HOST_NAME | _IPC | _NETWORK
OWN_USERS = b"u"
"""Message for bots whose namespaces have their own users; any other byte means that they have none."""

_libc = ctypes.CDLL(None, use_errno=True)
_info = bytearray(4096)  # buffer for bubblewrap's output and process numbers


def _enter(namespaces: int, kinds: int) -> None:
    if _libc.setns(ctypes.c_int(namespaces), ctypes.c_int(kinds)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _number_in(text: bytearray) -> int:
    """Return the number at the beginning of a text."""
    number = 0
    for byte in text.split(None, 1)[0].rstrip(b",}"):
        number = 10 * number + byte - ord("0")
    return number


class _Bot:
    """A bot that is about to start, as a set of descriptors.

    `own_users`: whether its namespaces have users of their own. `settings`: a file, for the launcher. `info`: output of
        bubblewrap. `hold`: socket to the shell. `output`, `report`: output and reports of the bot. `groups`: files by
        which a process enters its control groups.
    """

    def __init__(self, descriptors: list[int], *, own_users: bool) -> None:
        self._all = descriptors
        self._own_users = own_users
        self._settings, self._info, self.hold, self._output, self.report, *self._groups = descriptors
        self._namespaces = -1

    def close(self, *, but_hold: bool = False) -> None:
        """Close the descriptors. Without `but_hold`, the bot's shell ends, too."""
        for descriptor in self._all:
            if not (but_hold and descriptor == self.hold):
                os.close(descriptor)

    def fork(self) -> int:
        """Fork into the bot's complete namespaces; return a pidfd of the new process, -1 in that process.

        Raises:
            OSError: the shell has ended, or the host is short of something.
        """
        if os.read(self.hold, 1) != b"+":
            raise ProcessLookupError
        length = os.readv(self._info, [_info])
        self._namespaces = os.pidfd_open(_number_in(_info[_info.index(b":") + 1 : length]))
        self._all.append(self._namespaces)
        _info[:] = bytes(len(_info))
        poll = select.poll()
        poll.register(self.hold, select.POLLHUP)
        if poll.poll(0):  # the process has ended, and its number may be reused
            raise ProcessLookupError
        if self._own_users:
            return self._fork_by_another()
        _enter(self._namespaces, _PROCESSES)
        child = os.fork()
        return self._report_number(child) if child else -1

    def _fork_by_another(self) -> int:
        """Fork through an intermediate process: other namespaces can be entered only from the bot's user namespace.

        The intermediate process ends at once, which makes the bot a child of this process. The bot waits until the
        worker knows its id.
        """
        ours, theirs = socket.socketpair()
        with ours, theirs:
            between = os.fork()
            if not between:
                ours.close()
                self._fork_inside(theirs)
                return -1
            os.waitpid(between, 0)
            length = ours.recv_into(_info, 0, socket.MSG_DONTWAIT)
            child = _number_in(_info[:length])
            _info[:] = bytes(len(_info))
            process = self._report_number(child)
            with contextlib.suppress(OSError):  # raised if the process is being killed
                ours.send(b"+")
        return process

    def _fork_inside(self, template: socket.socket) -> None:
        """Enter the bot's groups and namespaces, fork, send the id to `template` and end; returns only in the bot."""
        goes_on = False
        try:
            self._enter_groups()
            _enter(self._namespaces, _USERS | _PROCESSES | _INSIDE)
            if child := os.fork():
                template.send(b"%d" % child)
            else:
                goes_on = template.recv(1) == b"+"
        finally:
            if not goes_on:
                os._exit(0)

    def _enter_groups(self) -> None:
        for group in self._groups:
            os.write(group, b"0")

    def _report_number(self, child: int) -> int:
        """Send the worker the id of the bot, a child of this process; return a pidfd of the bot."""
        try:
            process = os.pidfd_open(child)
        except OSError:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        with contextlib.suppress(OSError):  # raised if the worker has given up on the process and is killing it
            os.write(self.report, b"%d\n" % child)
        return process

    def enter(self) -> bytes:
        """In the forked process, enter the groups and namespaces that `fork` has not entered; return the settings."""
        os.dup2(self._output, 1)
        os.dup2(self._output, 2)
        if not self._own_users:
            self._enter_groups()
            _enter(self._namespaces, _INSIDE)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # no two bots may share an open file description
        os.setsid()
        os.environ["PWD"] = sys.argv[2]
        os.chdir(sys.argv[2])
        threading.main_thread()._set_native_id()  # type: ignore[attr-defined]  # noqa: SLF001  # it was the template's
        capability = 0
        while _libc.prctl(_DROP_FROM_BOUNDS, ctypes.c_ulong(capability), 0, 0, 0) == 0:
            capability += 1
        return os.pread(self._settings, _SETTINGS_BYTES, 0)


class _Template:
    """Template process, which forks into bots that a worker requests over a socket."""

    def __init__(self, worker: socket.socket) -> None:
        self._worker = worker
        self._poll = select.epoll()
        self._poll.register(worker, select.EPOLLIN)
        self._starting: dict[int, _Bot] = {}  # starting bots by `hold`
        self._running: dict[int, int] = {}  # `hold` by process descriptor

    def until_born(self) -> tuple[bytes, int]:
        """Fork into bots until the worker ends; in a bot's process return settings and report descriptor."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor in self._running:
                    self._bury(descriptor)
                elif descriptor not in self._starting:
                    self._take()
                elif born := self._begin(descriptor):
                    return born

    def _take(self) -> None:
        message, descriptors, flags, _ = socket.recv_fds(self._worker, 1, _MOST_DESCRIPTORS)
        if not message:
            os._exit(0)
        if flags & socket.MSG_CTRUNC:  # the kernel passed no descriptor, since none are left
            for descriptor in descriptors:
                os.close(descriptor)
            return
        bot = _Bot(descriptors, own_users=message == OWN_USERS)
        self._starting[bot.hold] = bot
        self._poll.register(bot.hold, select.EPOLLIN)

    def _begin(self, hold: int) -> tuple[bytes, int] | None:
        """Fork into a bot when its shell reports complete namespaces; drop a bot whose shell has ended."""
        self._poll.unregister(hold)
        bot = self._starting.pop(hold)
        try:
            running = bot.fork()
        except OSError:
            bot.close()
            return None
        if running < 0:
            self._poll.close()
            self._worker.detach()
            return bot.enter(), bot.report
        bot.close(but_hold=True)
        self._running[running] = hold
        self._poll.register(running, select.EPOLLIN)
        return None

    def _bury(self, running: int) -> None:
        hold = self._running.pop(running)
        ended = os.waitid(os.P_PIDFD, running, os.WEXITED)
        assert ended
        code = ended.si_status if ended.si_code == os.CLD_EXITED else _SIGNAL_EXIT + ended.si_status
        with contextlib.suppress(OSError):  # raised if the bot's shell was killed
            os.write(hold, b"%d\n" % code)
        self._poll.unregister(running)
        os.close(running)
        os.close(hold)


def main() -> None:
    """Run the template with the command line's arguments."""
    usual = gc.get_threshold()
    gc.disable()
    _libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    site.main()
    launcher = importlib.import_module("beanleague.referee.sandbox.launcher")
    for name in ("bohnanza", "dice", "duel", "two"):
        importlib.import_module(f"beanbot.{name}")
    importlib.import_module("beanbot._runtime.runner").load_messages()
    worker = socket.socket(fileno=int(sys.argv[1]))
    gc.collect()
    gc.freeze()
    worker.send("\n".join({name.partition(".")[0] for name in sys.modules}).encode())
    settings, report = _Template(worker).until_born()
    gc.set_threshold(*usual)
    gc.enable()
    launcher.run_as_bot(settings, report)


def _end(code: object) -> None:
    """Exit with the code of a SystemExit, but without freeing anything.

    Freeing objects would copy the memory pages shared with other bots.
    """
    if code is not None and not isinstance(code, int):
        os.write(2, f"{code}\n".encode(errors="backslashreplace"))
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # as multiprocessing does where it forks
    atexit._run_exitfuncs()  # noqa: SLF001
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    try:
        main()
    except SystemExit as end:
        _end(end.code)
    except OSError as problem:
        _end(f"the sandbox cannot be set up: {problem}")
    _end(0)
