"""Views of Bohnanza for two as messages and back; the rules are those of the card games."""

from __future__ import annotations

from beanleague.games.bohnanza import CardRules
from beanleague.games.two import BohnanzaTwoView, TwoDecision
from beanleague.wire.bohnanza import field_from_pb, rules_from_pb, rules_to_pb
from beanleague.wire.codec import WireError
from beanleague.wire.names import KINDS
from beanleague.wire.nested import pair, parted
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

__all__ = ["rules_from_pb", "rules_to_pb", "view_from_pb", "view_to_pb"]

_DECISIONS = {int(decision): decision for decision in TwoDecision}


def view_to_pb(view: BohnanzaTwoView, message: pb.BohnanzaTwoView) -> None:
    """Write `view` into `message`, without its news."""
    message.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.hand.extend(KINDS.numbers(view.hand))
    message.hand_sizes.extend(view.hand_sizes)
    message.dollars.extend(view.dollars)
    message.field_numbers.extend(map(len, view.fields))
    message.field_kinds.extend([KINDS.number[field.kind] for fields in view.fields for field in fields])
    message.field_counts.extend([field.count for fields in view.fields for field in fields])
    message.open.extend(KINDS.numbers(view.open))
    message.pile = view.pile
    message.discard.extend(KINDS.numbers(view.discard))
    message.harvestable.extend(view.harvestable)
    message.can_buy = view.can_buy


def view_from_pb(message: pb.BohnanzaTwoView, rules: CardRules, seat: int) -> BohnanzaTwoView:
    """Return the view in `message`.

    Raises:
        WireError: if it has an unknown number, or its parts do not fit together.
    """
    fields = tuple(map(field_from_pb, message.field_kinds, message.field_counts))
    try:
        return BohnanzaTwoView(
            rules=rules,
            seat=seat,
            decision=_DECISIONS[message.decision],
            turn=message.turn,
            active=message.active,
            hand=KINDS.names(message.hand),
            hand_sizes=pair(message.hand_sizes),
            fields=pair(parted(fields, message.field_numbers)),
            dollars=pair(message.dollars),
            open=KINDS.names(message.open),
            pile=message.pile,
            discard=KINDS.names(message.discard),
            harvestable=tuple(message.harvestable),
            can_buy=message.can_buy,
            news=News(message.news),
        )
    except (KeyError, ValueError) as problem:
        raise WireError(f"the view does not fit the rules: {problem}") from None
