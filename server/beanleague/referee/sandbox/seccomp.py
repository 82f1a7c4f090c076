"""Seccomp filter of a bot: allowed system calls and their arguments.

CPython, Node.js, a JVM and programs in C need these calls, and nothing else is allowed. Deliberately excluded are calls
that write to inodes of the host (`utimensat`, `setxattr`), reveal or change the kernel's cache (`fadvise64`,
`readahead`, `mincore`, `cachestat`), reveal the machine's activity (`getrusage`, `sysinfo`), or make the kernel send a
signal of choice later (`timer_create`, `mq_notify`): SIGCONT would wake a bot that the referee has stopped.

The filter is a list of classic BPF instructions (`struct sock_filter`) over `struct seccomp_data`; see seccomp(2). A
forbidden call fails with an error, and the process continues; an unknown one fails with `ENOSYS`, as in a kernel that
lacks it. `syscalls.toml` lists the calls with their numbers.
"""

import errno
import os
import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from beanleague.referee.sandbox.layers import SandboxError

OWN_PID = struct.pack("<I", 0x7E5E1F1D)
"""Placeholder in the filter for a process's own id; the process to be confined fills it in."""

_LOAD, _EQUAL, _ANY_BIT, _NOT_BELOW, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_ALLOW, _ERROR, _NOTIFY = 0x7FFF_0000, 0x0005_0000, 0x7FC0_0000
_NUMBER, _ARCH, _ARGS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x4000_0000  # first system call number of the x32 variant of x86-64

_NEW_NAMESPACES = 0x7E02_0000  # all CLONE_NEW* flags that clone() takes
_OTHER_PARENTS = 0x0080_A000  # CLONE_PTRACE, CLONE_PARENT, CLONE_UNTRACED
_THREAD = 0x0001_0000  # CLONE_THREAD flag
_EXIT_SIGNAL = 0xFF  # CSIGNAL: bits for the signal sent to the parent when the child ends
_EXIT_SIGNALS = (0, 17)  # none or SIGCHLD: other signals continue or end a stopped parent
_SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS: memory that no process reports as its own
_READ_AHEAD = 0x4_A000  # MAP_LOCKED, MAP_POPULATE, MAP_HUGETLB: the duration of the first two reveals cached files
# MADV_NORMAL, DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK: of the
# process's own memory. Other advice changes or reveals the kernel's cache of files, or its reading of them.
_ADVICE = (4, 8, 0, 10, 11, 14, 15, 16, 17, 18, 19)
_UNIX = 1  # AF_UNIX
_SOCKET_TYPE, _STREAM = 0xF, 1  # no datagram sockets: datagrams can be sent to any socket of the host, also over a pair
_SOCKET_LEVEL = 1  # SOL_SOCKET
# SO_REUSEADDR, SO_KEEPALIVE, SO_LINGER, SO_REUSEPORT, SO_PASSCRED, SO_RCVTIMEO, SO_SNDTIMEO. Not the sizes of buffers:
# the memory of a buffer is charged to no process.
_SETTABLE = (2, 9, 13, 15, 16, 20, 21)
# `_SETTABLE`, and SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_PEERCRED, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN. Not
# SO_COOKIE, which counts the sockets of the whole machine.
_READABLE = (*_SETTABLE, 3, 4, 7, 8, 17, 30, 38, 39)
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Locks, leases and watches are signs to other
# processes; F_SETPIPE_SZ takes memory that is charged to no process.
_FCNTLS = (0, 1, 2, 3, 1030, 1032)
_SET_FLAGS = 4  # F_SETFL
_ASYNC = 0x2000  # O_ASYNC
_ACCESS, _CUT = 3, 0x200  # O_ACCMODE, O_TRUNC: before Linux 6.2, Landlock lets both empty a read-only file
_DIRECT = (0x4000, 0x1_0000)  # O_DIRECT per machine: bypasses the cache, and thereby reveals its contents
# PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS. Not
# PR_SET_PDEATHSIG: the signal could continue a process that is stopped. Not PR_SET_DUMPABLE: it hides what a process
# holds from a referee without root.
_PRCTLS = (2, 3, 15, 16, 38, 39)
_OWN_FUTEX, _FUTEX_COMMAND = 0x80, 0x7F  # FUTEX_PRIVATE_FLAG: shared by threads; without it, by all who map the file
_WAITS = (0, 9, 11)  # FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI
_IO_URING_SETUP = 425
_LAST_CLOCK = 11  # CLOCK_TAI; beyond it are the clocks of processes, by their number

