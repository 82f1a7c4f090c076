"""Views and rules of the duel as messages and back."""

from functools import lru_cache
from itertools import chain

from beanleague.games.duel import BohnusCard, Column, DuelDecision, DuelRules, DuelView, Fulfil
from beanleague.wire import views
from beanleague.wire.codec import Codec, News
from beanproto.v1 import referee_pb2 as pb

_FULFIL = Codec(Fulfil, pb.Fulfil)


def rules_to_pb(rules: DuelRules) -> pb.DuelRules:
    """Return `rules` as a message; ruleset and seats are fields of `MatchStart`."""
    return pb.DuelRules(
        kinds=views.kind_rules_to_pb(rules.kinds),
        bohnus=[pb.BohnusCard(sequence=card.sequence, cents=card.cents) for card in rules.bohnus],
        fields=rules.fields,
        start_dollars=rules.start_dollars,
        start_hand=rules.start_hand,
        start_bohnus=rules.start_bohnus,
        turned=rules.turned,
        draws=rules.draws,
    )


def rules_from_pb(message: pb.DuelRules, ruleset: str, seats: int) -> DuelRules:
    """Return the rules in `message`."""
    return DuelRules(
        kinds=views.kind_rules_from_pb(message.kinds),
        bohnus=tuple(BohnusCard(tuple(card.sequence), card.cents) for card in message.bohnus),
        ruleset=ruleset,
        seats=seats,
        fields=message.fields,
        start_dollars=message.start_dollars,
        start_hand=message.start_hand,
        start_bohnus=message.start_bohnus,
        turned=message.turned,
        draws=message.draws,
    )


def view_to_pb(view: DuelView, message: pb.DuelView) -> None:
    """Write `view` into `message`, without its news."""
    message.decision = int(view.decision)  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.hand = views.kinds_to_bytes(view.hand)
    message.hand_sizes = bytes(view.hand_sizes)
    message.fields.extend([views.kinds_to_bytes(column.cards) for columns in view.fields for column in columns])
    message.dollars = bytes(view.dollars)
    message.turned = views.kinds_to_bytes(view.turned)
    message.offered = views.kinds_to_bytes(view.offered)
    message.gifts = views.kinds_to_bytes(view.gifts)
    message.may_discard = view.may_discard
    message.bohnus.extend(view.bohnus)
    message.bohnus_sizes = bytes(view.bohnus_sizes)
    message.earned_sizes.extend(map(len, view.earned))
    message.earned.extend(chain.from_iterable(view.earned))
    message.pile = view.pile
    message.discard = bytes(view.discard)
    message.bohnus_pile = view.bohnus_pile
    message.bohnus_discard.extend(view.bohnus_discard)
    message.harvestable = bytes(view.harvestable)
    message.fulfillable.extend(map(_FULFIL.encode, view.fulfillable))


def _halves(columns: tuple[Column, ...]) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    return columns[: len(columns) // 2], columns[len(columns) // 2 :]


@lru_cache(maxsize=4096)
def _column(cards: bytes) -> Column:
    return _column(cards[:-1]).grown(views.KINDS.name(cards[-1])) if cards else Column()


view_from_pb = views.late(
    DuelView,
    DuelDecision,
    {
        "hand": lambda message: views.kinds_from_bytes(message.hand),
        "hand_sizes": lambda message: views.pair(message.hand_sizes),
        "fields": lambda message: _halves(tuple(map(_column, message.fields))),
        "dollars": lambda message: views.pair(message.dollars),
        "turned": lambda message: views.kinds_from_bytes(message.turned),
        "offered": lambda message: views.kinds_from_bytes(message.offered),
        "gifts": lambda message: views.pair(views.kinds_or_none_from_bytes(message.gifts)),
        "bohnus": lambda message: tuple(message.bohnus),
        "bohnus_sizes": lambda message: views.pair(message.bohnus_sizes),
        "earned": lambda message: views.pair(views.parted(tuple(message.earned), message.earned_sizes)),
        "discard": lambda message: tuple(message.discard),
        "bohnus_discard": lambda message: tuple(message.bohnus_discard),
        "harvestable": lambda message: tuple(message.harvestable),
        "fulfillable": lambda message: tuple(map(_FULFIL.decode, message.fulfillable)),
        "news": lambda message: News(message.news),
    },
)
