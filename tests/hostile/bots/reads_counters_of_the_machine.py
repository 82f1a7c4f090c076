"""Reads what the whole machine counts: processes, open files, loads, faults, when a file was last read."""

import ctypes
import os
import socket
from pathlib import Path

from attacker import attempt, play

COUNTERS = (
    *(
        "loadavg",
        "stat",
        "vmstat",
        "meminfo",
        "uptime",
        "diskstats",
        "interrupts",
        "softirqs",
        "schedstat",
        "buddyinfo",
    ),
    *("zoneinfo", "pressure/cpu", "sys/fs/file-nr", "sys/fs/inode-nr", "sys/fs/dentry-state", "sys/kernel/threads-max"),
    *("self/stat", "self/io", "self/smaps", "self/pagemap", "self/sched", "self/schedstat", "self/status"),
    *("self/numa_maps", "self/smaps_rollup", "thread-self/stat"),
)
_SO_COOKIE = 57


def _readable(name: str) -> bool:
    try:
        return bool(Path("/proc", name).read_bytes())
    except OSError:
        return False


def _cookie() -> bool:
    with socket.socket(socket.AF_UNIX) as opened:
        try:
            return bool(opened.getsockopt(socket.SOL_SOCKET, _SO_COOKIE, 8))
        except OSError:
            return False


def attack() -> object:
    found = [name for name in COUNTERS if _readable(name)]
    if ctypes.CDLL(None).sysinfo(ctypes.create_string_buffer(512)) == 0:
        found.append("sysinfo")
    try:
        os.wait4(-1, os.WNOHANG)
        found.append("wait4")
    except ChildProcessError:
        found.append("wait4")
    except OSError:
        pass
    if _cookie():
        found.append("SO_COOKIE")
    return found


attempt(attack)
play()
