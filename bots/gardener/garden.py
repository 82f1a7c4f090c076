"""The bot's fields after a list of actions, and their value."""

from __future__ import annotations

from planning import Plots, Step, fields_of
from worth import Worth, turns_left, unseen_cards

from beanbot.two import Ahead, BohnanzaTwoView, Kind, Plant, PlantOpen


class Garden(Ahead):
    """Prediction of the bot's fields. `worth`: values of fields; cards that became dollars are no longer visible."""

    def __init__(self, view: BohnanzaTwoView) -> None:
        super().__init__(view)
        self._unseen = unseen_cards(view)
        self._turns = turns_left(view)
        self.worth = Worth(self.rules, +self._unseen, self._turns)

    @property
    def plots(self) -> Plots:
        """The bot's fields as plots."""
        return fields_of(self.own_fields)

    def harvest(self, field: int) -> None:
        kind, dollars = self.own_fields[field].kind, self.earns(field)
        super().harvest(field)
        if kind and dollars:
            self._unseen[kind] += dollars
            self.worth = Worth(self.rules, +self._unseen, self._turns)

    def follow(self, step: Step, kind: Kind, action: type[Plant | PlantOpen]) -> bool:
        """Carry out `step` for a card of `kind` by `action`; return False if it only made room."""
        if step.harvest:
            self.harvest(step.field)
            return False
        self.plant(kind, PlantOpen(step.card, step.field) if action is PlantOpen else Plant(step.field))
        return True
