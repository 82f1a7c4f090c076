"""Single key presses from a terminal, with a time limit."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from types import TracebackType
from typing import Self

_NAMES = {
    b"\r": "enter",
    b"\n": "enter",
    b" ": "space",
    b"\x7f": "backspace",
    b"\x08": "backspace",
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[C": "right",
    b"\x1b[D": "left",
    b"\x1b[H": "home",
    b"\x1b[F": "end",
    b"\x1b[1~": "home",
    b"\x1b[4~": "end",
    b"\x1b[5~": "pageup",
    b"\x1b[6~": "pagedown",
    b"\x1bOA": "up",
    b"\x1bOB": "down",
    b"\x1bOC": "right",
    b"\x1bOD": "left",
    b"\x1bOH": "home",
    b"\x1bOF": "end",
    b"\x04": "q",
}
_MAX_READ = 16  # bytes at a time


class Keys:
    """Keys pressed at standard input, which must be a terminal; leaving the context restores its settings.

    Ctrl-C still interrupts.
    """

    def __init__(self) -> None:
        self._terminal = sys.stdin.fileno()
        self._before: list[object] = []
        self._read = b""

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)  # type: ignore[arg-type]

    def wait(self, seconds: float) -> str | None:
        """Return the next key by name ("right", "enter", "q", ...), or None if none is pressed in time."""
        if not self._read:
            ready, _, _ = select.select([self._terminal], [], [], seconds)
            if not ready:
                return None
            self._read = os.read(self._terminal, _MAX_READ)
            if not self._read:
                return "q"
        length = key_length(self._read)
        key, self._read = self._read[:length], self._read[length:]
        return key_name(key)


def key_length(read: bytes) -> int:
    """Return how many of the bytes `read` (not empty) belong to the first key."""
    known = (len(code) for code in _NAMES if read.startswith(code))
    return max(known, default=len(read) if read.startswith(b"\x1b") else 1)


def key_name(code: bytes) -> str:
    """Return the name of a key, or its character."""
    return _NAMES.get(code, code.decode("utf-8", "replace"))
