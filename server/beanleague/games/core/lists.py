"""Lists of actions: a seat may answer with several, of which the next is played as long as it learns nothing new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from beanleague.games.core.game import Game

T = TypeVar("T")

MAX_ACTIONS = 32
"""How many actions a list may have. Planting all that lies aside after a turn of trades takes fewer."""


def in_turn(game: Game, seat: int, actions: Iterable[T]) -> Iterator[T]:
    """Yield those of `actions` that `seat` may play one after the other; apply each before taking the next.

    The first is always one of them. The next follows if only this seat is asked now, and all that happened since is
    what it did itself: then it has learnt nothing, and would decide the same if it were asked.
    """
    events = 0
    for number, action in enumerate(actions):
        if number and not _learnt_nothing(game, seat, events):
            return
        events = len(game.events)
        yield action


def _learnt_nothing(game: Game, seat: int, since: int) -> bool:
    """Return whether `seat` alone is asked, and the events from index `since` on tell it nothing new."""
    return game.to_act() == (seat,) and not any(
        event.reveals or getattr(event, "seat", None) != seat for event in game.events[since:]
    )
