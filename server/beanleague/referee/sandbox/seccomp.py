"""The seccomp filter of a bot: which system calls it may make, and with which arguments.

They are what CPython, Node.js, a JVM and programs in C need, and nothing else. Left out on purpose are those that write
to inodes of the host (`utimensat`, `setxattr`), that tell or change what the kernel caches (`fadvise64`, `readahead`,
`mincore`, `cachestat`), and that tell what the machine does (`getrusage`, `sysinfo`).

The filter is a list of classic BPF instructions (`struct sock_filter`) over `struct seccomp_data`; see seccomp(2). A
call that is not allowed fails with an error, and the process goes on; one that is in no table fails with `ENOSYS`, as
in a kernel that does not have it. Numbers are those of x86-64 and aarch64; None where there is no such call.
"""

import errno
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from beanleague.referee.sandbox.layers import SandboxError

_Numbers = tuple[int | None, int | None]

_ALLOWED: Mapping[str, _Numbers] = {
    # files, pipes and sockets, the most frequent first
    "read": (0, 63),
    "write": (1, 64),
    "recvmsg": (47, 212),
    "sendmsg": (46, 211),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "poll": (7, None),
    "recvfrom": (45, 207),
    "sendto": (44, 206),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "preadv": (295, 69),
    "pwritev": (296, 70),
    "lseek": (8, 62),
    "close": (3, 57),
    "close_range": (436, 436),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "sendfile": (40, 71),
    "copy_file_range": (326, 285),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "msync": (26, 227),
    "ftruncate": (77, 46),
    "fallocate": (285, 47),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "sendmmsg": (307, 269),
    "recvmmsg": (299, 243),
    "shutdown": (48, 210),
    # waiting
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_pwait2": (441, 441),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    # names of files
    "creat": (85, None),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "umask": (95, 166),
    # memory
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "brk": (12, 214),
    # the own process
    "exit": (60, 93),
    "exit_group": (231, 94),
    "execve": (59, 221),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getpgrp": (111, None),
    "set_tid_address": (218, 96),
    "set_robust_list": (273, 99),
    "arch_prctl": (158, None),
    "rseq": (334, 293),
    "sched_yield": (24, 124),
    "getrlimit": (97, 163),
    "restart_syscall": (219, 128),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getgroups": (115, 158),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    # signals
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "signalfd4": (289, 74),
    "pause": (34, None),
    # time
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "nanosleep": (35, 101),
    "alarm": (37, None),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "timer_settime": (223, 110),
    "timer_gettime": (224, 108),
    "timer_getoverrun": (225, 109),
    "timer_delete": (226, 111),
    "timerfd_create": (283, 85),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    # what is the same for all
    "uname": (63, 160),
    "getrandom": (318, 278),
    "getcpu": (309, 168),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
}
"""Calls that are allowed whatever their arguments are."""

_ALLOWED_IN_NAMESPACES: Mapping[str, _Numbers] = {
    "truncate": (76, 45),
    "setpgid": (109, 154),
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "setsid": (112, 157),
    "tkill": (200, 130),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "prlimit64": (302, 261),
    "clock_gettime": (228, 113),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "timer_create": (222, 107),
    "connect": (42, 203),
}
"""Calls that reach only what is the bot's own, where it has processes, a network and files of its own."""

_STARTING_PROCESSES: Mapping[str, _Numbers] = {
    "fork": (57, None),
    "vfork": (58, None),
}
"""Calls for bots that may start processes; for `clone` see its flags."""

_CHECKED: Mapping[str, _Numbers] = {
    "futex": (202, 98),
    "mmap": (9, 222),
    "madvise": (28, 233),
    "open": (2, None),
    "openat": (257, 56),
    "clone": (56, 220),
    "clone3": (435, 435),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "prctl": (157, 167),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "setsockopt": (54, 208),
    "getsockopt": (55, 209),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
}
"""Calls that depend on their arguments, under every layer."""

OWN_PID = struct.pack("<I", 0x7E5E1F1D)
"""Stands in the filter for the process that it will confine, which puts its number there."""

_LOAD, _EQUAL, _ANY_BIT, _NOT_BELOW, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_ALLOW, _ERROR, _NOTIFY = 0x7FFF_0000, 0x0005_0000, 0x7FC0_0000
_NUMBER, _ARCH, _ARGS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x4000_0000  # numbers of system calls from here on are those of x86-64's 32-bit variant

