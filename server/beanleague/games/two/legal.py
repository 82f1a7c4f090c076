"""Legal and default actions of Bohnanza for two, worked out from a view alone: they follow from what the seat knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from beanleague.games.bohnanza.actions import BuyField, Harvest, Pass, Plant
from beanleague.games.bohnanza.legal import make_room, own_kind_first
from beanleague.games.core.game import Action
from beanleague.games.two.actions import DiscardHand, DiscardOpen, PlantOpen
from beanleague.games.two.decision import TwoDecision

if TYPE_CHECKING:
    from beanleague.games.two.view import BohnanzaTwoView


def legal_actions(view: BohnanzaTwoView) -> tuple[Action, ...]:
    """Return everything the seat may do, in a fixed order; what it may do before any decision comes last."""
    purchase = (BuyField(),) if view.can_buy else ()
    return (*_LEGAL[view.decision](view), *map(Harvest, view.harvestable), *purchase)


def default_action(view: BohnanzaTwoView) -> Action:
    """Return the dull action: plant what must be planted, harvest only for room, discard what is offered."""
    if view.decision is TwoDecision.PLANT_FIRST:
        places = view.places_for(view.hand[0])
        return Plant(own_kind_first(view, places)) if places else make_room(view)
    return DiscardOpen(0) if view.decision is TwoDecision.PLANT_OFFERED else Pass()


def _wait(view: BohnanzaTwoView) -> Iterator[Action]:
    del view
    return iter(())


def _plant_offered(view: BohnanzaTwoView) -> Iterator[Action]:
    yield from _plant_open(view)
    yield from map(DiscardOpen, range(len(view.open)))


def _plant_first(view: BohnanzaTwoView) -> Iterator[Action]:
    yield from map(Plant, view.places_for(view.hand[0]))


def _plant_second(view: BohnanzaTwoView) -> Iterator[Action]:
    yield from map(Plant, view.places_for(view.hand[0]))
    yield Pass()


def _discard_hand(view: BohnanzaTwoView) -> Iterator[Action]:
    yield from map(DiscardHand, range(len(view.hand)))
    yield Pass()


def _plant_drawn(view: BohnanzaTwoView) -> Iterator[Action]:
    yield from _plant_open(view)
    yield Pass()


def _plant_open(view: BohnanzaTwoView) -> Iterator[Action]:
    for card, kind in enumerate(view.open):
        for field in view.places_for(kind):
            yield PlantOpen(card, field)


_LEGAL: dict[TwoDecision, Callable[[BohnanzaTwoView], Iterator[Action]]] = {
    TwoDecision.WAIT: _wait,
    TwoDecision.PLANT_OFFERED: _plant_offered,
    TwoDecision.PLANT_FIRST: _plant_first,
    TwoDecision.PLANT_SECOND: _plant_second,
    TwoDecision.DISCARD_HAND: _discard_hand,
    TwoDecision.PLANT_DRAWN: _plant_drawn,
}