_TO_A_PROCESS = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
_BY_CLOCK = ("clock_gettime", "clock_getres", "clock_nanosleep")


@dataclass(frozen=True, slots=True)
class _Machine:
    column: int
    """Column of this machine in the tables of system calls."""
    arch: int
    """AUDIT_ARCH_* constant of the machine."""

    def calls(self) -> Mapping[str, dict[str, int]]:
        """Return the numbers of this machine's system calls, by kind and name."""
        kinds = tomllib.loads(Path(__file__).with_name("syscalls.toml").read_text("ascii"))
        return {
            kind: {name: numbers[self.column] for name, numbers in calls.items() if self.column < len(numbers)}
            for kind, calls in kinds.items()
        }


_MACHINES = {"x86_64": _Machine(0, 0xC000_003E), "aarch64": _Machine(1, 0xC000_00B7)}


def program(*, namespaces: bool, processes: bool, listens: bool) -> bytes:
    """Return the filter: instructions of eight bytes each.

    Args:
        namespaces: whether bots have their own namespaces. If not, they share process ids with the host: a bot may
            reach only its own process, `OWN_PID` must be replaced by its id (four bytes in the machine's order), and
            each `connect` is passed to the filter's listener.
        processes: whether bots may start processes, not only threads.
        listens: whether waits on futexes that others could share are passed to the filter's listener.

    Raises:
        SandboxError: the system calls of this machine are unknown.
    """
    machine = _machine()
    checks = _checks(machine, processes=processes, listens=listens)
    if not namespaces:
        checks |= _checks_in_sight()
        checks |= {"open": _no_cut(1, checks["open"]), "openat": _no_cut(2, checks["openat"])}
    calls = machine.calls()
    numbers = calls["checked"] | calls["in_namespaces"]
    allowed = [*calls["allowed"].values()]
    if namespaces:
        allowed += calls["in_namespaces"].values()
    if processes:
        allowed += calls["starting_processes"].values()
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, machine.arch, 1, 0), _fail(errno.ENOSYS), _op(_LOAD, _NUMBER)]
    if machine.column == 0:
        code += [_op(_NOT_BELOW, _X32, 0, 1), _fail(errno.ENOSYS)]
    code += _when(numbers.get("futex"), checks.pop("futex"))  # first, as the most frequent checked call
    assert len(allowed) < 255, "a jump reaches 255 instructions ahead"
    code += [_op(_EQUAL, number, len(allowed) - place, 0) for place, number in enumerate(allowed)]
    code += [_op(0x05, 1), _op(_RETURN, _ALLOW)]
    for name, check in checks.items():
        code += _when(numbers.get(name), check)
    code.append(_fail(errno.ENOSYS))
    return b"".join(code)


