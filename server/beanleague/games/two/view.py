"""View of a player of Bohnanza for two."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
    decision: TwoDecision
    """The decision asked of this seat."""
    hand: tuple[Kind, ...]
    """This seat's hand; the first card is planted first."""
    hand_sizes: tuple[int, int]
    """Cards in hand, per seat."""
    fields: tuple[tuple[Field, ...], tuple[Field, ...]]
    """`fields[seat][i]`: the fields of both seats."""
    dollars: tuple[int, int]
    """Dollars, per seat."""
    open: tuple[Kind, ...]
    """The open cards: in step 1 left by the opponent, in step 3 just drawn."""
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
        """Return all legal actions of this seat; empty if it is not asked."""
        purchase = (BuyField(),) if self.can_buy else ()
        return (*_CHOICES[self.decision](self), *map(Harvest, self.harvestable), *purchase)

    def _plant_open(self) -> Iterator[Action]:
        return (PlantOpen(card, field) for card, kind in enumerate(self.open) for field in self.places_for(kind))

    def default(self) -> Action:
        """Return the default action: plant the first card, harvest only to make room, discard offered cards."""
        if self.decision is TwoDecision.PLANT_FIRST:
            places = self.places_for(self.hand[0])
            return Plant(own_kind_first(self, places)) if places else make_room(self)
        return DiscardOpen(0) if self.decision is TwoDecision.PLANT_OFFERED else Pass()


_CHOICES: Mapping[TwoDecision, Callable[[BohnanzaTwoView], Iterable[Action]]] = {
    TwoDecision.PLANT_OFFERED: lambda view: (*view._plant_open(), *map(DiscardOpen, range(len(view.open)))),
    TwoDecision.PLANT_FIRST: lambda view: map(Plant, view.places_for(view.hand[0])),
    TwoDecision.PLANT_SECOND: lambda view: (*map(Plant, view.places_for(view.hand[0])), Pass()),
    TwoDecision.DISCARD_HAND: lambda view: (*map(DiscardHand, range(len(view.hand))), Pass()),
    TwoDecision.PLANT_DRAWN: lambda view: (*view._plant_open(), Pass()),
    TwoDecision.WAIT: lambda _: (),
}
