"""Last step before a bot starts: drop all forbidden rights, then run it.

Run as `python -I -S launcher.py SETTINGS` by the referee's interpreter, in a new process, and in the bot's namespaces
if it has any. SETTINGS come from `beanleague.referee.sandbox.launch`. Standard library only.

A Python file is run by this interpreter, which saves starting another: all forbidden rights have been dropped, and no
file of the bot or its packages has been read yet.
"""

import _socket  # the module socket takes longer to import than all the rest
import _thread
import builtins
import ctypes
import errno
import fcntl
import marshal
import os
import resource
import select
import signal
import struct
import sys
import time

_SET_PDEATHSIG, _SET_DUMPABLE, _SET_KEEPCAPS, _SET_NO_NEW_PRIVS, _CAP_AMBIENT = 1, 4, 8, 38, 47
_AMBIENT_RAISE = 2
_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_FUTEX = {"x86_64": 202, "aarch64": 98}
_PIDFD_GETFD = 438
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _RESPOND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_RESPONSE = struct.Struct("=QqiI")
_UNIX = struct.pack("@H", _socket.AF_UNIX)
_FUTEX_WAIT_S = 0.05  # interval at which a waiter on a shared futex checks it again
_MAX_ADDRESS_BYTES = 110  # size of struct sockaddr_un

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH, _NET_PORT = 1, 2
_CONNECT_TCP = 2
_ABI_QUESTION = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RIGHTS_SINCE = ((1, (1 << 13) - 1), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
_TCP_SINCE, _SCOPES_SINCE = 4, 6

_NEW_MOUNTS, _NEW_USERS = 0x2_0000, 0x1000_0000  # CLONE_NEWNS, CLONE_NEWUSER
# MS_* flags; bare: no suid, dev, exec
_READ_ONLY, _BARE, _REMOUNT, _RECURSIVE, _PRIVATE = 1, 2 | 4 | 8, 32, 1 << 14, 1 << 18

_SHORTAGES = (errno.EAGAIN, errno.EMFILE, errno.ENFILE)  # host shortages that prevent starting a program

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _check(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def _prctl(what: str, option: int, *values: int) -> None:
    padded = [*values, 0, 0, 0, 0][:4]
    _check(_libc.prctl(ctypes.c_int(option), *map(ctypes.c_ulong, padded)), what)


def _ruleset(readable: list[str], devices: list[str], port: "int | None" = None) -> int:
    """Return a Landlock ruleset: `readable` allows reading and executing, `devices` reading and writing.

    `port`: TCP port for connections; None for none.
    """
    abi = _check(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ABI_QUESTION)), "Landlock")
    rights = sum(right for since, right in _RIGHTS_SINCE if abi >= since)
    attributes = struct.pack("<Q", rights)
    if abi >= _TCP_SINCE:
        attributes += struct.pack("<Q", 3)  # rights to bind and to connect to TCP ports
    if abi >= _SCOPES_SINCE:
        attributes += struct.pack("<Q", 3)  # abstract sockets and signals
    size = ctypes.c_size_t(len(attributes))
    ruleset = _check(_libc.syscall(_CREATE_RULESET, attributes, size, ctypes.c_uint(0)), "Landlock")
    for path in (*readable, *devices):
        try:
            found = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        allowed = _EXECUTE | _READ_FILE if path in readable else _READ_FILE | _WRITE_FILE
        if os.path.isdir(path):  # noqa: PTH112  # pathlib would take as long to import as everything else
            allowed |= _READ_DIR
        rule = struct.pack("<Qi", allowed, found)
        _check(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint(0)), f"Landlock: {path}")
        os.close(found)
    if port is not None and abi >= _TCP_SINCE:
        rule = struct.pack("<QQ", _CONNECT_TCP, port)
        _check(_libc.syscall(_ADD_RULE, ruleset, _NET_PORT, rule, ctypes.c_uint(0)), "Landlock")
    return ruleset


