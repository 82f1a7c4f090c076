"""View of a player of the duel."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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
    decision: moves.DuelDecision
    """The decision asked of this seat."""
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
    """`gifts[seat]`: the gift received and not yet planted; None if there is none."""
    may_discard: bool
    """Whether a turned-over card may still be discarded in phase 3."""
    bohnus: tuple[int, ...]
    """This seat's bo(h)nus cards."""
    bohnus_sizes: tuple[int, int]
    """Number of bo(h)nus cards of each seat."""
    earned: tuple[tuple[int, ...], tuple[int, ...]]
    """`earned[seat]`: the fulfilled bo(h)nus cards of the seat, which count as money."""
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
    """The bo(h)nus cards that may be fulfilled now, each with a suitable field."""
    news: Sequence[Event]
    """The events this seat could see since it was last asked."""

    @property
    def own_fields(self) -> tuple[Column, ...]:
        """The fields of this seat."""
        return self.fields[self.seat]

    @property
    def gift(self) -> Kind | None:
        """The gift that this seat has received and not yet planted; None if there is none."""
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
        """Return the dollars from harvesting this seat's field `field` now."""
        own = self.fields[self.seat][field]
        return self.rules.dollars(own.last, len(own.cards)) if own.last else 0

    def cents(self, seat: int) -> int:
        """Return the money of `seat` in cents, without its fields."""
        return DOLLAR * self.dollars[seat] + sum(self.rules.bohnus[card].worth for card in self.earned[seat])

    def legal(self) -> tuple[Action, ...]:
        """Return all legal actions of this seat; empty if it is not asked."""
        return (*_CHOICES[self.decision](self), *map(Harvest, self.harvestable), *self.fulfillable)

    def _gifts_to_give(self) -> Iterator[Action]:
        turned = self.turned if self.seat == self.active else ()
        yield from (moves.Give("turned", position) for position, kind in enumerate(turned) if kind == self.offer)
        yield from (moves.Give("hand", position) for position, kind in enumerate(self.hand) if kind == self.offer)

    def _plant_turned(self) -> Iterator[Action]:
        for card, kind in enumerate(self.turned):
            for field in self.places_for(kind):
                yield moves.PlantTurned(card, field)
        yield from self._plant_gift()
        if self.may_discard:
            yield from map(moves.DiscardTurned, range(len(self.turned)))

    def _plant_gift(self) -> Iterator[Action]:
        return map(moves.PlantGift, self.places_for(self.gift) if self.gift else ())

    def default(self) -> Action:
        """Return the default action: plant, harvest only to make room, offer honestly, accept nothing."""
        match self.decision:
            case moves.DuelDecision.PLANT_FIRST:
                places = self.places_for(self.hand[0])
                return Plant(self._fullest(places)) if places else self._make_room()
            case moves.DuelDecision.OFFER_GIFT:
                return self._honest_offer()
            case moves.DuelDecision.ANSWER_GIFT:
                return moves.DeclineGift()
            case moves.DuelDecision.GIVE:
                return next(self._gifts_to_give())
            case moves.DuelDecision.PLANT_TURNED | moves.DuelDecision.PLANT_GIFT:
                return self._plant_what_has_room()
            case _:
                return Pass()

    def _honest_offer(self) -> moves.OfferGift:
        """Offer the first kind that the seat has, turned-over cards before hand cards; bluff only if it has none."""
        turned = self.turned if self.seat == self.active else ()
        kinds = [*turned, *self.hand, *self.rules.number]
        return moves.OfferGift(next(kind for kind in kinds if kind not in self.offered))

    def _plant_what_has_room(self) -> Action:
        turned = self.turned if self.decision is moves.DuelDecision.PLANT_TURNED else ()
        for card, kind in enumerate(turned):
            if places := self.places_for(kind):
                return moves.PlantTurned(card, self._fullest(places))
        if self.gift and (places := self.places_for(self.gift)):
            return moves.PlantGift(self._fullest(places))
        return moves.DiscardTurned(0) if turned and self.may_discard else self._make_room()

    def _fullest(self, places: tuple[int, ...]) -> int:
        return max(places, key=lambda i: (len(self.own_fields[i].cards), -i))

    def _make_room(self) -> Harvest:
        return Harvest(max(self.harvestable, key=lambda i: (self.earns(i), len(self.own_fields[i].cards), -i)))


_CHOICES: Mapping[moves.DuelDecision, Callable[[DuelView], Iterable[Action]]] = {
    moves.DuelDecision.PLANT_FIRST: lambda view: map(Plant, view.places_for(view.hand[0])),
    moves.DuelDecision.PLANT_SECOND: lambda view: (*map(Plant, view.places_for(view.hand[0])), Pass()),
    moves.DuelDecision.OFFER_GIFT: lambda view: (
        moves.OfferGift(kind) for kind in view.rules.number if kind not in view.offered
    ),
    moves.DuelDecision.ANSWER_GIFT: lambda _: (moves.AcceptGift(), moves.DeclineGift()),
    moves.DuelDecision.GIVE: DuelView._gifts_to_give,
    moves.DuelDecision.PLANT_TURNED: DuelView._plant_turned,
    moves.DuelDecision.PLANT_GIFT: DuelView._plant_gift,
    moves.DuelDecision.DISCARD_BOHNUS: lambda view: (Pass(), *map(moves.DiscardBohnus, view.bohnus)),
    moves.DuelDecision.DRAWN_BOHNUS: lambda _: (Pass(),),
    moves.DuelDecision.INTERLUDE: lambda _: (Pass(),),
    moves.DuelDecision.WAIT: lambda _: (),
}
