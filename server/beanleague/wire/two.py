"""Views of Bohnanza for two as messages and back; the rules are those of the card games."""

from beanleague.games.two import BohnanzaTwoView, TwoDecision
from beanleague.wire.bohnanza import fields_from_bytes, fields_to_bytes, rules_from_pb, rules_to_pb
from beanleague.wire.codec import News
from beanleague.wire.views import kinds_from_bytes, kinds_to_bytes, late, pair
from beanproto.v1 import referee_pb2 as pb

__all__ = ["rules_from_pb", "rules_to_pb", "view_from_pb", "view_to_pb"]


def view_to_pb(view: BohnanzaTwoView, message: pb.BohnanzaTwoView) -> None:
    """Write `view` into `message`, without its news."""
    message.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.hand = kinds_to_bytes(view.hand)
    message.hand_sizes = bytes(view.hand_sizes)
    message.dollars = bytes(view.dollars)
    message.fields.extend(map(fields_to_bytes, view.fields))
    message.open = kinds_to_bytes(view.open)
    message.pile = view.pile
    message.discard = kinds_to_bytes(view.discard)
    message.harvestable = bytes(view.harvestable)
    message.can_buy = view.can_buy


view_from_pb = late(
    BohnanzaTwoView,
    TwoDecision,
    {
        "hand": lambda message: kinds_from_bytes(message.hand),
        "hand_sizes": lambda message: pair(message.hand_sizes),
        "fields": lambda message: pair(map(fields_from_bytes, message.fields)),
        "dollars": lambda message: pair(message.dollars),
        "open": lambda message: kinds_from_bytes(message.open),
        "discard": lambda message: kinds_from_bytes(message.discard),
        "harvestable": lambda message: tuple(message.harvestable),
        "news": lambda message: News(message.news),
    },
)
