"""Views and rules of the card games whose fields hold one kind each, as messages and back.

Views are encoded and decoded for every decision, so speed matters here.
"""

from __future__ import annotations

from functools import lru_cache

from beanleague.games import Kind
from beanleague.games.bohnanza import EMPTY, Answered, BohnanzaView, CardRules, Decision, Field, Offered
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.kinds import kind_rules_from_pb, kind_rules_to_pb
from beanleague.wire.names import KINDS
from beanleague.wire.nested import parted
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

_DECISIONS = {int(decision): decision for decision in Decision}
_OFFERED = Codec(Offered, pb.Offered)
_ANSWERED = Codec(Answered, pb.Answered)


def rules_to_pb(rules: CardRules) -> pb.CardRules:
    """Return `rules` as a message; ruleset and seats are fields of `MatchStart`."""
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


def rules_from_pb(message: pb.CardRules, ruleset: str, seats: int) -> CardRules:
    """Return the rules in `message`."""
    return CardRules(
        ruleset=ruleset,
        seats=seats,
        kinds=kind_rules_from_pb(message.kinds),
        fields=message.fields,
        start_hands=tuple(message.start_hands),
        draws=message.draws,
        turned=message.turned,
        run_outs=message.run_outs,
        field_price=message.field_price,
        all_draw=message.all_draw,
        hand_breaks_ties=message.hand_breaks_ties,
    )


def view_to_pb(view: BohnanzaView, message: pb.BohnanzaView) -> None:
    """Write `view` into `message`, without its news."""
    number = KINDS.number
    message.decision = view.decision  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.hand.extend([number[kind] for kind in view.hand])
    message.hand_sizes.extend(view.hand_sizes)
    message.dollars.extend(view.dollars)
    message.field_kinds.extend([number[field.kind] for fields in view.fields for field in fields])
    message.field_counts.extend([field.count for fields in view.fields for field in fields])
    message.field_numbers.extend(map(len, view.fields))
    message.can_buy = view.can_buy
    message.rounds_left = view.rounds_left
    message.pile = view.pile
    message.discard.extend(view.discard)
    message.run_outs = view.run_outs
    message.harvestable.extend(view.harvestable)
    if any(view.aside):
        message.aside_counts.extend([len(cards) for cards in view.aside])
        message.aside.extend([number[kind] for cards in view.aside for kind in cards])
    if view.turned:
        message.turned.extend([number[kind] for kind in view.turned])
    if view.offer is not None:
        message.offer.MergeFrom(_OFFERED.encode(view.offer))
    if view.answers:
        message.answers.extend(map(_ANSWERED.encode, view.answers))


def view_from_pb(message: pb.BohnanzaView, rules: CardRules, seat: int) -> BohnanzaView:
    """Return the view in `message`.

    Raises:
        WireError: if it has an unknown number.
    """
    try:
        fields = tuple(map(field_from_pb, message.field_kinds, message.field_counts))
        decision = _DECISIONS[message.decision]
    except KeyError as unknown:
        raise WireError(f"the view has an unknown number: {unknown}") from None
    return BohnanzaView(
        rules,
        seat,
        decision,
        message.turn,
        message.active,
        KINDS.names(message.hand),
        tuple(message.hand_sizes),
        parted(fields, message.field_numbers),
        tuple(message.dollars),
        _aside(message, rules.seats),
        KINDS.names(message.turned) if message.turned else (),
        _OFFERED.decode(message.offer) if message.HasField("offer") else None,
        tuple(map(_ANSWERED.decode, message.answers)) if message.answers else (),
        message.rounds_left,
        message.pile,
        tuple(message.discard),
        message.run_outs,
        tuple(message.harvestable),
        message.can_buy,
        News(message.news),
    )


@lru_cache(maxsize=1024)
def field_from_pb(kind: int, count: int) -> Field:
    """Return the field with `count` cards of the kind whose number is `kind`."""
    return Field(KINDS.name(kind), count) if kind or count else EMPTY


def _aside(message: pb.BohnanzaView, seats: int) -> tuple[tuple[Kind, ...], ...]:
    return parted(KINDS.names(message.aside), message.aside_counts) if message.aside_counts else ((),) * seats
