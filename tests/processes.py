"""Finding the processes of workers and bots."""

import contextlib
import time
from pathlib import Path

import psutil

from beanleague.referee.pool import WorkerPool

_TIMEOUT_S = 60


def workers_of(pool: WorkerPool) -> list[psutil.Process]:
    """Return the worker processes of `pool`, in the order of their lanes."""
    return [psutil.Process(worker.popen.pid) for worker in pool._workers]


def left_in(folder: Path) -> list[psutil.Process]:
    """Return the processes of bots below `folder` that are still there after a minute."""
    deadline = time.monotonic() + _TIMEOUT_S
    while (left := bots_in(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def strays_in(folder: Path) -> list[psutil.Process]:
    """Return the processes of bots below `folder` without a worker; those of other tests have one."""
    return [bot for bot in bots_in(folder) if not _has_worker(bot)]


def bots_in(folder: Path) -> list[psutil.Process]:
    """Return every process of a bot that was unpacked below `folder`, whether it sees that folder or a mount of it."""
    sign = "/".join(folder.parts[-4:])
    return [process for process in psutil.process_iter() if sign in _folder(process)]


def assert_nobody_is_left() -> None:
    """Check that all processes that this one has started end within a minute, and all that these have."""
    deadline = time.monotonic() + _TIMEOUT_S
    while (left := started()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def started() -> list[psutil.Process]:
    """Return the processes that this one has started to play matches, and all that these have."""
    found = []
    for child in psutil.Process().children():
        if "beanleague.referee.worker" in " ".join(_command(child)):
            with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
                found += [child, *child.children(recursive=True)]
    return [each for each in found if is_alive(each)]


def listening() -> set[tuple[str, int]]:
    """Return where this process and all that it has started listen for connections, as the kernel says it.

    Addresses of IPv4 are written as such, also where they are those of a socket for IPv6.
    """
    this = psutil.Process()
    sockets = [socket for each in (this, *this.children(recursive=True)) for socket in each.net_connections("inet")]
    return {
        (socket.laddr.ip.removeprefix("::ffff:"), socket.laddr.port)
        for socket in sockets
        if socket.status == psutil.CONN_LISTEN
    }


def is_alive(process: psutil.Process) -> bool:
    """Return whether a process has not ended."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def real_user(process: psutil.Process) -> int | None:
    """Return the user of a process; None if it has ended."""
    try:
        return process.uids().real
    except psutil.NoSuchProcess:
        return None


def _has_worker(process: psutil.Process) -> bool:
    """Return whether a worker above a process is there, or it has just ended itself."""
    try:
        return any("beanleague.referee.worker" in _command(above) for above in process.parents())
    except psutil.NoSuchProcess:
        return not is_alive(process)


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _folder(process: psutil.Process) -> str:
    try:
        mounts = [line.split() for line in Path(f"/proc/{process.pid}/mountinfo").read_text("utf-8").splitlines()]
        return next((words[3].replace("\\040", " ") for words in mounts if words[4] == "/bot"), "") or process.cwd()
    except (OSError, psutil.Error):
        return ""
