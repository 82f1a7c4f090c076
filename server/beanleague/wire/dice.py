"""Views and rules of the dice games as messages and back."""

from beanleague.games.dice import DiceDecision, DiceRules, DiceView, Order, ThiefRules
from beanleague.games.dice.rules import HarvestCard
from beanleague.wire.codec import Codec, News
from beanleague.wire.views import KINDS, kinds_or_none_from_bytes, kinds_to_bytes, late
from beanproto.v1 import referee_pb2 as pb

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
    message.faces = kinds_to_bytes(view.faces)
    message.rolled = bytes(view.rolled)
    message.saved = bytes(view.saved)
    message.piece = view.piece
    message.tops = bytes(view.tops)
    message.bottoms = bytes(view.bottoms)
    message.completed = bytes(view.completed)
    message.dollars = bytes(view.dollars)
    message.deck = view.deck
    message.may_harvest = view.may_harvest
    message.thief = view.thief
    message.stolen = bytes(view.stolen)
    message.at_risk = bytes(view.at_risk)


view_from_pb = late(
    DiceView,
    DiceDecision,
    {
        "faces": lambda message: kinds_or_none_from_bytes(message.faces),
        "rolled": lambda message: tuple(message.rolled),
        "saved": lambda message: tuple(message.saved),
        "tops": lambda message: tuple(message.tops),
        "bottoms": lambda message: tuple(message.bottoms),
        "completed": lambda message: tuple(message.completed),
        "dollars": lambda message: tuple(message.dollars),
        "stolen": lambda message: tuple(message.stolen),
        "at_risk": lambda message: tuple(message.at_risk),
        "news": lambda message: News(message.news),
    },
)