def network_only() -> bytes:
    """Return the filter of a process under Landlock with network access: forbids calls that Landlock cannot see.

    It forbids io_uring, and sockets that reach services of this machine. Socket pairs, which event loops need, are
    allowed if they cannot be connected elsewhere.

    Raises:
        SandboxError: the system calls of this machine are unknown.
    """
    machine = _machine()
    checked = machine.calls()["checked"]
    allow = _op(_RETURN, _ALLOW)
    local = [_argument(0), _op(_EQUAL, _UNIX, 0, 1), _fail(errno.EACCES)]
    pair = [_argument(1), _op(_AND, _SOCKET_TYPE), _op(_EQUAL, _STREAM, 1, 0), _fail(errno.EPERM)]
    return b"".join(
        [
            *(_op(_LOAD, _ARCH), _op(_EQUAL, machine.arch, 1, 0), _fail(errno.EPERM)),
            *(_op(_LOAD, _NUMBER), _op(_NOT_BELOW, _X32, 0, 1), _fail(errno.EPERM)),
            *_when(_IO_URING_SETUP, [_fail(errno.EPERM)]),
            *_when(checked["socket"], [*local, allow]),
            *_when(checked["socketpair"], [*pair, allow]),
            allow,
        ]
    )


def _machine() -> _Machine:
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        raise SandboxError(f"the system calls of {os.uname().machine} are not known, only those of x86_64 and aarch64")
    return machine


def _checks(machine: _Machine, *, processes: bool, listens: bool) -> dict[str, list[bytes]]:
    """Return the checks of arguments under every layer, by system call."""
    direct = _DIRECT[machine.column]
    return {
        "futex": _own_futexes(listens=listens),
        "mmap": [*_unless_all_bits(3, _SHARED_ANONYMOUS), *_no_bits(3, _READ_AHEAD)],
        "madvise": _only(2, _ADVICE, errno.EINVAL),
        "open": _no_bits(1, direct, errno.EINVAL),
        "openat": _no_bits(2, direct, errno.EINVAL),
        "clone": _clone(processes=processes),
        "clone3": [_fail(errno.ENOSYS)],  # flags of clone3 are out of the filter's reach; libc falls back to clone
        "wait4": _only_null(3),  # a struct would reveal page faults and reads of an ended child
        "waitid": _only_null(4),
        "fcntl": [
            *(_argument(1), _op(_EQUAL, _SET_FLAGS, 0, 4)),
            *_no_bits(2, direct | _ASYNC, errno.EINVAL),
            *_only(1, _FCNTLS, errno.EPERM),
        ],
        "ioctl": _only(1, _IOCTLS, errno.ENOTTY),
        "prctl": _only(0, _PRCTLS, errno.EINVAL),
        "socket": _only_streams(),
        "socketpair": _only_streams(),
        "setsockopt": _only_options(_SETTABLE),
        "getsockopt": _only_options(_READABLE),
        "preadv2": _only(5, (0,), errno.EOPNOTSUPP),
        "pwritev2": _only(5, (0,), errno.EOPNOTSUPP),
    }


def _checks_in_sight() -> dict[str, list[bytes]]:
    """Return further checks, by system call, for bots that share process ids and sockets with the host."""
    own = struct.unpack("<I", OWN_PID)[0]
    checks = {name: _only(0, (own,), errno.EPERM) for name in _TO_A_PROCESS}
    checks["prlimit64"] = _only(0, (0, own), errno.EPERM)
    # These calls reveal which process numbers are in use. Programs ask about their own threads and get the usual
    # answers: nothing special (0), or that this kernel does not support it, as libc expects.
    checks |= {name: _only(0, (0, own), 0) for name in ("sched_getparam", "sched_getscheduler")}
    checks["sched_getaffinity"] = _only(0, (0, own), errno.ENOSYS)
    for name in _BY_CLOCK:
        checks[name] = [
            _argument(0), _op(_NOT_BELOW, _LAST_CLOCK + 1, 0, 1), _fail(errno.EINVAL), _op(_RETURN, _ALLOW)
        ]  # fmt: skip
    checks["connect"] = [_op(_RETURN, _NOTIFY)]
    return checks


def _op(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, operand)


def _fail(error: int) -> bytes:
    return _op(_RETURN, _ERROR | error)


def _when(number: int | None, block: list[bytes]) -> list[bytes]:
    """Run `block` for the system call `number`; `block` must return on every path."""
    return [] if number is None else [_op(_EQUAL, number, 0, len(block)), *block]


