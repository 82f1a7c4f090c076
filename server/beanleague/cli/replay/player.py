"""What drives a replay: the keys pressed at a terminal, and the position among its steps to which they go."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
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


_MAX_SPEED = 64.0  # turns per second
_MIN_SPEED = 0.125
_LANDMARK_KEYS = {"t": "trade", "h": "harvest", "f": "fault"}  # the capital letters go back


class ReplayPosition:
    """A position in a replay.

    `turns`: per step, the turn it belongs to (ascending). `landmarks`: steps with a key, ascending, by "trade",
    "harvest" and "fault". `speed`: turns per second while `playing`.
    """

    def __init__(
        self,
        turns: Sequence[int],
        *,
        landmarks: Mapping[str, Sequence[int]],
        speed: float,
        playing: bool,
    ) -> None:
        self._turns = turns
        self._landmarks = landmarks
        self._due = 0.0
        self.at = 0
        self.speed = speed
        self.playing = playing
        self.done = False
        self.note = ""
        self.help = False

    @property
    def at_end(self) -> bool:
        """Whether the last step is shown."""
        return self.at == len(self._turns) - 1

    def press(self, key: str) -> None:
        """Do what `key` is for, or say in `note` why it does nothing; unknown keys do nothing."""
        self.note = ""
        self.help = key == "?" and not self.help
        match key:
            case "q":
                self.done = True
            case "space":
                self.playing = not self.playing and not self.at_end
                self._due = 0.0
            case "+" | "=":
                self.speed = min(_MAX_SPEED, self.speed * 2)
            case "-":
                self.speed = max(_MIN_SPEED, self.speed / 2)
            case "right" | "enter":
                self._go(self.at + 1)
            case "left" | "backspace":
                self._go(self.at - 1)
            case "down" | "pagedown":
                self._go(self._first_of_later_turn())
            case "up" | "pageup":
                self._go(self._first_of_earlier_turn())
            case "home":
                self._go(0)
            case "end":
                self._go(len(self._turns) - 1)
            case _ if key.lower() in _LANDMARK_KEYS:
                self._go_to_landmark(_LANDMARK_KEYS[key.lower()], back=key.isupper())
            case _:
                pass

    def tick(self, seconds: float) -> None:
        """Let `seconds` go by; while playing, every turn takes as long as any other."""
        if not self.playing:
            return
        self._due += seconds * self.speed
        while not self.at_end:
            share = 1 / self._turns.count(self._turns[self.at])
            if self._due < share:
                return
            self._due -= share
            self.at += 1
        self.playing = False

    def _go(self, step: int) -> None:
        self.at = min(max(step, 0), len(self._turns) - 1)
        self.playing = False

    def _go_to_landmark(self, name: str, *, back: bool) -> None:
        steps = self._landmarks[name]
        found = steps[: bisect_left(steps, self.at)][-1:] if back else steps[bisect_right(steps, self.at) :][:1]
        if found:
            self._go(found[0])
        else:
            self.note = f"no {name} {'before' if back else 'after'} this"

    def _first_of_later_turn(self) -> int:
        now = self._turns[self.at]
        return next(
            (step for step in range(self.at, len(self._turns)) if self._turns[step] > now), len(self._turns) - 1
        )

    def _first_of_earlier_turn(self) -> int:
        first = self._turns.index(self._turns[self.at])
        return first if first < self.at else self._turns.index(self._turns[max(0, first - 1)])