_NEW_NAMESPACES = 0x7E02_0000  # all of CLONE_NEW* that clone() takes
_OTHER_PARENTS = 0x0080_A000  # CLONE_PTRACE, CLONE_PARENT, CLONE_UNTRACED
_THREAD = 0x0001_0000  # CLONE_THREAD
_SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS: memory that no process shows as its own
_READ_AHEAD = 0x4_A000  # MAP_LOCKED, MAP_POPULATE, MAP_HUGETLB: the first two tell by their time what is cached
# MADV_NORMAL, DONTNEED, FREE, DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK: on the
# own memory only. Others change or tell what the kernel caches of files, or how it reads them.
_ADVICE = (4, 8, 0, 10, 11, 14, 15, 16, 17, 18, 19)
_UNIX = 1  # AF_UNIX
_SOCKET_TYPE, _STREAM = 0xF, 1  # datagrams can be sent to any socket of the host, also over a pair
_SOCKET_LEVEL = 1  # SOL_SOCKET
# SO_REUSEADDR, SO_KEEPALIVE, SO_LINGER, SO_REUSEPORT, SO_PASSCRED, SO_RCVTIMEO, SO_SNDTIMEO. Not the sizes of buffers:
# what the kernel holds in them is no process's.
_SETTABLE = (2, 9, 13, 15, 16, 20, 21)
# As above, and SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_PEERCRED, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN. Not
# SO_COOKIE, which counts the sockets of the whole machine.
_READABLE = (*_SETTABLE, 3, 4, 7, 8, 17, 30, 38, 39)
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
# F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC, F_GETPIPE_SZ. Locks, leases and watches are signs to other
# processes; F_SETPIPE_SZ takes memory that is no process's.
_FCNTLS = (0, 1, 2, 3, 1030, 1032)
_SET_FLAGS = 4  # F_SETFL
_ASYNC = 0x2000  # O_ASYNC
_ACCESS, _CUT = 3, 0x200  # O_ACCMODE, O_TRUNC: before Linux 6.2, Landlock lets both empty what may only be read
_DIRECT = (0x4000, 0x1_0000)  # O_DIRECT of each machine: reads past the cache, which shows what is in it
# PR_SET_PDEATHSIG, PR_GET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_SET_NO_NEW_PRIVS,
# PR_GET_NO_NEW_PRIVS. Not PR_SET_DUMPABLE: it hides what a process holds from a referee without root.
_PRCTLS = (1, 2, 3, 15, 16, 38, 39)
_OWN_FUTEX, _FUTEX_COMMAND = 0x80, 0x7F  # FUTEX_PRIVATE_FLAG: among threads; without it, among all who map the file
_WAITS = (0, 9, 11)  # FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI
_IO_URING_SETUP = 425
_LAST_CLOCK = 11  # CLOCK_TAI; beyond it are the clocks of processes, by their number

_TO_A_PROCESS = ("kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")
_BY_CLOCK = ("clock_gettime", "clock_getres", "clock_nanosleep", "timer_create")


@dataclass(frozen=True, slots=True)
class _Machine:
    column: int
    """Of the tables of system calls."""
    arch: int
    """AUDIT_ARCH_*"""


_MACHINES = {"x86_64": _Machine(0, 0xC000_003E), "aarch64": _Machine(1, 0xC000_00B7)}


def program(*, namespaces: bool, processes: bool, listens: bool) -> bytes:
    """Return the filter: instructions of eight bytes each.

    Args:
        namespaces: bots have namespaces of their own. Else they share process numbers with the host: a bot may reach
            no process but itself, `OWN_PID` must be replaced by its number (four bytes in the machine's order), and
            each `connect` is handed to whoever listens to the filter.
        processes: bots may start processes, not only threads.
        listens: waits on futexes that others could share are handed to whoever listens to the filter.

    Raises:
        SandboxError: the system calls of this machine are not known.
    """
    machine = _machine()
    checks = _checks(machine, processes=processes, listens=listens)
    if not namespaces:
        checks |= _checks_in_sight()
        checks |= {"open": _no_cut(1, checks["open"]), "openat": _no_cut(2, checks["openat"])}
    numbers = {name: pair[machine.column] for name, pair in {**_CHECKED, **_ALLOWED_IN_NAMESPACES}.items()}
    allowed = dict(_ALLOWED)
    if namespaces:
        allowed |= _ALLOWED_IN_NAMESPACES
    if processes:
        allowed |= _STARTING_PROCESSES
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, machine.arch, 1, 0), _fail(errno.ENOSYS), _op(_LOAD, _NUMBER)]
    if machine.column == 0:
        code += [_op(_NOT_BELOW, _X32, 0, 1), _fail(errno.ENOSYS)]
    code += _when(numbers["futex"], checks.pop("futex"))  # the most frequent of those with a check
    code += _allow_any([number for pair in allowed.values() if (number := pair[machine.column]) is not None])
    for name, check in checks.items():
        code += _when(numbers[name], check)
    code.append(_fail(errno.ENOSYS))
    return b"".join(code)


def network_only() -> bytes:
    """Return the filter of a process under Landlock that needs the network: without what Landlock does not know of.

    That are sockets of this machine's services, and io_uring. Pairs of sockets, with which event loops wake
    themselves, stay where they cannot be connected elsewhere.

    Raises:
        SandboxError: the system calls of this machine are not known.
    """
    machine = _machine()
    allow = _op(_RETURN, _ALLOW)
    local = [_argument(0), _op(_EQUAL, _UNIX, 0, 1), _fail(errno.EACCES)]
    pair = [_argument(1), _op(_AND, _SOCKET_TYPE), _op(_EQUAL, _STREAM, 1, 0), _fail(errno.EPERM)]
    return b"".join(
        [
            *(_op(_LOAD, _ARCH), _op(_EQUAL, machine.arch, 1, 0), _fail(errno.EPERM)),
            *(_op(_LOAD, _NUMBER), _op(_NOT_BELOW, _X32, 0, 1), _fail(errno.EPERM)),
            *_when(_IO_URING_SETUP, [_fail(errno.EPERM)]),
            *_when(_CHECKED["socket"][machine.column], [*local, allow]),
            *_when(_CHECKED["socketpair"][machine.column], [*pair, allow]),
            allow,
        ]
    )


