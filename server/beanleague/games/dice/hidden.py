"""What the views of the dice games do not show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from beanleague.games.core.game import Hidden, Option


@dataclass(frozen=True, slots=True)
class DiceHidden(Hidden):
    """What a view of a dice game does not show. All other cards are in the deck."""

    singles: tuple[tuple[int, ...], ...]
    """Per seat, and last for the Thief if there is one: the cards that are single dollars, in the order gained."""
    declined: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """The seats that declined to harvest in this turn, each with its completed orders and the dollars of all then."""
    progress: bool = False
    """Against the Thief: whether an order was completed in this turn."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """The options of the game."""
