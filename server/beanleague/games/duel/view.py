"""What a player of the duel sees."""

from collections.abc import Callable, Iterator, Sequence

from beanleague.games.core.game import Action, Event, Kind, View
from beanleague.games.core.moves import Harvest, Pass, Plant
from beanleague.games.core.values import dataclass
from beanleague.games.duel import moves
from beanleague.games.duel.rules import DOLLAR, Column, DuelRules


@dataclass(frozen=True, slots=True)
class DuelView(View):
    """Everything `seat` may know in a duel. Bo(h)nus cards are given by their index in `rules.bohnus`."""

    rules: DuelRules
    """The rules in force."""
    seat: int
    """The seat that sees this."""
    decision: moves.DuelDecision
    """What this seat is asked."""
    turn: int
    """The number of the turn, from 1."""
    active: int
    """The seat whose turn it is."""
    hand: tuple[Kind, ...]
    """This seat's hand; the first card is planted first."""
    hand_sizes: tuple[int, int]
    """Cards in hand, per seat."""
    fields: tuple[tuple[Column, ...], tuple[Column, ...]]
    """`fields[seat][i]`: the fields of both seats."""
    dollars: tuple[int, int]
    """Bean dollars, per seat."""
    turned: tuple[Kind, ...]
    """The turned-over cards."""
    offered: tuple[Kind, ...]
    """The kinds offered in this phase, in order; the last one is the gift to answer."""
    gifts: tuple[Kind | None, Kind | None]
    """`gifts[seat]`: the gift received and not yet planted, else None."""
    may_discard: bool
    """Whether a turned-over card may still be discarded in phase 3."""
    bohnus: tuple[int, ...]
    """This seat's bo(h)nus cards."""
    bohnus_sizes: tuple[int, int]
    """How many bo(h)nus cards each seat has."""
    earned: tuple[tuple[int, ...], tuple[int, ...]]
    """`earned[seat]`: the fulfilled bo(h)nus cards among its dollars."""
    pile: int
    """Beans in the draw pile."""
    discard: tuple[int, ...]
    """Discarded beans of each kind, in the order of `rules.kinds`."""
    bohnus_pile: int
    """Cards in the bo(h)nus pile."""
    bohnus_discard: tuple[int, ...]
    """The discarded bo(h)nus cards."""
    harvestable: tuple[int, ...]
    """This seat's fields that may be harvested now; empty if this seat is not asked."""
    fulfillable: tuple[moves.Fulfil, ...]
    """The bo(h)nus cards that may be fulfilled now, each with a field that fulfils it."""
    news: Sequence[Event]
    """The events this seat could see since it was last asked."""

    @property
    def own_fields(self) -> tuple[Column, ...]:
        """The fields of this seat."""
        return self.fields[self.seat]

    @property
    def gift(self) -> Kind | None:
        """The gift this seat has received and not yet planted, else None."""
        return self.gifts[self.seat]

    @property
    def offer(self) -> Kind | None:
        """The kind offered last in this phase; None before the first offer."""
        return self.offered[-1] if self.offered else None

    def places_for(self, kind: Kind) -> tuple[int, ...]:
        """Return this seat's fields that take a card of `kind`."""
        may_follow = self.rules.may_follow
        return tuple(i for i, field in enumerate(self.fields[self.seat]) if may_follow(kind, field.last))

    def earns(self, field: int) -> int:
        """Return the dollars that harvesting this seat's field `field` earns now."""
        own = self.fields[self.seat][field]
        return self.rules.dollars(own.last, len(own.cards)) if own.last else 0

    def cents(self, seat: int) -> int:
        """Return the money of `seat` in cents, without its fields."""
        return DOLLAR * self.dollars[seat] + sum(self.rules.bohnus[card].worth for card in self.earned[seat])

    def legal(self) -> tuple[Action, ...]:
        return legal_actions(self)

    def default(self) -> Action:
        return default_action(self)


def legal_actions(view: DuelView) -> tuple[Action, ...]:
    """Return everything the seat may do, in a fixed order; what it may do at any time comes last."""
    return (*_LEGAL[view.decision](view), *map(Harvest, view.harvestable), *view.fulfillable)


