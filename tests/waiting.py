"""Waiting in tests: never for a fixed time, and up to a minute, since everything takes longer on a busy machine."""

import time
from collections.abc import Callable
from typing import TypeVar

TIMEOUT_S = 60.0
"""Deadline of everything that tests wait for."""
_INTERVAL_S = 0.02

T = TypeVar("T")


def until(condition: Callable[[], T]) -> T:
    """Wait until a condition is true, and return its value; fail after a minute."""
    deadline = time.monotonic() + TIMEOUT_S
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {TIMEOUT_S:.0f} s: {condition}"
        time.sleep(_INTERVAL_S)
    return value
