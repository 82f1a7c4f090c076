"""Views, and the rules they are played by, as messages and back. Done for every decision, so speed matters here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TypeVar

from beanleague.games import EMPTY, BohnanzaView, CardRules, Decision, Field, Kind, KindRule, View
from beanleague.wire.errors import WireError
from beanleague.wire.events import ANSWERED, OFFERED
from beanleague.wire.names import KINDS
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

T = TypeVar("T")

_DECISIONS = {int(decision): decision for decision in Decision}


def rules_to_pb(view: View, start: pb.MatchStart) -> None:
    """Set the rules of `start` to those that `view` is played by; ruleset and seats are told beside them.

    Raises:
        WireError: there is no message for the rules of such a view.
    """
    if not isinstance(view, BohnanzaView):
        raise WireError(f"no message holds the rules of a {type(view).__name__}")
    rules = view.rules
    start.rules.MergeFrom(
        pb.CardRules(
            kinds=[
                pb.KindRule(kind=KINDS.number[kind.name], cards=kind.cards, beanometer=kind.beanometer)
                for kind in rules.kinds
            ],
            fields=rules.fields,
            start_hands=rules.start_hands,
            turned=rules.turned,
            draws=rules.draws,
            run_outs=rules.run_outs,
            field_price=rules.field_price,
            all_draw=rules.all_draw,
            hand_breaks_ties=rules.hand_breaks_ties,
        )
    )


def rules_from_pb(start: pb.MatchStart) -> CardRules:
    """Return the rules of the match that `start` begins."""
    told = start.rules
    return CardRules(
        ruleset=start.ruleset,
        seats=start.seats,
        kinds=tuple(KindRule(KINDS.name(kind.kind), kind.cards, tuple(kind.beanometer)) for kind in told.kinds),
        fields=told.fields,
        start_hands=tuple(told.start_hands),
        draws=told.draws,
        turned=told.turned,
        run_outs=told.run_outs,
        field_price=told.field_price,
        all_draw=told.all_draw,
        hand_breaks_ties=told.hand_breaks_ties,
    )


def view_to_pb(view: View, request: pb.Request, news: Iterable[pb.Event] = ()) -> None:
    """Set the view of `request`, with `news` as its news: the caller keeps encoded events, which go to many seats.

    Raises:
        WireError: there is no message for views of this type.
    """
    if not isinstance(view, BohnanzaView):
        raise WireError(f"no message holds a {type(view).__name__}")
    number = KINDS.number
    told = request.bohnanza
    told.decision = view.decision  # type: ignore[assignment]  # an enum's number
    told.turn = view.turn
    told.active = view.active
    told.hand.extend([number[kind] for kind in view.hand])
    told.hand_sizes.extend(view.hand_sizes)
    told.dollars.extend(view.dollars)
    told.field_kinds.extend([number[field.kind] for fields in view.fields for field in fields])
    told.field_counts.extend([field.count for fields in view.fields for field in fields])
    told.rounds_left = view.rounds_left
    told.pile = view.pile
    told.discard.extend(view.discard)
    told.run_outs = view.run_outs
    told.harvestable.extend(view.harvestable)
    told.can_buy = view.can_buy
    if view.rules.field_price:
        numbers = [len(own) for own in view.fields]
        if max(numbers) > view.rules.fields:
            told.fields.extend(numbers)
    if any(view.aside):
        told.aside_counts.extend([len(cards) for cards in view.aside])
        told.aside.extend([number[kind] for cards in view.aside for kind in cards])
    if view.turned:
        told.turned.extend([number[kind] for kind in view.turned])
    if view.offer is not None:
        told.offer.MergeFrom(OFFERED.encode(view.offer))
    if view.answers:
        told.answers.extend(map(ANSWERED.encode, view.answers))
    told.news.extend(news)


def view_from_pb(request: pb.Request, rules: CardRules, seat: int) -> BohnanzaView:
    """Return the view that `request` holds for `seat` in a match with `rules`.

    Raises:
        WireError: it holds none, or one that does not fit the rules.
    """
    if request.WhichOneof("view") != "bohnanza":
        raise WireError("the request holds no view that this program knows")
    told = request.bohnanza
    try:
        fields = tuple(map(_field, told.field_kinds, told.field_counts))
        decision = _DECISIONS[told.decision]
    except KeyError as unknown:
        raise WireError(f"the view has a number of no meaning: {unknown}") from None
    return BohnanzaView(
        rules,
        seat,
        decision,
        told.turn,
        told.active,
        KINDS.names(told.hand),
        tuple(told.hand_sizes),
        _per_seat(fields, told.fields or (rules.fields,) * rules.seats),
        tuple(told.dollars),
        _aside(told, rules.seats),
        KINDS.names(told.turned) if told.turned else (),
        OFFERED.decode(told.offer) if told.HasField("offer") else None,
        tuple(map(ANSWERED.decode, told.answers)) if told.answers else (),
        told.rounds_left,
        told.pile,
        tuple(told.discard),
        told.run_outs,
        tuple(told.harvestable),
        told.can_buy,
        News(told.news),
    )


@lru_cache(maxsize=1024)
def _field(kind: int, count: int) -> Field:
    return Field(KINDS.name(kind), count) if kind or count else EMPTY


def _aside(told: pb.BohnanzaView, seats: int) -> tuple[tuple[Kind, ...], ...]:
    if not told.aside_counts:
        return ((),) * seats
    return _per_seat(KINDS.names(told.aside), told.aside_counts)


def _per_seat(things: tuple[T, ...], counts: Iterable[int]) -> tuple[tuple[T, ...], ...]:
    """Return so many of `things` for each seat."""
    return tuple([things[start:end] for start, end in pairwise(accumulate(counts, initial=0))])
