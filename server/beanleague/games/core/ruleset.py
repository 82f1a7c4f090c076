"""The description of a game: its id, seats and options, and how to set it up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from beanleague.games.core.game import Game, Hidden, Option, View

NewGame: TypeAlias = Callable[[int, bytes, Mapping[str, Option]], Game]
"""Sets up a game and deals, given seats, seed and options; raises SetupError."""


FromView: TypeAlias = Callable[[View, Hidden, bytes], Game]
"""`Game.from_view` of the game's class."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game that can be played."""

    id: str
    """Its id, as users type it, such as "bohnanza-two"."""
    least_seats: int
    """The smallest number of seats."""
    most_seats: int
    """The largest number of seats."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    new: NewGame = field(repr=False, compare=False)
    """Sets up a game; see `new_game`."""
    from_view: FromView = field(repr=False, compare=False)
    """Makes a game that looks like a view; see `game_from_view`."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Its options: names and descriptions."""
    interludes: bool = False
    """Whether bots may ask to act between turns. The referee sets the option of this name; users cannot."""
