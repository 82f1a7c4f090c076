"""What the memories of all families have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from beanleague.games import Event, Hidden, Rules, View

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
