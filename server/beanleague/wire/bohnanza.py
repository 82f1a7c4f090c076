"""Views and rules of the card games with one kind a field, as messages and back.

Done for every decision, so speed matters here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from beanleague.games import Kind, KindRule
from beanleague.games.bohnanza import EMPTY, Answered, BohnanzaView, CardRules, Decision, Field, Offered
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.names import KINDS
from beanleague.wire.nested import parted
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

_DECISIONS = {int(decision): decision for decision in Decision}
_OFFERED = Codec(Offered, pb.Offered)
_ANSWERED = Codec(Answered, pb.Answered)


def kind_rules_to_pb(kinds: tuple[KindRule, ...]) -> list[pb.KindRule]:
    """Return `kinds` as messages."""
    return [pb.KindRule(kind=KINDS.number[kind.name], cards=kind.cards, beanometer=kind.beanometer) for kind in kinds]


def kind_rules_from_pb(told: Iterable[pb.KindRule]) -> tuple[KindRule, ...]:
    """Return the kinds that `told` are."""
    return tuple(KindRule(KINDS.name(kind.kind), kind.cards, tuple(kind.beanometer)) for kind in told)


def rules_to_pb(rules: CardRules) -> pb.CardRules:
    """Return `rules` as a message; ruleset and seats are told beside it."""
    return pb.CardRules(
        kinds=kind_rules_to_pb(rules.kinds),
        fields=rules.fields,
        start_hands=rules.start_hands,
        turned=rules.turned,
        draws=rules.draws,
        run_outs=rules.run_outs,
        field_price=rules.field_price,
        all_draw=rules.all_draw,
        hand_breaks_ties=rules.hand_breaks_ties,
    )


def rules_from_pb(told: pb.CardRules, ruleset: str, seats: int) -> CardRules:
    """Return the rules that `told` are."""
    return CardRules(
        ruleset=ruleset,
        seats=seats,
        kinds=kind_rules_from_pb(told.kinds),
        fields=told.fields,
        start_hands=tuple(told.start_hands),
        draws=told.draws,
        turned=told.turned,
        run_outs=told.run_outs,
        field_price=told.field_price,
        all_draw=told.all_draw,
        hand_breaks_ties=told.hand_breaks_ties,
    )


def view_to_pb(view: BohnanzaView, told: pb.BohnanzaView) -> None:
    """Write `view` into `told`, without its news."""
    number = KINDS.number
    told.decision = view.decision  # type: ignore[assignment]  # an enum's number
    told.turn = view.turn
    told.active = view.active
    told.hand.extend([number[kind] for kind in view.hand])
    told.hand_sizes.extend(view.hand_sizes)
    told.dollars.extend(view.dollars)
    told.field_kinds.extend([number[field.kind] for fields in view.fields for field in fields])
    told.field_counts.extend([field.count for fields in view.fields for field in fields])
    told.field_numbers.extend(map(len, view.fields))
    told.can_buy = view.can_buy
    told.rounds_left = view.rounds_left
    told.pile = view.pile
    told.discard.extend(view.discard)
    told.run_outs = view.run_outs
    told.harvestable.extend(view.harvestable)
    if any(view.aside):
        told.aside_counts.extend([len(cards) for cards in view.aside])
        told.aside.extend([number[kind] for cards in view.aside for kind in cards])
    if view.turned:
        told.turned.extend([number[kind] for kind in view.turned])
    if view.offer is not None:
        told.offer.MergeFrom(_OFFERED.encode(view.offer))
    if view.answers:
        told.answers.extend(map(_ANSWERED.encode, view.answers))


def view_from_pb(told: pb.BohnanzaView, rules: CardRules, seat: int) -> BohnanzaView:
    """Return the view that `told` is.

    Raises:
        WireError: a number in it stands for nothing.
    """
    try:
        fields = tuple(map(field_from_pb, told.field_kinds, told.field_counts))
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
        parted(fields, told.field_numbers),
        tuple(told.dollars),
        _aside(told, rules.seats),
        KINDS.names(told.turned) if told.turned else (),
        _OFFERED.decode(told.offer) if told.HasField("offer") else None,
        tuple(map(_ANSWERED.decode, told.answers)) if told.answers else (),
        told.rounds_left,
        told.pile,
        tuple(told.discard),
        told.run_outs,
        tuple(told.harvestable),
        told.can_buy,
        News(told.news),
    )


@lru_cache(maxsize=1024)
def field_from_pb(kind: int, count: int) -> Field:
    """Return a field of `count` cards of the kind that has the number `kind`."""
    return Field(KINDS.name(kind), count) if kind or count else EMPTY


def _aside(told: pb.BohnanzaView, seats: int) -> tuple[tuple[Kind, ...], ...]:
    return parted(KINDS.names(told.aside), told.aside_counts) if told.aside_counts else ((),) * seats