def restrict(readable: list[str], devices: list[str], port: int, code: bytes) -> None:
    """Confine this thread and everything that it starts, permanently. `code`: a seccomp filter. See `_ruleset`.

    Raises:
        OSError: if the kernel does not support this.
    """
    _enforce(_ruleset(readable, devices, port))
    _hold(0)
    _install_filter(code, listen=False)


def _hold(capabilities: int) -> None:
    """Keep only these capabilities, all with numbers below 32."""
    header = struct.pack("<Ii", _CAPABILITY_VERSION, 0)
    values = struct.pack("<6I", capabilities, capabilities, capabilities, 0, 0, 0)
    _check(_libc.syscall(_CAPSET[os.uname().machine], header, values), "capset")


def _change_user(uid: int, *, reads_all: bool) -> None:
    """Change to user `uid`. `reads_all`: keep the right to read all files that Landlock allows."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    if reads_all:
        _prctl("keeping capabilities", _SET_KEEPCAPS, 1)
    os.setresuid(uid, uid, uid)
    if reads_all:
        _hold(1 << _DAC_READ_SEARCH)
        _prctl("keeping a capability", _CAP_AMBIENT, _AMBIENT_RAISE, _DAC_READ_SEARCH)
        _prctl("keeping no more", _SET_KEEPCAPS, 0)
    else:
        _hold(0)  # drops any keep-capabilities setting of a service manager


def _cover_processes(program: str) -> None:
    """Cover /proc with an empty folder, if this process may have mounts of its own.

    Otherwise stat(2), which Landlock does not restrict, reveals numbers of descriptors and threads of every process.
    `program`: target of /proc/self/exe, which the dynamic linker needs to find libraries next to a program.
    """
    if _libc.unshare(ctypes.c_int(_NEW_MOUNTS)) and not _have_own_users():
        return
    for source, target, kind, flags, options in (
        (None, b"/", None, _RECURSIVE | _PRIVATE, None),
        (b"none", b"/proc", b"tmpfs", _BARE, b"mode=755,size=4k"),
    ):
        if _libc.mount(source, target, kind, ctypes.c_ulong(flags), options):
            return
    os.mkdir("/proc/self")  # noqa: PTH102  # no pathlib
    os.symlink(program, "/proc/self/exe")  # noqa: PTH211
    _libc.mount(None, b"/proc", None, ctypes.c_ulong(_REMOUNT | _READ_ONLY | _BARE), None)


def _have_own_users() -> bool:
    """Enter a user namespace, in which ordinary users may mount; return whether that worked."""
    user, group = os.geteuid(), os.getegid()
    if user == 0 or _libc.unshare(ctypes.c_int(_NEW_USERS | _NEW_MOUNTS)):
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(text)
    return True


def _install_filter(code: bytes, *, listen: bool) -> int:
    """Install a seccomp filter. With `listen`, return the descriptor of its notifications."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    flags = ctypes.c_ulong(_NEW_LISTENER if listen else 0)
    call = _SECCOMP[os.uname().machine]
    return _check(_libc.syscall(call, ctypes.c_ulong(_SET_MODE_FILTER), flags, program), "seccomp")


