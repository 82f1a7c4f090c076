"""View of a player of the trading card games."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from beanleague.games.bohnanza import moves
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.game import Action, Event, Kind, View, quick
from beanleague.games.core.moves import BuyField, Harvest, Pass, Plant
from beanleague.games.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """Bean field of a player."""

    kind: Kind | None
    """Kind planted in the field; None if it is empty."""
    count: int
    """Number of cards in the field."""


EMPTY = Field(None, 0)


class OwnFields:
    """Own fields of a seat, in a game with one kind per field."""

    __slots__ = ()

    rules: CardRules
    """The rules in force."""
    harvestable: tuple[int, ...]
    """The fields that may be harvested."""

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """Fields of this seat."""
        raise NotImplementedError

    def places_for(self, kind: Kind) -> tuple[int, ...]:
        """Return the seat's own fields that can take a card of `kind`: fields with this kind, and empty fields."""
        return tuple(i for i, field in enumerate(self.own_fields) if field.kind == kind or not field.count)

    def earns(self, field: int) -> int:
        """Return the dollars from harvesting `field`, one of the seat's own fields, now."""
        own = self.own_fields[field]
        return self.rules.kind(own.kind).dollars(own.count) if own.kind else 0


class FieldsView(OwnFields, View):
    """View of a game with one kind per field."""

    __slots__ = ()

    hand: tuple[Kind, ...]
    """This seat's hand; the first card is planted first."""
    hand_sizes: tuple[int, ...]
    """Cards in hand, per seat."""
    fields: tuple[tuple[Field, ...], ...]
    """`fields[seat][i]`: the fields of every seat."""
    dollars: tuple[int, ...]
    """Dollars, per seat."""
    pile: int
    """Cards in the draw pile."""

    @property
    def own_fields(self) -> tuple[Field, ...]:
        """Fields of this seat."""
        return self.fields[self.seat]


@dataclass(frozen=True, slots=True)
class BohnanzaView(FieldsView):
    """Everything `seat` may know in a trading card game."""

    rules: CardRules
    """The rules in force."""
    decision: moves.Decision
    """The decision asked of this seat."""
    hand: tuple[Kind, ...]
    """This seat's hand; the first card is planted first."""
    hand_sizes: tuple[int, ...]
    """Cards in hand, per seat."""
    fields: tuple[tuple[Field, ...], ...]
    """`fields[seat][i]`: the fields of every seat."""
    dollars: tuple[int, ...]
    """Dollars, per seat."""
    aside: tuple[tuple[Kind, ...], ...]
    """`aside[seat]`: cards traded or turned over that must be planted in phase 3."""
    turned: tuple[Kind, ...]
    """The turned-over cards not yet traded away."""
    offer: moves.Offered | None
    """The offer that this seat must answer, or from whose answers it must pick; else None."""
    answers: tuple[moves.Answered, ...]
    """The answers to pick from; else empty."""
    rounds_left: int
    """Trade rounds left in this turn, including the current one."""
    pile: int
    """Cards in the draw pile."""
    discard: tuple[int, ...]
    """Discarded cards of each kind, in the order of `rules.kinds`."""
    run_outs: int
    """Number of times the draw pile ran out."""
    harvestable: tuple[int, ...]
    """This seat's fields that may be harvested now; empty if `Harvest` is not allowed."""
    can_buy: bool
    """Whether `BuyField` is allowed now."""
    news: Sequence[Event]
    """The events this seat could see since it was last asked."""

    @property
    def own_aside(self) -> tuple[Kind, ...]:
        """Cards of this seat that are set aside."""
        return self.aside[self.seat]

    def legal(self) -> tuple[Action, ...]:
        """Return all legal actions; of the many possible offers and counters only a useful selection.

        If the same kinds can be given from a hand in more than 1000 ways, it has the first 1000.
        """
        purchase = (BuyField(),) if self.can_buy else ()
        return (*_CHOICES[self.decision](self), *map(Harvest, self.harvestable), *purchase)

    def default(self) -> Action:
        """Return the default action: plant what must be planted, harvest only to make room, never trade."""
        match self.decision:
            case moves.Decision.PLANT_FIRST:
                places = self.places_for(self.hand[0])
                return Plant(own_kind_first(self, places)) if places else make_room(self)
            case moves.Decision.PLANT_ASIDE:
                for card, kind in enumerate(self.own_aside):
                    if places := self.places_for(kind):
                        return moves.PlantAside(card, own_kind_first(self, places))
                return make_room(self)
            case moves.Decision.TRADE:
                return moves.Stop()
            case moves.Decision.ANSWER:
                return moves.Decline()
            case moves.Decision.PICK:
                return moves.Refuse()
            case _:
                return Pass()


