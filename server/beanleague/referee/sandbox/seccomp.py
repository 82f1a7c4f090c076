"""The system calls a bot may not make, as a seccomp filter assembled here.

The filter is a list of classic BPF instructions (`struct sock_filter`) over `struct seccomp_data`; see seccomp(2).
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable
from dataclasses import dataclass

from beanleague.referee.sandbox.layers import SandboxError

OWN_PID = struct.pack("<I", 0x7E5E1F1D)
"""Stands in the filter for the process that it will confine, which puts its number there."""

_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_KILL, _ALLOW, _ERROR = 0x8000_0000, 0x7FFF_0000, 0x0005_0000
_NUMBER, _ARCH, _ARGS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x4000_0000  # numbers of system calls from here on are those of x86-64's 32-bit variant

_NEW_NAMESPACES = 0x7E02_0000  # all of CLONE_NEW* that clone() takes
_THREAD = 0x0001_0000  # CLONE_THREAD
_SHARED_ANONYMOUS = 0x21  # MAP_SHARED | MAP_ANONYMOUS
_UNIX = 1  # AF_UNIX
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_OWNERS_BY_IOCTL = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP: send signals to others
_OWNERS_BY_FCNTL = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: likewise
_LARGE_PIPES = (1031,)  # F_SETPIPE_SZ: what the kernel holds of them is no process's
_LARGE_BUFFERS = (7, 8, 32, 33)  # SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE: likewise
_LOCKS_BY_FCNTL = (6, 7, 37, 38, 1024, 1026)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY
_OWN_FUTEX, _FUTEX_COMMAND = 0x80, 0x7F  # FUTEX_PRIVATE_FLAG: among threads; without it, among all who map the file
_WAITS = (0, 9, 11)  # FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_WAIT_REQUEUE_PI

# Numbers on x86-64 and aarch64; None where there is no such call.
_DENIED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # mounts and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    # large and little used parts of the kernel
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    # memory that no process shows as its own
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "mq_open": (240, 180),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # signs to other processes of the same bot, over files that all can read
    "flock": (73, 32),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    # more than a fair share of the CPUs
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    # the machine itself
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
}

# What a bot that shares its process numbers with the host may not do either.
_DENIED_IN_SIGHT: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "tkill": (200, 130),
    "setsid": (112, 157),  # out of the group that is killed with it
    "setpgid": (109, 154),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_SOCKETS = ((41, 198), (53, 199))  # socket, socketpair
_MMAP, _IOCTL, _FCNTL, _SETSOCKOPT = (9, 222), (16, 29), (72, 25), (54, 208)
_TO_A_PROCESS = ((62, 129), (234, 131), (129, 138), (297, 240))  # kill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
_PRLIMIT = (302, 261)
_FUTEX = (202, 98)
_NEW_FUTEXES = (449, 454, 455, 456)  # futex_waitv, futex_wake, futex_wait, futex_requeue; what waits is out of reach


@dataclass(frozen=True, slots=True)
class _Machine:
    column: int  # in the tables above
    arch: int  # AUDIT_ARCH_*


_MACHINES = {"x86_64": _Machine(0, 0xC000_003E), "aarch64": _Machine(1, 0xC000_00B7)}


def program(*, in_sight: bool) -> bytes:
    """Return the filter: instructions of eight bytes each.

    `in_sight`: whether bots see the host's processes, and so may have none but themselves. Then `OWN_PID` must be
    replaced by the number of the process, four bytes in the machine's order.

    Raises:
        SandboxError: the system calls of this machine are not known.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        raise SandboxError(f"the system calls of {platform.machine()} are not known, only those of x86_64 and aarch64")
    code = [_op(_LOAD, _ARCH), _op(_EQUAL, machine.arch, 1, 0), _op(_RETURN, _KILL), _op(_LOAD, _NUMBER)]
    if machine.column == 0:
        code += [_op(_AT_LEAST, _X32, 0, 1), _op(_RETURN, _KILL)]
    denied = _DENIED | (_DENIED_IN_SIGHT if in_sight else {})
    for numbers in denied.values():
        code += _when(numbers[machine.column], [_deny()])
    code += _when(_CLONE3[machine.column], [_deny(errno.ENOSYS)])  # its flags are out of reach; libc then uses clone
    code += _when(_CLONE[machine.column], _clone(in_sight=in_sight))
    for numbers in _SOCKETS:
        code += _when(numbers[machine.column], _only(0, _UNIX))
    code += _when(_MMAP[machine.column], _never_all_bits(3, _SHARED_ANONYMOUS))
    code += _when(_IOCTL[machine.column], _never(1, _TERMINAL_INPUT + (_OWNERS_BY_IOCTL if in_sight else ())))
    code += _when(
        _FCNTL[machine.column], _never(1, _LOCKS_BY_FCNTL + _LARGE_PIPES + (_OWNERS_BY_FCNTL if in_sight else ()))
    )
    code += _when(_SETSOCKOPT[machine.column], _never(2, _LARGE_BUFFERS))
    code += _when(_FUTEX[machine.column], _own_futexes())
    for number in _NEW_FUTEXES:
        code += _when(number, [_deny(errno.ENOSYS)])
    if in_sight:
        own = struct.unpack("<I", OWN_PID)[0]
        for numbers in _TO_A_PROCESS:
            code += _when(numbers[machine.column], _only(0, own))
        code += _when(_PRLIMIT[machine.column], _only(0, 0, own))
    code.append(_op(_RETURN, _ALLOW))
    return b"".join(code)


def _op(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, operand)


def _deny(error: int = errno.EPERM) -> bytes:
    return _op(_RETURN, _ERROR | error)


def _when(number: int | None, block: list[bytes]) -> list[bytes]:
    """Do `block`, which returns whatever happens, for the system call `number`."""
    return [] if number is None else [_op(_EQUAL, number, 0, len(block)), *block]


def _argument(index: int) -> bytes:
    return _op(_LOAD, _ARGS + 8 * index)  # the lower half; the kernel looks at no more of these


def _only(index: int, *values: int) -> list[bytes]:
    """Allow only these values of an argument."""
    tests = [_op(_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [_argument(index), *tests, _deny(), _op(_RETURN, _ALLOW)]


def _never(index: int, values: Iterable[int]) -> list[bytes]:
    tests = [part for value in values for part in (_op(_EQUAL, value, 0, 1), _deny())]
    return [_argument(index), *tests, _op(_RETURN, _ALLOW)]


def _never_all_bits(index: int, bits: int) -> list[bytes]:
    return [_argument(index), _op(_AND, bits), _op(_EQUAL, bits, 0, 1), _deny(), _op(_RETURN, _ALLOW)]


def _own_futexes() -> list[bytes]:
    """Wait for threads of the same process only: for others, the answer is that there is nothing to wait for.

    Whoever asked looks again, so what waits for another process, as locks of multiprocessing do, is busy until then.
    """
    waits = [part for wait in _WAITS for part in (_op(_EQUAL, wait, 0, 1), _deny(errno.EAGAIN))]
    shared = [_op(_AND, _FUTEX_COMMAND), *waits]
    return [_argument(1), _op(_ANY_BIT, _OWN_FUTEX, len(shared), 0), *shared, _op(_RETURN, _ALLOW)]


def _clone(*, in_sight: bool) -> list[bytes]:
    """Never into new namespaces; and threads only, where a bot is one process."""
    namespaces = [_argument(0), _op(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _deny()]
    threads = [_op(_ANY_BIT, _THREAD, 1, 0), _deny()] if in_sight else []
    return [*namespaces, *threads, _op(_RETURN, _ALLOW)]
