"""What a player of Bohnanza for two sees."""

from collections.abc import Callable, Iterator, Sequence

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import Field, FieldsView, make_room, own_kind_first
from beanleague.games.core.game import Action, Event, Kind
from beanleague.games.core.moves import BuyField, Harvest, Pass, Plant
from beanleague.games.core.values import dataclass
from beanleague.games.two.moves import DiscardHand, DiscardOpen, PlantOpen, TwoDecision


@dataclass(frozen=True, slots=True)
class BohnanzaTwoView(FieldsView):
    """Everything `seat` may know in Bohnanza for two."""

    rules: CardRules
    """The rules in force."""
    seat: int
    """The seat that sees this."""
    decision: TwoDecision
    """What this seat is asked."""
    turn: int
    """The number of the turn, from 1."""
    active: int
    """The seat whose turn it is."""
    hand: tuple[Kind, ...]
    """This seat's hand; the first card is planted first."""
    hand_sizes: tuple[int, int]
    """Cards in hand, per seat."""
    fields: tuple[tuple[Field, ...], tuple[Field, ...]]
    """`fields[seat][i]`: the fields of both seats."""
    dollars: tuple[int, int]
    """Dollars, per seat."""
    open: tuple[Kind, ...]
    """The open cards: in step 1 those the opponent left, in step 3 those drawn."""
    pile: int
    """Cards in the draw pile."""
    discard: tuple[Kind, ...]
    """The discard pile, its top card last."""
    harvestable: tuple[int, ...]
    """This seat's fields that may be harvested now; empty if `Harvest` is not allowed."""
    can_buy: bool
    """Whether `BuyField` is allowed now."""
    news: Sequence[Event]
    """The events this seat could see since it was last asked."""

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)


def legal_actions(view: BohnanzaTwoView) -> tuple[Action, ...]:
    """Return everything the seat may do, in a fixed order; what it may do before any decision comes last."""
    purchase = (BuyField(),) if view.can_buy else ()
    return (*_LEGAL[view.decision](view), *map(Harvest, view.harvestable), *purchase)


def default_action(view: BohnanzaTwoView) -> Action:
    """Return the default action: plant what must be planted, harvest only to make room, discard what is offered."""
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
