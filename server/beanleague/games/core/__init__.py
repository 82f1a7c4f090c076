"""What all games share: the interface of a game, how seats are asked, chance, the draw pile, and options."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by

if TYPE_CHECKING:
    from beanleague.games.core.actions import (
        BuyField,
        Harvest,
        Pass,
        Plant,
    )
    from beanleague.games.core.events import (
        Dealt,
        Drew,
        FieldBought,
        GameEnded,
        Harvested,
        Passed,
        Planted,
        RanOut,
        Shuffled,
        TurnedOver,
        TurnStarted,
    )
else:
    __getattr__ = exported_by(
        __name__,
        "actions",
        "events",
    )

__all__ = [
    "BuyField",
    "Dealt",
    "Drew",
    "FieldBought",
    "GameEnded",
    "Harvest",
    "Harvested",
    "Pass",
    "Passed",
    "Plant",
    "Planted",
    "RanOut",
    "Shuffled",
    "TurnStarted",
    "TurnedOver",
]
