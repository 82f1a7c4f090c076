"""Lists of actions for the trading games: predicts the bot's fields after the actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from beanbot.helpers import least_loss, own_kind_first
from beanleague.games import Action, Kind
from beanleague.games.bohnanza import EMPTY, Field, FieldsView, OwnFields, PlantAside
from beanleague.games.core import Harvest, Pass, Plant
from beanleague.games.core.moves import harvestable

if TYPE_CHECKING:  # imported for types only: a bot loads just the games that it plays
    from beanleague.games.two import PlantOpen


class Ahead(OwnFields):
    """The bot's own fields, updated by each action added; a bot's method can return the actions.

    It has the attributes `rules`, `own_fields`, `harvestable`, `places_for` and `earns` of a view, so that a function
    that chooses a field by these attributes also works for later actions.
    """

    __slots__ = ("_could_buy", "_dollars", "_fields", "actions", "rules")

    actions: list[Action]
    """The actions added so far."""

    def __init__(self, view: FieldsView) -> None:
        self.actions = []
        self.rules = view.rules
        self._fields = view.own_fields
        self._dollars = view.dollars[view.seat]
        self._could_buy = self._can_buy()

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """The bot's own fields after the actions."""
        return self._fields

    @property
    def harvestable(self) -> tuple[int, ...]:  # type: ignore[override]  # an attribute of views
        """The bot's own fields that may be harvested after the actions."""
        return harvestable([field.count for field in self._fields])

    @property
    def new_field(self) -> bool:
        """Whether the actions have earned the price of a new field; a bot that may buy one ends its list here."""
        return self._can_buy() and not self._could_buy

    def harvest(self, field: int) -> None:
        """Add the harvest of `field`."""
        self._dollars += self.earns(field)
        self._set(field, EMPTY)
        self.actions.append(Harvest(field))

    def plant(self, kind: Kind, action: Plant | PlantAside | PlantOpen) -> None:
        """Add `action`, which plants a card of `kind`."""
        self._set(action.field, Field(kind, self._fields[action.field].count + 1))
        self.actions.append(action)

    def _set(self, field: int, grows: Field) -> None:
        self._fields = (*self._fields[:field], grows, *self._fields[field + 1 :])

    def _can_buy(self) -> bool:
        return 0 < self.rules.field_price <= self._dollars and len(self._fields) == self.rules.fields


def plant_first_card(ahead: Ahead, hand: Sequence[Kind]) -> None:
    """Plant the first card of `hand`: in a field of its kind, else in an empty field, else after a harvest.

    If the harvest has earned a new field, the card is left for the next decision.
    """
    places = ahead.places_for(hand[0])
    if not places:
        ahead.harvest(least_loss(ahead))
        if ahead.new_field:
            return
        places = ahead.places_for(hand[0])
    ahead.plant(hand[0], Plant(own_kind_first(ahead, places)))


def second_card(fields: OwnFields, kind: Kind) -> Action:
    """Return the `Plant` of a second card, of `kind`, if a field takes it; else `Pass`."""
    places = fields.places_for(kind)
    return Plant(own_kind_first(fields, places)) if places else Pass()