def default_action(view: DuelView) -> Action:
    """Return the default action: plant what must be planted, harvest to make room, offer honestly, accept nothing."""
    match view.decision:
        case moves.DuelDecision.PLANT_FIRST:
            places = view.places_for(view.hand[0])
            return Plant(_fullest(view, places)) if places else _make_room(view)
        case moves.DuelDecision.OFFER_GIFT:
            return _honest_offer(view)
        case moves.DuelDecision.ANSWER_GIFT:
            return moves.DeclineGift()
        case moves.DuelDecision.GIVE:
            return next(_give(view))
        case moves.DuelDecision.PLANT_TURNED | moves.DuelDecision.PLANT_GIFT:
            return _plant_what_has_room(view)
        case _:
            return Pass()


def _honest_offer(view: DuelView) -> moves.OfferGift:
    """Offer the first kind that the seat has, turned-over cards before the hand; bluff only if it has none."""
    turned = view.turned if view.seat == view.active else ()
    kinds = [*turned, *view.hand, *view.rules.number]
    return moves.OfferGift(next(kind for kind in kinds if kind not in view.offered))


def _plant_what_has_room(view: DuelView) -> Action:
    turned = view.turned if view.decision is moves.DuelDecision.PLANT_TURNED else ()
    for card, kind in enumerate(turned):
        if places := view.places_for(kind):
            return moves.PlantTurned(card, _fullest(view, places))
    if view.gift and (places := view.places_for(view.gift)):
        return moves.PlantGift(_fullest(view, places))
    return moves.DiscardTurned(0) if turned and view.may_discard else _make_room(view)


def _fullest(view: DuelView, places: tuple[int, ...]) -> int:
    return max(places, key=lambda i: (len(view.own_fields[i].cards), -i))


def _make_room(view: DuelView) -> Harvest:
    return Harvest(max(view.harvestable, key=lambda i: (view.earns(i), len(view.own_fields[i].cards), -i)))


def _wait(view: DuelView) -> Iterator[Action]:
    del view
    return iter(())


def _plant_first(view: DuelView) -> Iterator[Action]:
    yield from map(Plant, view.places_for(view.hand[0]))


def _plant_second(view: DuelView) -> Iterator[Action]:
    yield from map(Plant, view.places_for(view.hand[0]))
    yield Pass()


def _offer_gift(view: DuelView) -> Iterator[Action]:
    yield from (moves.OfferGift(kind) for kind in view.rules.number if kind not in view.offered)


def _answer_gift(view: DuelView) -> Iterator[Action]:
    del view
    yield moves.AcceptGift()
    yield moves.DeclineGift()


def _give(view: DuelView) -> Iterator[Action]:
    turned = view.turned if view.seat == view.active else ()
    yield from (moves.Give("turned", position) for position, kind in enumerate(turned) if kind == view.offer)
    yield from (moves.Give("hand", position) for position, kind in enumerate(view.hand) if kind == view.offer)


def _plant_turned(view: DuelView) -> Iterator[Action]:
    for card, kind in enumerate(view.turned):
        for field in view.places_for(kind):
            yield moves.PlantTurned(card, field)
    yield from _plant_gift(view)
    if view.may_discard:
        yield from map(moves.DiscardTurned, range(len(view.turned)))


def _plant_gift(view: DuelView) -> Iterator[Action]:
    if view.gift:
        yield from map(moves.PlantGift, view.places_for(view.gift))


def _discard_bohnus(view: DuelView) -> Iterator[Action]:
    yield Pass()
    yield from map(moves.DiscardBohnus, view.bohnus)


def _pass_only(view: DuelView) -> Iterator[Action]:
    del view
    yield Pass()


_LEGAL: dict[moves.DuelDecision, Callable[[DuelView], Iterator[Action]]] = {
    moves.DuelDecision.WAIT: _wait,
    moves.DuelDecision.PLANT_FIRST: _plant_first,
    moves.DuelDecision.PLANT_SECOND: _plant_second,
    moves.DuelDecision.OFFER_GIFT: _offer_gift,
    moves.DuelDecision.ANSWER_GIFT: _answer_gift,
    moves.DuelDecision.GIVE: _give,
    moves.DuelDecision.PLANT_TURNED: _plant_turned,
    moves.DuelDecision.PLANT_GIFT: _plant_gift,
    moves.DuelDecision.DISCARD_BOHNUS: _discard_bohnus,
    moves.DuelDecision.DRAWN_BOHNUS: _pass_only,
    moves.DuelDecision.INTERLUDE: _pass_only,
}
