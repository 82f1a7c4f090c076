"""A bot's memory of a match, and games that are consistent with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from beanleague.games import Event, Game, Hidden, Rules, View, game_from_view
from beanleague.games.families import family_of_view

ViewT = TypeVar("ViewT", bound=View)


class FamilyMemory(ABC, Generic[ViewT]):
    """Memory of one seat in a game of one family. `HEARD` maps event classes to the methods that handle them."""

    HEARD: ClassVar[Mapping[type[Event], Any]]

    def __init__(self, view: ViewT) -> None:
        """Start from the first view of a match, before handling its news."""
        self.seat = view.seat
        self.rules: Rules = view.rules

    def see(self, view: ViewT) -> None:
        """Handle the news of `view`."""
        heard = self.HEARD
        for event in view.news:
            hear = heard.get(type(event))
            if hear is not None:
                hear(self, event)

    @abstractmethod
    def known(self, seat: int) -> tuple[str | int, ...]:
        """Return the cards known to be in the hand of `seat`."""

    @abstractmethod
    def guess(self, view: ViewT, random: Random) -> Hidden:
        """Return a random possible state of the hidden part of `view`."""


class Memory:
    """Knowledge of a seat in a match: create one in `match_started`, and call `see` with every view.

    The bot must read news (`news = True`, the default). Missing knowledge is guessed.
    """

    def __init__(self) -> None:
        self._remembered: FamilyMemory[View] | None = None
        self._last: View | None = None

    def see(self, view: View) -> None:
        """Learn from `view`; call this once for every view, before anything else."""
        if view is self._last:
            return
        self._last = view
        if self._remembered is None:
            self._remembered = _new(view)
        self._remembered.see(view)

    def known(self, seat: int) -> tuple[str | int, ...]:
        """Return the kinds known to be in another seat's hand, because it showed them in trades."""
        return self._remembered.known(seat) if self._remembered else ()

    def guess(self, view: View, random: Random) -> Hidden:
        """Return a random possible state of the hidden part of `view`; see `determinise`."""
        return (self._remembered or _new(view)).guess(view, random)


def determinise(view: View, memory: Memory, random: Random) -> Game:
    """Return a random game that is consistent with `view`, for a search to continue.

    The game's view for this seat equals `view`. Every deal of hidden cards that is consistent with `memory` is equally
    likely. Later draws and throws are random, too. Other seats that are asked at the same moment are asked in the game
    as well.

    Raises:
        SetupError: if the seat is not asked.
    """
    return game_from_view(view, memory.guess(view, random), random.randbytes(16))


def _new(view: View) -> FamilyMemory[View]:
    family = family_of_view(view.__class__)
    assert family is not None
    remembered: FamilyMemory[View] = import_module(f"{__package__}.{family.name}").Remembered(view)
    return remembered