def _machine() -> _Machine:
    machine = _MACHINES.get(os.uname().machine)
    if machine is None:
        raise SandboxError(f"the system calls of {os.uname().machine} are not known, only those of x86_64 and aarch64")
    return machine


def _checks(machine: _Machine, *, processes: bool, listens: bool) -> dict[str, list[bytes]]:
    """Return what is checked of calls under every layer."""
    direct = _DIRECT[machine.column]
    return {
        "futex": _own_futexes(listens=listens),
        "mmap": [*_unless_all_bits(3, _SHARED_ANONYMOUS), *_no_bits(3, _READ_AHEAD)],
        "madvise": _only(2, _ADVICE, errno.EINVAL),
        "open": _no_bits(1, direct, errno.EINVAL),
        "openat": _no_bits(2, direct, errno.EINVAL),
        "clone": _clone(processes=processes),
        "clone3": [_fail(errno.ENOSYS)],  # its flags are out of reach; libc then uses clone
        "wait4": _only_null(3),  # else it shows the faults and reads of a child that ended
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
    """Return what is checked besides of bots that share process numbers and sockets with the host."""
    own = struct.unpack("<I", OWN_PID)[0]
    checks = {name: _only(0, (own,), errno.EPERM) for name in _TO_A_PROCESS}
    checks["prlimit64"] = _only(0, (0, own), errno.EPERM)
    # These tell which numbers are in use. Programs ask them of their threads, to which the usual is answered: nothing
    # special (0, without a look), or that this kernel cannot tell of threads, as libc expects.
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
    """Do `block`, which returns whatever happens, for the system call `number`."""
    return [] if number is None else [_op(_EQUAL, number, 0, len(block)), *block]


def _allow_any(numbers: list[int]) -> list[bytes]:
    """Allow these system calls."""
    # A jump reaches 255 instructions ahead.
    assert len(numbers) < 255
    tests = [_op(_EQUAL, number, len(numbers) - place, 0) for place, number in enumerate(numbers)]
    return [*tests, _op(0x05, 1), _op(_RETURN, _ALLOW)]


def _argument(index: int) -> bytes:
    return _op(_LOAD, _ARGS + 8 * index)  # the lower half; the kernel looks at no more of these


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
    """Refuse an argument with all of `bits`, else go on."""
    return [_argument(index), _op(_AND, bits), _op(_EQUAL, bits, 0, 1), _fail(errno.EPERM)]


def _own_futexes(*, listens: bool) -> list[bytes]:
    """Wait for threads of the same process only: for others, the answer is that there is nothing to wait for.

    Whoever asked looks again: without a listener, who answers late, it is busy until what it waits for has happened.
    """
    answer = _op(_RETURN, _NOTIFY) if listens else _fail(errno.EAGAIN)
    waits = [part for wait in _WAITS for part in (_op(_EQUAL, wait, 0, 1), answer)]
    shared = [_op(_AND, _FUTEX_COMMAND), *waits]
    return [_argument(1), _op(_ANY_BIT, _OWN_FUTEX, len(shared), 0), *shared, _op(_RETURN, _ALLOW)]


def _no_cut(index: int, block: list[bytes]) -> list[bytes]:
    """Do `block` unless the flags of `open` are to empty a file that is opened for reading alone."""
    flags = [_argument(index), _op(_AND, _ACCESS | _CUT), _op(_EQUAL, _CUT, 0, 1), _fail(errno.EPERM)]
    return [*flags, *block]


def _clone(*, processes: bool) -> list[bytes]:
    """Never into new namespaces, or beside the caller; and threads only, where a bot is one process."""
    flags = [_argument(0), _op(_ANY_BIT, _NEW_NAMESPACES | _OTHER_PARENTS, 0, 1), _fail(errno.EPERM)]
    threads = [] if processes else [_op(_ANY_BIT, _THREAD, 1, 0), _fail(errno.EPERM)]
    return [*flags, *threads, _op(_RETURN, _ALLOW)]


def _only_streams() -> list[bytes]:
    return [
        *(_argument(0), _op(_EQUAL, _UNIX, 1, 0), _fail(errno.EAFNOSUPPORT)),
        *(_argument(1), _op(_AND, _SOCKET_TYPE), _op(_EQUAL, _STREAM, 1, 0), _fail(errno.EPERM)),
        _op(_RETURN, _ALLOW),
    ]


def _only_options(options: tuple[int, ...]) -> list[bytes]:
    level = [_argument(1), _op(_EQUAL, _SOCKET_LEVEL, 1, 0), _fail(errno.ENOPROTOOPT)]
    return [*level, *_only(2, options, errno.ENOPROTOOPT)]
