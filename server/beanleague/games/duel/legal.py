"""Legal and default actions of the duel, worked out from a view alone: they follow from what the seat knows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from beanleague.games.bohnanza.actions import Harvest, Pass, Plant
from beanleague.games.core.game import Action
from beanleague.games.duel.actions import (
    AcceptGift,
    DeclineGift,
    DiscardBohnus,
    DiscardTurned,
    Give,
    OfferGift,
    PlantGift,
    PlantTurned,
)
from beanleague.games.duel.decision import DuelDecision

if TYPE_CHECKING:
    from beanleague.games.duel.view import DuelView


def legal_actions(view: DuelView) -> tuple[Action, ...]:
    """Return everything the seat may do, in a fixed order; what it may do at any time comes last."""
    return (*_LEGAL[view.decision](view), *map(Harvest, view.harvestable), *view.fulfillable)


def default_action(view: DuelView) -> Action:
    """Return the dull action: plant what must be planted, harvest only for room, offer honestly, accept nothing."""
    match view.decision:
        case DuelDecision.PLANT_FIRST:
            places = view.places_for(view.hand[0])
            return Plant(_fullest(view, places)) if places else _make_room(view)
        case DuelDecision.OFFER_GIFT:
            return _honest_offer(view)
        case DuelDecision.ANSWER_GIFT:
            return DeclineGift()
        case DuelDecision.GIVE:
            return next(_give(view))
        case DuelDecision.PLANT_TURNED | DuelDecision.PLANT_GIFT:
            return _plant_what_has_room(view)
        case _:
            return Pass()


def _honest_offer(view: DuelView) -> OfferGift:
    """Offer the first kind that one has, turned-over cards before those of the hand; bluff only if there is none."""
    turned = view.turned if view.seat == view.active else ()
    kinds = [*turned, *view.hand, *view.rules.number]
    return OfferGift(next(kind for kind in kinds if kind not in view.offered))


def _plant_what_has_room(view: DuelView) -> Action:
    turned = view.turned if view.decision is DuelDecision.PLANT_TURNED else ()
    for card, kind in enumerate(turned):
        if places := view.places_for(kind):
            return PlantTurned(card, _fullest(view, places))
    if view.gift and (places := view.places_for(view.gift)):
        return PlantGift(_fullest(view, places))
    return DiscardTurned(0) if turned and view.may_discard else _make_room(view)


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
    yield from (OfferGift(kind) for kind in view.rules.number if kind not in view.offered)


def _answer_gift(view: DuelView) -> Iterator[Action]:
    del view
    yield AcceptGift()
    yield DeclineGift()


def _give(view: DuelView) -> Iterator[Action]:
    turned = view.turned if view.seat == view.active else ()
    for source, cards in (("turned", turned), ("hand", view.hand)):
        for position, kind in enumerate(cards):
            if kind == view.offer:
                yield Give(source, position)


def _plant_turned(view: DuelView) -> Iterator[Action]:
    for card, kind in enumerate(view.turned):
        for field in view.places_for(kind):
            yield PlantTurned(card, field)
    yield from _plant_gift(view)
    if view.may_discard:
        yield from map(DiscardTurned, range(len(view.turned)))


def _plant_gift(view: DuelView) -> Iterator[Action]:
    if view.gift:
        yield from map(PlantGift, view.places_for(view.gift))


def _discard_bohnus(view: DuelView) -> Iterator[Action]:
    yield Pass()
    yield from map(DiscardBohnus, view.bohnus)


def _pass_only(view: DuelView) -> Iterator[Action]:
    del view
    yield Pass()


_LEGAL: dict[DuelDecision, Callable[[DuelView], Iterator[Action]]] = {
    DuelDecision.WAIT: _wait,
    DuelDecision.PLANT_FIRST: _plant_first,
    DuelDecision.PLANT_SECOND: _plant_second,
    DuelDecision.OFFER_GIFT: _offer_gift,
    DuelDecision.ANSWER_GIFT: _answer_gift,
    DuelDecision.GIVE: _give,
    DuelDecision.PLANT_TURNED: _plant_turned,
    DuelDecision.PLANT_GIFT: _plant_gift,
    DuelDecision.DISCARD_BOHNUS: _discard_bohnus,
    DuelDecision.DRAWN_BOHNUS: _pass_only,
    DuelDecision.INTERLUDE: _pass_only,
}
