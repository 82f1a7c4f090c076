"""Views and rules of the dice games as messages and back."""

from __future__ import annotations

from beanleague.games.dice import DiceDecision, DiceRules, DiceView, Order, ThiefRules
from beanleague.games.dice.deck import HarvestCard
from beanleague.wire.codec import Codec, WireError
from beanleague.wire.names import KINDS
from beanleague.wire.news import News
from beanproto.v1 import referee_pb2 as pb

_DECISIONS = {int(decision): decision for decision in DiceDecision}
_THIEF = Codec(ThiefRules, pb.ThiefRules)


def rules_to_pb(rules: DiceRules) -> pb.DiceRules:
    """Return `rules` as a message; ruleset and seats are told beside it."""
    return pb.DiceRules(
        dice=[pb.Die(faces=KINDS.numbers(faces)) for faces in rules.dice],
        kinds=KINDS.numbers(rules.kinds),
        cards=[pb.HarvestCard(orders=map(_order_to_pb, card.orders), percent=card.percent) for card in rules.cards],
        dollars=rules.dollars,
        target=rules.target,
        piece=rules.piece,
        most_turns=rules.most_turns,
        thief=_THIEF.encode(rules.thief) if rules.thief else None,
    )


def _order_to_pb(order: Order) -> pb.Order:
    return pb.Order(
        alternatives=[
            pb.Alternative(slots=[pb.Slot(kinds=KINDS.numbers(slot)) for slot in alternative])
            for alternative in order.alternatives
        ]
    )


def rules_from_pb(told: pb.DiceRules, ruleset: str, seats: int) -> DiceRules:
    """Return the rules that `told` are."""
    return DiceRules(
        ruleset=ruleset,
        seats=seats,
        dice=tuple(KINDS.names(die.faces) for die in told.dice),
        kinds=KINDS.names(told.kinds),
        cards=tuple(HarvestCard(tuple(map(_order, card.orders)), tuple(card.percent)) for card in told.cards),
        dollars=tuple(told.dollars),
        target=told.target,
        piece=told.piece,
        most_turns=told.most_turns,
        thief=_THIEF.decode(told.thief) if told.HasField("thief") else None,
    )


def _order(told: pb.Order) -> Order:
    return Order(tuple(tuple(KINDS.names(slot.kinds) for slot in part.slots) for part in told.alternatives))


def view_to_pb(view: DiceView, told: pb.DiceView) -> None:
    """Write `view` into `told`, without its news."""
    told.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    told.turn = view.turn
    told.active = view.active
    told.roll = view.roll
    told.faces.extend([KINDS.number[kind] for kind in view.faces])
    told.rolled.extend(view.rolled)
    told.saved.extend(view.saved)
    told.piece = view.piece
    told.tops.extend(view.tops)
    told.bottoms.extend(view.bottoms)
    told.completed.extend(view.completed)
    told.dollars.extend(view.dollars)
    told.deck = view.deck
    told.may_harvest = view.may_harvest
    told.thief = view.thief
    told.stolen.extend(view.stolen)
    told.at_risk.extend(view.at_risk)


def view_from_pb(told: pb.DiceView, rules: DiceRules, seat: int) -> DiceView:
    """Return the view that `told` is.

    Raises:
        WireError: a number in it stands for nothing.
    """
    if told.decision not in _DECISIONS:
        raise WireError(f"{told.decision} is not the number of a decision")
    return DiceView(
        rules=rules,
        seat=seat,
        decision=_DECISIONS[told.decision],
        turn=told.turn,
        active=told.active,
        roll=told.roll,
        faces=tuple(map(KINDS.name_or_none, told.faces)),
        rolled=tuple(told.rolled),
        saved=tuple(told.saved),
        piece=told.piece,
        tops=tuple(told.tops),
        bottoms=tuple(told.bottoms),
        completed=tuple(told.completed),
        dollars=tuple(told.dollars),
        deck=told.deck,
        may_harvest=told.may_harvest,
        thief=told.thief,
        stolen=tuple(told.stolen),
        at_risk=tuple(told.at_risk),
        news=News(told.news),
    )
