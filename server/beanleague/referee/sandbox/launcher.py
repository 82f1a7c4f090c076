"""The last step before a bot: give up what it must not have, then become it.

Run by the referee's interpreter as `python -I -S inside.py ORDERS`, in a process of its own and inside the namespaces,
if there are any. ORDERS is JSON, as `beanleague.referee.sandbox.launch` writes it. Standard library only.
"""

import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys

_SET_PDEATHSIG, _SET_KEEPCAPS, _SET_SECCOMP, _SET_NO_NEW_PRIVS, _CAP_AMBIENT = 1, 8, 22, 38, 47
_SECCOMP_FILTER, _AMBIENT_RAISE = 2, 2
_DAC_READ_SEARCH = 2
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITY_VERSION = 0x20080522

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_ABI_QUESTION = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RIGHTS_SINCE = ((1, (1 << 13) - 1), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
_TCP_SINCE, _SCOPES_SINCE = 4, 6

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def _prctl(what: str, option: int, *values: object) -> None:
    padded = [value if not isinstance(value, int) else ctypes.c_ulong(value) for value in values]
    padded += [ctypes.c_ulong(0)] * (4 - len(padded))
    _checked(_libc.prctl(ctypes.c_int(option), *padded), what)


def _rules(places: list[str], devices: list[str]) -> int:
    """Return a Landlock ruleset: `places` can be read and run, `devices` read and written, and nothing else."""
    abi = _checked(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ABI_QUESTION)), "Landlock")
    rights = sum(right for since, right in _RIGHTS_SINCE if abi >= since)
    attributes = struct.pack("<Q", rights)
    if abi >= _TCP_SINCE:
        attributes += struct.pack("<Q", 3)  # bind and connect
    if abi >= _SCOPES_SINCE:
        attributes += struct.pack("<Q", 3)  # abstract sockets and signals
    size = ctypes.c_size_t(len(attributes))
    ruleset = _checked(_libc.syscall(_CREATE_RULESET, attributes, size, ctypes.c_uint(0)), "Landlock")
    for path in (*places, *devices):
        try:
            found = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        allowed = _EXECUTE | _READ_FILE if path in places else _READ_FILE | _WRITE_FILE
        if os.path.isdir(path):  # noqa: PTH112  # pathlib would take as long to import as all the rest
            allowed |= _READ_DIR
        rule = struct.pack("<Qi", allowed, found)
        _checked(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, ctypes.c_uint(0)), f"Landlock: {path}")
        os.close(found)
    return ruleset


def _drop(uid: int, *, reads_all: bool) -> None:
    """Become the user `uid`. `reads_all`: it may still read what Landlock lets it, whoever owns that."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    if reads_all:
        _prctl("keeping capabilities", _SET_KEEPCAPS, 1)
    os.setresuid(uid, uid, uid)
    if reads_all:
        bit = 1 << _DAC_READ_SEARCH
        header = struct.pack("<Ii", _CAPABILITY_VERSION, 0)
        values = struct.pack("<6I", bit, bit, bit, 0, 0, 0)
        _checked(_libc.syscall(_CAPSET[os.uname().machine], header, values), "capset")
        _prctl("keeping a capability", _CAP_AMBIENT, _AMBIENT_RAISE, _DAC_READ_SEARCH)


def _filter(code: bytes) -> None:
    """Install a seccomp filter."""
    held = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(held))
    _prctl("seccomp", _SET_SECCOMP, _SECCOMP_FILTER, program)


def _keep(referee: int) -> int:
    """Fork; return the number of the parent in the child, which becomes the bot.

    The parent ends as the bot does, and kills it when the process `referee` has ended. The kernel would, too, if the
    bot did not call that off.
    """
    keeper = os.getpid()
    heard = {signal.SIGTERM, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    bot = os.fork()
    if not bot:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return keeper
    _prctl("asking to hear of the referee's end", _SET_PDEATHSIG, signal.SIGTERM.value)
    if os.getppid() != referee:  # it ended before this was asked
        os.kill(bot, signal.SIGKILL)
    ended = status = 0
    while not ended:
        if signal.sigwait(heard) == signal.SIGTERM:
            os.kill(bot, signal.SIGKILL)
        ended, status = os.waitpid(bot, os.WNOHANG)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # end as it did
        if -code not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.kill(keeper, -code)
    os._exit(code & 0xFF)


def _ended(process: int) -> bool:
    """Return whether the process of this descriptor has ended."""
    poll = select.poll()  # select.select() is for the first 1,024 descriptors
    poll.register(process, select.POLLIN)
    return bool(poll.poll(0))


def main() -> None:
    """Do what the command line says."""
    orders = json.loads(sys.argv[1])
    # Bubblewrap asked to end with the referee, but that may have ended before.
    if orders["referee"] is not None and _ended(orders["referee"]):
        return
    os.closerange(3, 65536)
    parent = _keep(orders["parent"]) if orders["landlock"] else orders["parent"]
    for which, most in orders["limits"].items():
        number = getattr(resource, f"RLIMIT_{which}")
        ceiling = resource.getrlimit(number)[1]
        allowed = most if ceiling == resource.RLIM_INFINITY else min(most, ceiling)
        # Told to end by SIGXCPU before it is killed: nobody else did that.
        hard = allowed + 1 if which == "CPU" and allowed != ceiling else allowed
        resource.setrlimit(number, (allowed, hard))
    ruleset = _rules(orders["places"], orders["devices"]) if orders["landlock"] else None
    if orders["uid"] is not None:
        _drop(orders["uid"], reads_all=orders["reads_all"])
    if parent:
        _prctl("asking to end with its parent", _SET_PDEATHSIG, signal.SIGKILL.value)
        if os.getppid() != parent:  # it ended before this was asked
            return
    if ruleset is not None or orders["seccomp"]:
        _prctl("no new privileges", _SET_NO_NEW_PRIVS, 1)
    if ruleset is not None:
        _checked(_libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint(0)), "Landlock")
        os.close(ruleset)
    words = orders["command"]
    if orders["seccomp"]:
        code = bytes.fromhex(orders["seccomp"])
        if orders["own_pid"]:
            code = code.replace(bytes.fromhex(orders["own_pid"]), struct.pack("<I", os.getpid()))
        _filter(code)
    try:
        os.execvp(words[0], words)
    except OSError as problem:
        sys.exit(f"{words[0]}: {problem.strerror}")


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        sys.exit(f"the sandbox cannot be set up: {problem}")
