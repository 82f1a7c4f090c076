"""Conversion of views and rules of the card games with one kind per field."""

from functools import lru_cache

from beanleague.games.bohnanza import EMPTY, Answered, BohnanzaView, CardRules, Decision, Field, Offered
from beanleague.games.core.game import quick
from beanleague.wire.codec import ARRIVED, KINDS, SENT, Names, Part, kinds_from_bytes, kinds_to_bytes
from beanleague.wire.views import KIND_RULE, ViewCodec, rules_codec
from beanproto.v1 import referee_pb2 as pb

RULES = rules_codec(CardRules, pb.CardRules, kinds=KIND_RULE)


@lru_cache(maxsize=SENT)
def _fields_to_bytes(fields: tuple[Field, ...]) -> bytes:
    """Encode the `fields` of a seat: per field, the number of the kind and the count."""
    number = KINDS.number
    return bytes([byte for field in fields for byte in (number[field.kind], field.count)])


@lru_cache(maxsize=ARRIVED)
def _fields_from_bytes(data: bytes) -> tuple[Field, ...]:
    """Decode the fields of a seat.

    Raises:
        WireError: if a kind is unknown.
        ValueError: if the last field has no count.
    """
    pairs = zip(data[::2], data[1::2], strict=True)
    return tuple([Field(KINDS.name(kind), count) if kind or count else EMPTY for kind, count in pairs])


FIELDS: Part = (
    lambda view, message: message.fields.extend(map(_fields_to_bytes, view.fields)),
    lambda message: tuple(map(_fields_from_bytes, message.fields)),
)
_ASIDE: Part = (  # field for cards aside, left out if no seat has any
    lambda view, message: any(view.aside) and message.aside.extend(map(kinds_to_bytes, view.aside)),
    lambda message: tuple(map(kinds_from_bytes, message.aside)) or ((),) * len(message.hand_sizes),
)


# Written by hand, since a codec would be slower.


def _write_offer(view: BohnanzaView, message: pb.BohnanzaView) -> None:
    offered, offer = view.offer, message.offer
    assert offered is not None
    offer.seat = offered.seat
    offer.to = bytes(offered.to)
    offer.turned = bytes(offered.turned)
    offer.hand = bytes(offered.hand)
    offer.gives = kinds_to_bytes(offered.gives)
    offer.wants = kinds_to_bytes(offered.wants)


def _offer(message: pb.BohnanzaView) -> Offered | None:
    if not message.HasField("offer"):
        return None
    offer = message.offer
    gives, wants = kinds_from_bytes(offer.gives), kinds_from_bytes(offer.wants)
    return _new_offered(offer.seat, tuple(offer.to), tuple(offer.turned), tuple(offer.hand), gives, wants)


def _write_answers(view: BohnanzaView, message: pb.BohnanzaView) -> None:
    for answered in view.answers:
        message.answers.add(
            seat=answered.seat,
            answer=_ANSWERS.number[answered.answer],
            hand=bytes(answered.hand),
            gives=kinds_to_bytes(answered.gives),
            turned=bytes(answered.turned),
            wants=kinds_to_bytes(answered.wants),
        )


def _answer(answer: pb.OpenAnswer) -> Answered:
    gives, wants = kinds_from_bytes(answer.gives), kinds_from_bytes(answer.wants)
    name = _ANSWERS.name(answer.answer)
    return _new_answered(answer.seat, name, tuple(answer.hand), gives, tuple(answer.turned), wants)


_ANSWERS: Names[str] = Names(pb.Answer.DESCRIPTOR)
_new_offered = quick(Offered)
_new_answered = quick(Answered)

VIEW = ViewCodec(
    BohnanzaView,
    pb.BohnanzaView,
    Decision,
    fields=FIELDS,
    aside=_ASIDE,
    offer=(_write_offer, _offer),
    answers=(_write_answers, lambda message: tuple(map(_answer, message.answers))),
)
