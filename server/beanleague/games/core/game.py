"""What every game of the family has in common: the interface a referee, a bot and a replay rely on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Option: TypeAlias = int | str | tuple[int, ...]
"""The value of a game option, as `new_game(..., options={name: value})` takes it."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a seat does. Every action is a small frozen value; see the module of its game."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. All events of a game, in order, are enough to recompute all of it."""

    def seen_by(self, seat: int) -> Event:
        """Return this event as `seat` sees it: itself if all of it is public, else without what is hidden."""
        del seat
        return self


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game.

    `scores`: per seat, in the unit of the game (dollars). `places`: per seat, 1 is best; ties share a place.
    """

    scores: tuple[int, ...]
    places: tuple[int, ...]


class View(ABC):
    """All that a seat may know, and nothing more. Each game has a frozen dataclass of its own."""

    __slots__ = ()

    seat: int
    news: Sequence[Event]

    @abstractmethod
    def legal(self) -> tuple[Action, ...]:
        """Return what `Game.legal` returns for this seat: it follows from what the seat knows."""

    @abstractmethod
    def default(self) -> Action:
        """Return what `Game.default` returns for this seat."""


class Game(ABC):
    """A game being played. Seats are 0 .. `seats` - 1; seat 0 starts.

    The state changes by `apply` only. Nothing here reads a clock or draws a random number: the same
    ruleset, seats, seed, options and actions give the same events on every Python version.
    """

    __slots__ = ()

    ruleset: str
    seats: int
    seed: bytes
    options: Mapping[str, Option]

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Scores and places once the game is over, else None."""

    @property
    @abstractmethod
    def events(self) -> Sequence[Event]:
        """Everything that happened so far, with nothing hidden, in order."""

    @abstractmethod
    def to_act(self) -> tuple[int, ...]:
        """Return the seats that are asked now, ascending; several only while answers are collected."""

    @abstractmethod
    def view(self, seat: int) -> View:
        """Return all that `seat` may know now."""

    @abstractmethod
    def apply(self, seat: int, action: Action) -> None:
        """Let `seat` do `action`.

        Raises:
            IllegalActionError: the seat is not asked or may not do this; the state is untouched.
        """

    @abstractmethod
    def copy(self) -> Game:
        """Return an independent copy that goes on alike."""

    def legal(self, seat: int) -> tuple[Action, ...]:
        """Return the legal actions of a seat that is asked; empty for any other seat.

        Complete in every decision but trade offers and counters, where it is a finite useful part; and of the ways to
        give the same kinds from a hand that has many of them, it has the first thousand.
        """
        return self.view(seat).legal()

    def default(self, seat: int) -> Action:
        """Return the dull legal action that is played for a seat that fails."""
        return self.view(seat).default()
