"""What a bot remembers of a match, and games that could be the one it plays."""

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
    """What a seat remembers of a game of one family. `HEARD`: for each event that matters, the method that takes it."""

    HEARD: ClassVar[Mapping[type[Event], Any]]

    def __init__(self, view: ViewT) -> None:
        """Begin with the first view of a match, whose news are yet to be heard."""
        self.seat = view.seat
        self.rules: Rules = view.rules

    def see(self, view: ViewT) -> None:
        """Hear the news of `view`."""
        heard = self.HEARD
        for event in view.news:
            hear = heard.get(type(event))
            if hear is not None:
                hear(self, event)

    @abstractmethod
    def known(self, seat: int) -> tuple[str | int, ...]:
        """Return the cards that are known to be in the hand of `seat`."""

    @abstractmethod
    def guess(self, view: ViewT, random: Random) -> Hidden:
        """Return what could be hidden from the seat of `view`."""


class Memory:
    """What a seat has learnt in a match: make one in `match_started`, and let it see every view.

    The bot must read news (`news = True`, as by default). What is forgotten, or was never heard, is guessed.
    """

    def __init__(self) -> None:
        self._remembered: FamilyMemory[View] | None = None
        self._last: View | None = None

    def see(self, view: View) -> None:
        """Learn what `view` tells; call this for every view, once, before anything else."""
        if view is self._last:
            return
        self._last = view
        if self._remembered is None:
            self._remembered = _new(view)
        self._remembered.see(view)

    def known(self, seat: int) -> tuple[str | int, ...]:
        """Return the kinds that `seat`, another one, is known to have in its hand: it has shown them in trades."""
        return self._remembered.known(seat) if self._remembered else ()

    def guess(self, view: View, random: Random) -> Hidden:
        """Return what could be hidden from the seat of `view`, by chance; see `determinise`."""
        return (self._remembered or _new(view)).guess(view, random)


def determinise(view: View, memory: Memory, random: Random) -> Game:
    """Return a game that could be the one that `view` shows, to be played on by whoever searches.

    Its view for this seat equals `view`. Cards that are hidden lie at random wherever they could be, as far as `memory`
    knows: every deal of them is as likely as any other. What is drawn and thrown later is by chance, too. Other seats
    that are asked at the same moment are asked in the game as well.

    Raises:
        SetupError: if the seat is not asked.
    """
    return game_from_view(view, memory.guess(view, random), random.randbytes(16))


def _new(view: View) -> FamilyMemory[View]:
    family = family_of_view(view.__class__)
    assert family is not None
    remembered: FamilyMemory[View] = import_module(f"{__package__}.{family.name}").Remembered(view)
    return remembered
