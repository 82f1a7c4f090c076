"""Lists of actions for the duel: predicts the bot's fields after the actions."""

from __future__ import annotations

from beanleague.games import Action, Kind
from beanleague.games.core import Harvest, Plant
from beanleague.games.core.moves import harvestable
from beanleague.games.duel import Column, DuelRules, DuelView, PlantGift, PlantTurned


class Ahead:
    """The bot's own fields, updated by each action added; a bot's method can return the actions.

    It has the attributes `rules`, `own_fields`, `harvestable`, `places_for` and `earns` of a view, so that a function
    that chooses a field by these attributes also works for later actions.
    """

    __slots__ = ("_bohnus", "actions", "fulfils", "own_fields", "rules")

    actions: list[Action]
    """The actions added so far."""
    rules: DuelRules
    """The rules in force."""
    own_fields: tuple[Column, ...]
    """The bot's own fields after the actions."""
    fulfils: bool
    """Whether the last bean planted fulfils a bo(h)nus card: a bot that may fulfil it ends its list here."""

    def __init__(self, view: DuelView) -> None:
        self.actions = []
        self.rules = view.rules
        self.own_fields = view.own_fields
        self.fulfils = False
        self._bohnus = view.bohnus

    @property
    def harvestable(self) -> tuple[int, ...]:
        """The bot's own fields that may be harvested after the actions."""
        return harvestable([len(field.cards) for field in self.own_fields])

    def places_for(self, kind: Kind) -> tuple[int, ...]:
        """Return the bot's own fields that take a card of `kind`."""
        may_follow = self.rules.may_follow
        return tuple(i for i, field in enumerate(self.own_fields) if may_follow(kind, field.last))

    def earns(self, field: int) -> int:
        """Return the dollars from harvesting `field`, one of the bot's own fields."""
        own = self.own_fields[field]
        return self.rules.dollars(own.last, len(own.cards)) if own.last else 0

    def harvest(self, field: int) -> None:
        """Add the harvest of `field`."""
        self._set(field, Column())
        self.actions.append(Harvest(field))

    def plant(self, kind: Kind, action: Plant | PlantTurned | PlantGift) -> None:
        """Add `action`, which plants a card of `kind`."""
        column = self.own_fields[action.field].grown(kind)
        self._set(action.field, column)
        self.fulfils = not self.rules.met_by(column).isdisjoint(self._bohnus)
        self.actions.append(action)

    def _set(self, field: int, column: Column) -> None:
        self.own_fields = (*self.own_fields[:field], column, *self.own_fields[field + 1 :])