class _Listener:
    """Process that answers the system calls that a bot's filter delegates.

    A wait on a sharable futex is answered late, with EAGAIN, so that the waiter sleeps and then checks again. Other
    delegated calls connect sockets.
    """

    def __init__(self) -> None:
        self._ours, self._theirs = _socket.socketpair()

    def fork(self, report: "_Report") -> None:
        """Start the process as an orphan, since a bot may wait for all of its children."""
        child = os.fork()
        if child:
            self._ours.close()
            os.waitpid(child, 0)
            return
        try:
            if os.fork() == 0:
                self._theirs.close()
                report.close()
                self.answer()
        finally:  # an error must not let this process become the bot
            os._exit(0)

    def hand_over(self, listener: int) -> None:
        """Send the filter's listener to the other process; called in the bot's process."""
        rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", listener))]
        self._theirs.sendmsg([b"\0"], rights)
        self._theirs.close()

    def answer(self) -> None:
        """Answer calls until no process has the filter."""
        _, ancillary, _, _ = self._ours.recvmsg(1, _socket.CMSG_LEN(4))
        if not ancillary:  # no descriptor: the start has failed
            return
        (listener,) = struct.unpack("i", ancillary[0][2])
        futex = _FUTEX[os.uname().machine]
        waiting: list[tuple[float, int]] = []  # (time of the answer, id), earliest first
        poll = select.poll()
        poll.register(listener, select.POLLIN)
        while True:
            ready = poll.poll(max(waiting[0][0] - time.monotonic(), 0) * 1000 if waiting else None)
            while waiting and waiting[0][0] <= time.monotonic():
                _respond(listener, waiting.pop(0)[1], errno.EAGAIN)
            if not ready:
                continue
            if not ready[0][1] & select.POLLIN:
                return
            notification = bytearray(_NOTIFICATION.size)
            try:
                fcntl.ioctl(listener, _RECEIVE, notification)
            except FileNotFoundError:  # the thread has ended, or was interrupted
                continue
            ident, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(notification)
            if number == futex:
                waiting.append((time.monotonic() + _FUTEX_WAIT_S, ident))
            else:
                _respond(listener, ident, self.connect(thread, *arguments[:3]))

    def connect(self, *_call: int) -> int:
        """Connect a socket of the bot; return the errno, 0 on success."""
        return errno.EACCES


def _respond(listener: int, ident: int, error: int) -> None:
    try:
        fcntl.ioctl(listener, _RESPOND, _RESPONSE.pack(ident, 0, -error, 0))
    except FileNotFoundError:  # the thread has ended, or was interrupted
        return


