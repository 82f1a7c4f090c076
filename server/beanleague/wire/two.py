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


def view_to_pb(view: BohnanzaTwoView, told: pb.BohnanzaTwoView) -> None:
    """Write `view` into `told`, without its news."""
    told.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    told.turn = view.turn
    told.active = view.active
    told.hand.extend(KINDS.numbers(view.hand))
    told.hand_sizes.extend(view.hand_sizes)
    told.dollars.extend(view.dollars)
    told.field_numbers.extend(map(len, view.fields))
    told.field_kinds.extend([KINDS.number[field.kind] for fields in view.fields for field in fields])
    told.field_counts.extend([field.count for fields in view.fields for field in fields])
    told.open.extend(KINDS.numbers(view.open))
    told.pile = view.pile
    told.discard.extend(KINDS.numbers(view.discard))
    told.harvestable.extend(view.harvestable)
    told.can_buy = view.can_buy


def view_from_pb(told: pb.BohnanzaTwoView, rules: CardRules, seat: int) -> BohnanzaTwoView:
    """Return the view that `told` is.

    Raises:
        WireError: a number in it stands for nothing, or its parts do not fit together.
    """
    fields = tuple(map(field_from_pb, told.field_kinds, told.field_counts))
    try:
        return BohnanzaTwoView(
            rules=rules,
            seat=seat,
            decision=_DECISIONS[told.decision],
            turn=told.turn,
            active=told.active,
            hand=KINDS.names(told.hand),
            hand_sizes=pair(told.hand_sizes),
            fields=pair(parted(fields, told.field_numbers)),
            dollars=pair(told.dollars),
            open=KINDS.names(told.open),
            pile=told.pile,
            discard=KINDS.names(told.discard),
            harvestable=tuple(told.harvestable),
            can_buy=told.can_buy,
            news=News(told.news),
        )
    except (KeyError, ValueError) as problem:
        raise WireError(f"the view does not fit the rules: {problem}") from None
