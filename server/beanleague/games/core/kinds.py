"""Bean kinds of the card games: how many cards there are and what a harvest earns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from beanleague.games.core.data import data_table

Kind: TypeAlias = Literal[
    "cocoa", "garden", "red", "black_eyed", "soy", "green", "stink", "chili", "blue", "wax", "coffee", "china"
]
"""A kind of bean by name, rarest first; "china" is on dice only. Type checkers refuse all other texts."""


@dataclass(frozen=True, slots=True)
class KindRule:
    """A kind of bean in a card game."""

    name: Kind
    """The kind."""
    cards: int
    """How many cards of it are in the game."""
    beanometer: tuple[int, ...]
    """Entry i: the number of cards that earns i + 1 dollars; 0 if that many dollars cannot be earned."""

    def dollars(self, cards: int) -> int:
        """Return the dollars that a field of `cards` cards of this kind earns."""
        return max((i + 1 for i, least in enumerate(self.beanometer) if 0 < least <= cards), default=0)


@cache
def all_kinds() -> tuple[KindRule, ...]:
    """Return all kinds of the card games, rarest first, from `data/beans.toml`."""
    rows: Mapping[Kind, Any] = data_table("beans.toml")  # type: ignore[assignment]  # its keys are kinds
    return tuple(KindRule(name, row["cards"], tuple(row["beanometer"])) for name, row in rows.items())
