"""Conversion of views and rules of the dice games."""

from beanleague.games.core.game import Kind
from beanleague.games.dice import DiceDecision, DiceRules, DiceView, Order, ThiefRules
from beanleague.games.dice.rules import HarvestCard
from beanleague.wire.codec import KINDS, Codec
from beanleague.wire.views import ViewCodec, rules_codec
from beanproto.v1 import referee_pb2 as pb


def _write_alternatives(order: Order, message: pb.Order) -> None:
    for alternative in order.alternatives:
        message.alternatives.add(slots=[pb.Slot(kinds=KINDS.numbers(slot)) for slot in alternative])


def _alternatives(message: pb.Order) -> tuple[tuple[tuple[Kind, ...], ...], ...]:
    return tuple(tuple(KINDS.names(slot.kinds) for slot in part.slots) for part in message.alternatives)


_ORDER = Codec(Order, pb.Order, parts={"alternatives": (_write_alternatives, _alternatives)})
RULES = rules_codec(
    DiceRules,
    pb.DiceRules,
    dice=(
        lambda rules, message: message.dice.extend(pb.Die(faces=KINDS.numbers(faces)) for faces in rules.dice),
        lambda message: tuple(KINDS.names(die.faces) for die in message.dice),
    ),
    cards=Codec(HarvestCard, pb.HarvestCard, parts={"orders": _ORDER}),
    thief=Codec(ThiefRules, pb.ThiefRules),
)
VIEW = ViewCodec(DiceView, pb.DiceView, DiceDecision)