_offer = quick(moves.Offer)

# maximum number of ways listed to give the same kinds: a large hand has millions, and another seat chooses the kinds
MAX_WAYS = 1000


def own_kind_first(view: FieldsView, places: tuple[int, ...]) -> int:
    """Return the fullest of this seat's fields in `places`; ties go to the first."""
    return max(places, key=lambda i: (view.own_fields[i].count, -i))


def make_room(view: FieldsView) -> Harvest:
    """Return a harvest of the field that earns most; ties go to the fullest field."""
    return Harvest(max(view.harvestable, key=lambda i: (view.earns(i), view.own_fields[i].count, -i)))


def _trade(view: BohnanzaView) -> Iterator[Action]:
    """Yield stop, call, and offers to all seats: one card for one, one for nothing, all turned-over cards for one."""
    everybody = tuple(seat for seat in range(len(view.hand_sizes)) if seat != view.seat)
    kinds = [kind.name for kind in view.rules.kinds]
    yield moves.Stop()
    yield moves.Call(everybody)
    gifts: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((i,), ()) for i in _one_of_each(view.turned)]
    gifts += [((), (i,)) for i in _one_of_each(view.hand)]
    if len(view.turned) > 1:
        gifts.append((tuple(range(len(view.turned))), ()))
    for turned, hand in gifts:
        given = {view.turned[i] for i in turned} | {view.hand[i] for i in hand}
        yield moves.Offer(everybody, turned, hand)
        for kind in kinds:
            if kind not in given:
                yield _offer(everybody, turned, hand, (kind,))


def _answer(view: BohnanzaView) -> Iterator[Action]:
    """Yield answers: decline, every way to accept, and one card of the hand (or none) for one visible card."""
    offer = view.offer
    assert offer is not None
    yield moves.Decline()
    if offer.gives or offer.wants:
        yield from map(moves.Accept, _ways_to_give(view.hand, offer.wants))
    visible: list[tuple[tuple[int, ...], tuple[Kind, ...]]] = [((i,), ()) for i in _one_of_each(view.turned)]
    visible += [((), (kind,)) for kind in dict.fromkeys(offer.gives[len(offer.turned) :])]
    for own in _one_of_each(view.hand):
        for turned, wants in visible:
            yield moves.Counter((own,), turned, wants)
        yield moves.Counter((own,))
    for turned, wants in visible:
        yield moves.Counter((), turned, wants)


def _pick(view: BohnanzaView) -> Iterator[Action]:
    yield moves.Refuse()
    for answer in view.answers:
        if answer.answer == "accept":
            yield moves.Pick(answer.seat)
        elif answer.answer == "counter":
            for hand in _ways_to_give(view.hand, answer.wants):
                yield moves.Pick(answer.seat, hand)


def _one_of_each(cards: tuple[Kind, ...]) -> list[int]:
    """Return the position of the first card of each kind in `cards`."""
    first: dict[Kind, int] = {}
    for position, kind in enumerate(cards):
        first.setdefault(kind, position)
    return list(first.values())


def _ways_to_give(hand: tuple[Kind, ...], wants: tuple[Kind, ...]) -> Iterator[tuple[int, ...]]:
    """Yield ascending positions in `hand` whose cards are exactly the kinds `wants`; at most `MAX_WAYS`."""
    positions: dict[Kind, list[int]] = {kind: [] for kind in wants}
    for position, kind in enumerate(hand):
        if kind in positions:
            positions[kind].append(position)
    choices = [islice(combinations(positions[kind], wants.count(kind)), MAX_WAYS) for kind in positions]
    for choice in islice(product(*choices), MAX_WAYS):
        yield tuple(sorted(position for part in choice for position in part))


_CHOICES: Mapping[moves.Decision, Callable[[BohnanzaView], Iterable[Action]]] = {
    moves.Decision.PLANT_FIRST: lambda view: map(Plant, view.places_for(view.hand[0])),
    moves.Decision.PLANT_SECOND: lambda view: (*map(Plant, view.places_for(view.hand[0])), Pass()),
    moves.Decision.TRADE: _trade,
    moves.Decision.ANSWER: _answer,
    moves.Decision.PICK: _pick,
    moves.Decision.PLANT_ASIDE: lambda view: [
        moves.PlantAside(card, field) for card, kind in enumerate(view.own_aside) for field in view.places_for(kind)
    ],
    moves.Decision.INTERLUDE: lambda _: (Pass(),),
    moves.Decision.WAIT: lambda _: (),
}
