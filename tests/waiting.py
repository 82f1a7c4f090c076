"""Waiting in tests: never for a fixed time, and up to a minute, since everything takes longer on a busy machine."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import AnyStr, TypeVar

TIMEOUT_S = 60.0
"""Deadline of everything that tests wait for."""
PROGRAM_S = 300.0
"""Longest life of a program that a test talks with, which may have to wait for several things."""
LONG_S = 3600.0
"""The same in slow tests, which play whole leagues."""
_INTERVAL_S = 0.02

T = TypeVar("T")


def until(condition: Callable[[], T]) -> T:
    """Wait until a condition is true, and return its value; fail after a minute."""
    deadline = time.monotonic() + TIMEOUT_S
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {TIMEOUT_S:.0f} s: {condition}"
        time.sleep(_INTERVAL_S)
    return value


def join(*threads: threading.Thread) -> None:
    """Wait until threads have ended; fail after a minute."""
    deadline = time.monotonic() + TIMEOUT_S
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
        assert not thread.is_alive(), f"not ended within {TIMEOUT_S:.0f} s: {thread}"


@contextmanager
def ending(process: subprocess.Popen[AnyStr], life_s: float = PROGRAM_S) -> Iterator[subprocess.Popen[AnyStr]]:
    """Wait at the end of a block until a program has ended; kill it when it is too old, or the block fails.

    Whoever reads from a program that is killed comes to the end of its output.
    """
    with _killed_after(life_s, process), process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def first_line(process: subprocess.Popen[AnyStr]) -> AnyStr:
    """Return the first line that a program prints; kill a program that prints none within a minute."""
    assert process.stdout
    with _killed_after(TIMEOUT_S, process):
        line: AnyStr = process.stdout.readline()
    return line


@contextmanager
def _killed_after(seconds: float, process: subprocess.Popen[AnyStr]) -> Iterator[None]:
    late = threading.Timer(seconds, process.kill)
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()
