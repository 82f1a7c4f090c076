"""Bots for the trading card games: one method per decision, each with a simple default.

This module has every name that such a bot needs:

>>> from beanbot.bohnanza import BohnanzaBot, Offer, Stop
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from beanbot.ahead import Ahead as Ahead, plant_first_card, second_card
from beanbot.bot import Choice as Choice, FamilyBot
from beanbot.helpers import least_loss as least_loss, own_kind_first as own_kind_first
from beanleague.games.bohnanza import *
from beanleague.games.core import *
from beanleague.games.lazy import passed_on

if TYPE_CHECKING:
    from beanleague.games import *


class BohnanzaBot(FamilyBot[BohnanzaView]):
    """A bot for the trading games. Override the methods that should do better.

    Every method but `answer` may return `Harvest`, or `BuyField` if `view.can_buy`; the bot is then asked again. Every
    method may return a list of actions; see `Choice`. By default, `plant_first` decides for `plant_second` as well, and
    `trade` for `plant_aside`, unless these are overridden.
    """

    games: ClassVar[tuple[str, ...]] = ("bohnanza", "bohnanza-extended", "bohnanza-classic")

    def plant_first(self, view: BohnanzaView) -> Choice:
        """Phase 1: `Plant` the first card of the hand.

        Default: in a field of its kind, else in an empty field, else harvest to make room.
        """
        ahead = Ahead(view)
        plant_first_card(ahead, view.hand)
        if ahead.new_field or len(view.hand) < 2 or type(self).plant_second is not BohnanzaBot.plant_second:
            return ahead.actions
        return [*ahead.actions, second_card(ahead, view.hand[1])]

    def plant_second(self, view: BohnanzaView) -> Choice:
        """Phase 1: `Plant` the next card of the hand too, or `Pass`. Default: plant it if a field takes it."""
        return second_card(view, view.hand[0])

    def trade(self, view: BohnanzaView) -> Choice:
        """Phase 2, the bot's turn: `Offer` cards, `Call` for offers, or `Stop` trading. Default: stop."""
        if type(self).plant_aside is not BohnanzaBot.plant_aside:
            return Stop()
        return [Stop(), *_plant_all(view, view.own_aside + view.turned)]

    def answer(self, view: BohnanzaView) -> Choice:
        """Phase 2, another seat's turn: `Accept`, `Decline` or `Counter` the offer `view.offer`. Default: decline."""
        del view
        return Decline()

    def pick(self, view: BohnanzaView) -> Choice:
        """Phase 2, the bot's turn: `Pick` one of `view.answers`, or `Refuse` all of them. Default: refuse."""
        del view
        return Refuse()

    def plant_aside(self, view: BohnanzaView) -> Choice:
        """Phase 3: `PlantAside` a card set aside.

        Default: first cards that go to a field of their kind, then any card that a field takes, else harvest.
        """
        return _plant_all(view, view.own_aside)

    def interlude(self, view: BohnanzaView) -> Choice:
        """Between turns, if the class sets `interludes = True`: `Harvest` or `Pass`. Default: pass."""
        del view
        return Pass()


def _plant_all(view: BohnanzaView, aside: Sequence[Kind]) -> list[Action]:
    """Return the actions that plant the cards `aside`, ending when a new field is earned."""
    ahead, left = Ahead(view), list(aside)
    while left and not ahead.new_field:
        card, field = _next_aside(ahead, left)
        if field is None:
            ahead.harvest(least_loss(ahead))
        else:
            ahead.plant(left.pop(card), PlantAside(card, field))
    return ahead.actions


def _next_aside(fields: OwnFields, aside: Sequence[Kind]) -> tuple[int, int | None]:
    """Return the card of `aside` to plant next, and its field, None if no field takes it."""
    grows = [field.kind for field in fields.own_fields]
    for card, kind in enumerate(aside):
        if kind in grows:
            return card, grows.index(kind)
    return 0, next(iter(fields.places_for(aside[0])), None)


if not TYPE_CHECKING:
    __all__, __getattr__ = passed_on(__name__, "beanleague.games")
