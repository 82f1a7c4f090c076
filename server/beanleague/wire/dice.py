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
    """Return `rules` as a message; ruleset and seats are fields of `MatchStart`."""
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


def rules_from_pb(message: pb.DiceRules, ruleset: str, seats: int) -> DiceRules:
    """Return the rules in `message`."""
    return DiceRules(
        ruleset=ruleset,
        seats=seats,
        dice=tuple(KINDS.names(die.faces) for die in message.dice),
        kinds=KINDS.names(message.kinds),
        cards=tuple(HarvestCard(tuple(map(_order, card.orders)), tuple(card.percent)) for card in message.cards),
        dollars=tuple(message.dollars),
        target=message.target,
        piece=message.piece,
        most_turns=message.most_turns,
        thief=_THIEF.decode(message.thief) if message.HasField("thief") else None,
    )


def _order(message: pb.Order) -> Order:
    return Order(tuple(tuple(KINDS.names(slot.kinds) for slot in part.slots) for part in message.alternatives))


def view_to_pb(view: DiceView, message: pb.DiceView) -> None:
    """Write `view` into `message`, without its news."""
    message.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.roll = view.roll
    message.faces.extend([KINDS.number[kind] for kind in view.faces])
    message.rolled.extend(view.rolled)
    message.saved.extend(view.saved)
    message.piece = view.piece
    message.tops.extend(view.tops)
    message.bottoms.extend(view.bottoms)
    message.completed.extend(view.completed)
    message.dollars.extend(view.dollars)
    message.deck = view.deck
    message.may_harvest = view.may_harvest
    message.thief = view.thief
    message.stolen.extend(view.stolen)
    message.at_risk.extend(view.at_risk)


def view_from_pb(message: pb.DiceView, rules: DiceRules, seat: int) -> DiceView:
    """Return the view in `message`.

    Raises:
        WireError: if it has an unknown number.
    """
    if message.decision not in _DECISIONS:
        raise WireError(f"{message.decision} is not the number of a decision")
    return DiceView(
        rules=rules,
        seat=seat,
        decision=_DECISIONS[message.decision],
        turn=message.turn,
        active=message.active,
        roll=message.roll,
        faces=tuple(map(KINDS.name_or_none, message.faces)),
        rolled=tuple(message.rolled),
        saved=tuple(message.saved),
        piece=message.piece,
        tops=tuple(message.tops),
        bottoms=tuple(message.bottoms),
        completed=tuple(message.completed),
        dollars=tuple(message.dollars),
        deck=message.deck,
        may_harvest=message.may_harvest,
        thief=message.thief,
        stolen=tuple(message.stolen),
        at_risk=tuple(message.at_risk),
        news=News(message.news),
    )
