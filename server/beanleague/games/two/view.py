"""What a player of Bohnanza for two sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import Field, FieldsView, make_room, own_kind_first
from beanleague.games.core.actions import BuyField, Harvest, Pass, Plant
from beanleague.games.core.game import Action, Event
from beanleague.games.core.kinds import Kind
from beanleague.games.two.actions import DiscardHand, DiscardOpen, PlantOpen, TwoDecision


@dataclass(frozen=True, slots=True)
class BohnanzaTwoView(FieldsView):
    """All that `seat` may know.

    `rules`: the rules in force. `turn`: 1, 2, ... `active`: the seat whose turn it is.
    `hand`: own cards, the first to be planted first. `hand_sizes`, `dollars`: per seat.
    `fields[seat][i]`: the fields of both seats. `open`: in step 1 what the opponent left, in step 3 what was drawn.
    `pile`: cards in the draw pile. `discard`: the whole discard pile, its top card last.
    `harvestable`: own fields that may be harvested now, as a free step. `can_buy`: whether a field may be bought now.
    `news`: the events this seat may see since it was last asked.
    """

    rules: CardRules
    seat: int
    decision: TwoDecision
    turn: int
    active: int
    hand: tuple[Kind, ...]
    hand_sizes: tuple[int, int]
    fields: tuple[tuple[Field, ...], tuple[Field, ...]]
    dollars: tuple[int, int]
    open: tuple[Kind, ...]
    pile: int
    discard: tuple[Kind, ...]
    harvestable: tuple[int, ...]
    can_buy: bool
    news: Sequence[Event]

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)


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
