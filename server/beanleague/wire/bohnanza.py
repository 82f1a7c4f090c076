"""Views and rules of the card games whose fields hold one kind each, as messages and back.

Views are encoded and decoded for every decision, so speed matters here.
"""

from functools import lru_cache

from beanleague.games.bohnanza import EMPTY, Answered, BohnanzaView, CardRules, Decision, Field, Offered
from beanleague.games.core.game import quick
from beanleague.wire import views
from beanleague.wire.codec import Names, News
from beanproto.v1 import referee_pb2 as pb

_ANSWERS: Names[str] = Names(pb.Answer.DESCRIPTOR)


def rules_to_pb(rules: CardRules) -> pb.CardRules:
    """Return `rules` as a message; ruleset and seats are fields of `MatchStart`."""
    return pb.CardRules(
        kinds=views.kind_rules_to_pb(rules.kinds),
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
        kinds=views.kind_rules_from_pb(message.kinds),
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
    message.decision = view.decision  # type: ignore[assignment]  # an enum's number
    message.turn = view.turn
    message.active = view.active
    message.hand = views.kinds_to_bytes(view.hand)
    message.hand_sizes = bytes(view.hand_sizes)
    message.dollars = bytes(view.dollars)
    message.fields.extend(map(fields_to_bytes, view.fields))
    message.can_buy = view.can_buy
    message.rounds_left = view.rounds_left
    message.pile = view.pile
    message.discard = bytes(view.discard)
    message.run_outs = view.run_outs
    message.harvestable = bytes(view.harvestable)
    if any(view.aside):
        message.aside.extend(map(views.kinds_to_bytes, view.aside))
    if view.turned:
        message.turned = views.kinds_to_bytes(view.turned)
    if view.offer is not None:
        _write_offer(view.offer, message.offer)
    for answered in view.answers:
        _write_answer(answered, message.answers.add())


@lru_cache(maxsize=views.SENT)
def fields_to_bytes(fields: tuple[Field, ...]) -> bytes:
    """Return the `fields` of a seat: of each the number of its kind, and its count."""
    number = views.KINDS.number
    return bytes([byte for field in fields for byte in (number[field.kind], field.count)])


@lru_cache(maxsize=views.ARRIVED)
def fields_from_bytes(data: bytes) -> tuple[Field, ...]:
    """Return the fields of a seat in `data`.

    Raises:
        WireError: if a kind is unknown.
        ValueError: if the last field has no count.
    """
    pairs = zip(data[::2], data[1::2], strict=True)
    return tuple([Field(views.KINDS.name(kind), count) if kind or count else EMPTY for kind, count in pairs])


def _write_offer(offered: Offered, message: pb.OpenOffer) -> None:
    message.seat = offered.seat
    message.to = bytes(offered.to)
    message.turned = bytes(offered.turned)
    message.hand = bytes(offered.hand)
    message.gives = views.kinds_to_bytes(offered.gives)
    message.wants = views.kinds_to_bytes(offered.wants)


def _offer(offer: pb.OpenOffer) -> Offered:
    gives, wants = views.kinds_from_bytes(offer.gives), views.kinds_from_bytes(offer.wants)
    return _new_offered(offer.seat, tuple(offer.to), tuple(offer.turned), tuple(offer.hand), gives, wants)


def _write_answer(answered: Answered, message: pb.OpenAnswer) -> None:
    message.seat = answered.seat
    message.answer = _ANSWERS.number[answered.answer]
    message.hand = bytes(answered.hand)
    message.gives = views.kinds_to_bytes(answered.gives)
    message.turned = bytes(answered.turned)
    message.wants = views.kinds_to_bytes(answered.wants)


def _answer(answer: pb.OpenAnswer) -> Answered:
    gives, wants = views.kinds_from_bytes(answer.gives), views.kinds_from_bytes(answer.wants)
    name = _ANSWERS.name(answer.answer)
    return _new_answered(answer.seat, name, tuple(answer.hand), gives, tuple(answer.turned), wants)


_new_offered = quick(Offered)
_new_answered = quick(Answered)

view_from_pb = views.late(
    BohnanzaView,
    Decision,
    {
        "hand": lambda message: views.kinds_from_bytes(message.hand),
        "hand_sizes": lambda message: tuple(message.hand_sizes),
        "fields": lambda message: tuple(map(fields_from_bytes, message.fields)),
        "dollars": lambda message: tuple(message.dollars),
        "aside": lambda message: tuple(map(views.kinds_from_bytes, message.aside)) or ((),) * len(message.hand_sizes),
        "turned": lambda message: views.kinds_from_bytes(message.turned),
        "offer": lambda message: _offer(message.offer) if message.HasField("offer") else None,
        "answers": lambda message: tuple(map(_answer, message.answers)),
        "discard": lambda message: tuple(message.discard),
        "harvestable": lambda message: tuple(message.harvestable),
        "news": lambda message: News(message.news),
    },
)
