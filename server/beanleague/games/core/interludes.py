"""Interludes: between turns, the seats that asked for it may do what is allowed at any time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar

from beanleague.games.core.actions import Pass
from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.game import Action, Option
from beanleague.games.core.phased_game import AskingGame, wrong_action


class InterludeGame(AskingGame):
    """A game with interludes. `_INTERLUDE`: its decision, asked of a seat only while it has something to do."""

    __slots__ = ()

    _INTERLUDE: ClassVar[IntEnum]

    @abstractmethod
    def _has_free_step(self, seat: int) -> bool:
        """Return whether `seat` could do anything in an interlude."""

    @abstractmethod
    def _start_turn(self) -> None:
        """Begin the next turn."""

    def _start_interlude(self) -> None:
        asked_for = self.options["interludes"]
        assert isinstance(asked_for, tuple)
        self._queue = [seat for seat in self._clockwise_from(self._active + 1) if seat in asked_for]
        self._next_interlude()

    def _interludes_from(self, seat: int) -> list[int]:
        """Return the seats still to be asked in an interlude in which `seat` is asked."""
        asked_for = self.options["interludes"]
        assert isinstance(asked_for, tuple)
        return [seat, *[other for other in self._from(seat, self._active + 1)[1:] if other in asked_for]]

    def _next_interlude(self) -> None:
        while self._queue and not self._has_free_step(self._queue[0]):
            self._queue.pop(0)
        if self._queue:
            self._ask(self._INTERLUDE, self._queue[0])
        else:
            self._start_turn()

    def _pass_interlude(self, seat: int, action: Action) -> None:
        del seat
        if type(action) is not Pass:
            raise wrong_action(action, "pass, or do what is allowed at any time")
        self._queue.pop(0)
        self._next_interlude()

    def _after_free_step(self, seat: int) -> None:
        super()._after_free_step(seat)
        if self._decision is self._INTERLUDE:
            self._next_interlude()


def interludes_option(options: Mapping[str, Option], seats: int) -> tuple[int, ...]:
    """Return the option `interludes`: the seats that asked for them, ascending (default none).

    Raises:
        SetupError: if it is anything else.
    """
    value = options.get("interludes", ())
    if not isinstance(value, tuple) or not all(type(seat) is int for seat in value):
        raise _bad_interludes(value, seats)
    if value != tuple(seat for seat in range(seats) if seat in value):
        raise _bad_interludes(value, seats)
    return value


def _bad_interludes(value: object, seats: int) -> SetupError:
    return SetupError(f"interludes must be ascending seats from 0 to {seats - 1}, not {shown(value)}")