class _Guard(_Listener):
    """Process that guards a bot without namespaces, and is out of its reach.

    It ends like the bot, kills the bot when the referee ends (as the kernel would, unless the bot disabled that), and
    connects the bot's sockets only to the referee's.
    """

    def __init__(self, referee: int, path: str) -> None:
        super().__init__()
        self._referee = referee
        self._path = os.fsencode(path)
        self._process = -1

    def fork_bot(self) -> int:
        """Fork; the child becomes the bot and gets this process's pid. Never returns in this process."""
        guard = os.getpid()
        awaited = {signal.SIGTERM, signal.SIGCHLD}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
        bot = os.fork()
        if not bot:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            self._ours.close()
            return guard
        self._theirs.close()
        _prctl("asking for a signal at the end of the referee", _SET_PDEATHSIG, signal.SIGTERM.value)
        if os.getppid() != self._referee:  # the referee ended before the request took effect
            os.kill(bot, signal.SIGKILL)
        self._process = os.pidfd_open(bot)
        _thread.start_new_thread(self.answer, ())
        ended = status = 0
        while not ended:
            if signal.sigwait(awaited) == signal.SIGTERM:
                os.kill(bot, signal.SIGKILL)
            ended, status = os.waitpid(bot, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:  # a signal: end this process in the same way
            if -code not in {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(-code, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            os.kill(guard, -code)
        os._exit(code & 0xFF)

    def connect(self, *call: int) -> int:
        """Connect a socket of the bot if the address is the referee's; return the errno, 0 on success."""
        thread, socket, address, length = call
        try:
            with open(f"/proc/{thread}/mem", "rb", buffering=0) as memory:  # noqa: PTH123  # no pathlib here
                asked = os.pread(memory.fileno(), min(length, _MAX_ADDRESS_BYTES), address)
            family, path = asked[:2], asked[2:].partition(b"\0")[0]
            if family != _UNIX or path != self._path:
                return errno.EACCES
            duplicate = _check(_libc.syscall(_PIDFD_GETFD, self._process, socket, 0), "pidfd_getfd")
            try:
                given = _UNIX + self._path + b"\0"
                return ctypes.get_errno() if _libc.connect(duplicate, given, ctypes.c_uint(len(given))) < 0 else 0
            finally:
                os.close(duplicate)
        except OSError as problem:
            return problem.errno or errno.EACCES
        except OverflowError:  # no process has such an address or descriptor
            return errno.EFAULT


class _Report:
    """Progress reports to the referee, over the only descriptor that stays open; the bot does not get it."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        if descriptor is None:
            os.closerange(3, 65536)
            return
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, 65536)
        os.set_inheritable(descriptor, False)

    def write(self, text: bytes) -> None:
        """Write a report."""
        if self._descriptor is not None:
            os.write(self._descriptor, text)

    def close(self) -> None:
        """Close the descriptor in a process that does not become the bot."""
        if self._descriptor is not None:
            os.close(self._descriptor)


def _has_ended(process: "int | None") -> bool:
    """Return whether the process behind a pidfd has ended; False for None."""
    if process is None:
        return False
    poll = select.poll()  # select.select() supports only the first 1,024 descriptors
    poll.register(process, select.POLLIN)
    return bool(poll.poll(0))


def run_as_bot(packed: bytes, report_to: "int | None" = None) -> None:
    """Become the bot described by the settings. `report_to`: descriptor for reports, if not in the settings.

    Raises:
        OSError: a forbidden right cannot be dropped.
    """
    settings = marshal.loads(packed)  # noqa: S302  # written by the referee
    # Bubblewrap asked for its own end with the referee, but the referee may have ended before.
    if _has_ended(settings["referee"]):
        return
    report = _Report(report_to or settings["report"])
    guard, parent = None, settings["parent"]
    if settings["landlock"]:
        guard = _Guard(parent, settings["socket"])
        parent = guard.fork_bot()
    _limit(settings["limits"])
    ruleset = None
    if settings["landlock"]:
        ruleset = _ruleset(settings["readable"], settings["devices"])
        _cover_processes(settings["program"])
    _drop_rights(
        settings["uid"], reads_all=settings["reads_all"], confined=ruleset is not None, forked=report_to is not None
    )
    if not _ends_with(parent):
        return
    if ruleset is not None:
        _enforce(ruleset)
    if settings["seccomp"]:
        listener = _listener(guard, report) if settings["listened"] else guard
        _filter_calls(settings["seccomp"], settings["own_pid"], listener)
    report.write(b"+")  # later errors are the bot's own
    _start(settings["command"], settings["packages"], report, in_place=bool(settings["script"]))


def _limit(limits: "dict[str, int]") -> None:
    """Set resource limits by their names without RLIMIT_, capped at this process's own."""
    for name, most in limits.items():
        number = getattr(resource, f"RLIMIT_{name}")
        ceiling = resource.getrlimit(number)[1]
        allowed = most if ceiling == resource.RLIM_INFINITY else min(most, ceiling)
        # SIGXCPU comes a second before SIGKILL: it proves that no other process killed the bot.
        hard = allowed + 1 if name == "CPU" and allowed != ceiling else allowed
        resource.setrlimit(number, (allowed, hard))


def _drop_rights(user: "int | None", *, reads_all: bool, confined: bool, forked: bool) -> None:
    """Become `user`, or keep the user without capabilities. `confined`: by Landlock; `forked`: from a template."""
    if user is not None:
        _change_user(user, reads_all=reads_all)
    elif confined or forked:  # an ordinary user has all rights in a new user namespace
        _hold(0)
        if not confined:
            _prctl("being measured as if it were started", _SET_DUMPABLE, 1)


def _ends_with(parent: int) -> bool:
    """Make the kernel end this process with its parent (0: with none); return False if the parent has already ended."""
    if not parent:
        return True
    _prctl("asking to end with its parent", _SET_PDEATHSIG, signal.SIGKILL.value)
    return os.getppid() == parent


def _enforce(ruleset: int) -> None:
    """Confine this thread and its future children by a Landlock ruleset; close the ruleset."""
    _prctl("no new privileges", _SET_NO_NEW_PRIVS, 1)
    _check(_libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint(0)), "Landlock")
    os.close(ruleset)


def _listener(guard: "_Guard | None", report: _Report) -> _Listener:
    """Return the guard as listener of a filter; without a guard, start a process that only listens."""
    if guard:
        return guard
    listener = _Listener()
    listener.fork(report)
    return listener


def _filter_calls(code: bytes, own_pid: bytes, listener: "_Listener | None") -> None:
    """Install a seccomp filter.

    `listener`: answers its notifications; `own_pid`: replaces the placeholder in its code.
    """
    if own_pid:
        code = code.replace(own_pid, struct.pack("<I", os.getpid()))
    _prctl("no new privileges", _SET_NO_NEW_PRIVS, 1)
    descriptor = _install_filter(code, listen=listener is not None)
    if listener:
        listener.hand_over(descriptor)


def _start(words: list[str], packages: str, report: _Report, *, in_place: bool) -> None:
    """Run the bot's command: a Python file `in_place` by this interpreter, else a program that replaces it."""
    if packages:
        os.environ["PYTHONPATH"] = packages
    if in_place:
        report.close()
        _show_as(words)
        _run(words[1:], packages)
        return
    try:
        os.execvp(words[0], words)
    except OSError as problem:
        if problem.errno in _SHORTAGES:
            report.write(b"-")
        sys.exit(f"{words[0]}: {problem.strerror}{_cause(problem.errno, words[0])}")


def _cause(error: int | None, program: str) -> str:
    """Return an explanation of why a program cannot be run, if the system's message lacks one."""
    if error == errno.ENOEXEC:
        return "; it is neither a program for this kind of machine nor a script, whose first line begins with #!"
    if error == errno.ENOENT and os.path.lexists(program):
        return "; it is there, but not the interpreter that its first line names, or the loader that it was built for"
    return ""


def _show_as(words: list[str]) -> None:
    """Set the command line of this process as shown by the kernel.

    If the last byte of the arguments is not 0, the kernel shows a zero-terminated text.
    """
    begin = ctypes.c_void_p.in_dll(_libc, "program_invocation_name").value
    size = sum(len(os.fsencode(word)) + 1 for word in sys.orig_argv)
    if begin:
        ctypes.memmove(begin, os.fsencode(" ".join(words))[: size - 2].ljust(size - 1, b"\0") + b".", size)
    sys.orig_argv[:] = words


def _run(words: list[str], packages: str) -> None:
    """Run a Python file with arguments, as a new interpreter would."""
    from importlib.machinery import SourceFileLoader

    path = os.path.abspath(words[0])  # noqa: PTH100  # no pathlib
    if "site" not in sys.modules:  # the template of a forked bot has already loaded `site`
        import site  # imported late: it runs code of installed packages

        site.main()
    sys.path[:0] = filter(None, (os.path.dirname(os.path.realpath(path)), packages))  # noqa: PTH120
    sys.argv = words
    program = type(sys)("__main__")
    program.__file__, program.__loader__ = path, SourceFileLoader("__main__", path)
    vars(program).update(__builtins__=builtins, __cached__=None, __annotations__={})
    sys.modules["__main__"] = program
    try:
        with open(path, "rb") as file:  # noqa: PTH123  # no pathlib
            source = file.read()
    except OSError as problem:
        named = sys.executable  # noqa: TID251  # the interpreter's name in its message; starts nothing
        sys.stderr.write(f"{named}: can't open file {path!r}: [Errno {problem.errno}] {problem.strerror}\n")
        sys.exit(2)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), vars(program))  # noqa: S102  # the bot itself
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001  # shown as by Python, without the frame of this function
        frames = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(frames), frames)
        sys.exit(1)


if __name__ == "__main__":
    try:
        run_as_bot(bytes.fromhex(sys.argv[1]))
    except OSError as problem:
        sys.exit(f"the sandbox cannot be set up: {problem}")