def _argument(index: int) -> bytes:
    return _op(_LOAD, _ARGS + 8 * index)  # lower half of the argument; the kernel ignores the upper half


def _only(index: int, values: tuple[int, ...], error: int) -> list[bytes]:
    """Allow only these values of an argument."""
    tests = [_op(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_argument(index), *tests, _fail(error), _op(_RETURN, _ALLOW)]


def _only_null(index: int) -> list[bytes]:
    """Allow only a null pointer."""
    upper = _op(_LOAD, _ARGS + 8 * index + 4)
    return [
        *(_argument(index), _op(_EQUAL, 0, 0, 2), upper, _op(_EQUAL, 0, 1, 0)),
        *(_fail(errno.EPERM), _op(_RETURN, _ALLOW)),
    ]


def _no_bits(index: int, bits: int, error: int = errno.EPERM) -> list[bytes]:
    """Allow an argument with none of `bits`. Four instructions."""
    return [_argument(index), _op(_ANY_BIT, bits, 0, 1), _fail(error), _op(_RETURN, _ALLOW)]


def _unless_all_bits(index: int, bits: int) -> list[bytes]:
    """Refuse an argument with all of `bits`; otherwise continue."""
    return [_argument(index), _op(_AND, bits), _op(_EQUAL, bits, 0, 1), _fail(errno.EPERM)]


def _own_futexes(*, listens: bool) -> list[bytes]:
    """Allow waits for threads of the same process; otherwise answer that there is nothing to wait for.

    A caller then tries again in a busy loop until the event; a listener slows the loop by answering late.
    """
    answer = _op(_RETURN, _NOTIFY) if listens else _fail(errno.EAGAIN)
    waits = [part for wait in _WAITS for part in (_op(_EQUAL, wait, 0, 1), answer)]
    shared = [_op(_AND, _FUTEX_COMMAND), *waits]
    return [_argument(1), _op(_ANY_BIT, _OWN_FUTEX, len(shared), 0), *shared, _op(_RETURN, _ALLOW)]


def _no_cut(index: int, block: list[bytes]) -> list[bytes]:
    """Run `block` unless the flags of `open` would truncate a file opened for reading."""
    flags = [_argument(index), _op(_AND, _ACCESS | _CUT), _op(_EQUAL, _CUT, 0, 1), _fail(errno.EPERM)]
    return [*flags, *block]


def _clone(*, processes: bool) -> list[bytes]:
    """Restrict clone: no namespaces, no siblings; threads only if `processes` is False; only usual exit signals."""
    flags = [_argument(0), _op(_ANY_BIT, _NEW_NAMESPACES | _OTHER_PARENTS, 0, 1), _fail(errno.EPERM)]
    threads = [] if processes else [_op(_ANY_BIT, _THREAD, 1, 0), _fail(errno.EPERM)]
    tests = [_op(_EQUAL, number, len(_EXIT_SIGNALS) - place, 0) for place, number in enumerate(_EXIT_SIGNALS)]
    return [*flags, *threads, _op(_AND, _EXIT_SIGNAL), *tests, _fail(errno.EPERM), _op(_RETURN, _ALLOW)]


def _only_streams() -> list[bytes]:
    return [
        *(_argument(0), _op(_EQUAL, _UNIX, 1, 0), _fail(errno.EAFNOSUPPORT)),
        *(_argument(1), _op(_AND, _SOCKET_TYPE), _op(_EQUAL, _STREAM, 1, 0), _fail(errno.EPERM)),
        _op(_RETURN, _ALLOW),
    ]


def _only_options(options: tuple[int, ...]) -> list[bytes]:
    level = [_argument(1), _op(_EQUAL, _SOCKET_LEVEL, 1, 0), _fail(errno.ENOPROTOOPT)]
    return [*level, *_only(2, options, errno.ENOPROTOOPT)]
