"""The position in a replay: single steps, whole turns, trades and the like, and playing at a speed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

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

    @property
    def at_end(self) -> bool:
        """Whether the last step is shown."""
        return self.at == len(self._turns) - 1

    def press(self, key: str) -> None:
        """Do what `key` is for, or say in `note` why it does nothing; unknown keys do nothing."""
        self.note = ""
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
