"""Conversion of views and rules of the duel."""

from functools import lru_cache
from itertools import chain

from beanleague.games.duel import BohnusCard, Column, DuelDecision, DuelRules, DuelView, Fulfil
from beanleague.wire.codec import KINDS, Codec, kinds_to_bytes, pair
from beanleague.wire.views import KIND_RULE, ViewCodec, rules_codec, split
from beanproto.v1 import referee_pb2 as pb

RULES = rules_codec(
    DuelRules, pb.DuelRules, apart=("number", "deck", "_met"), kinds=KIND_RULE, bohnus=Codec(BohnusCard, pb.BohnusCard)
)


def _fields(message: pb.DuelView) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    columns = tuple(map(_column, message.fields))
    return columns[: len(columns) // 2], columns[len(columns) // 2 :]


@lru_cache(maxsize=4096)
def _column(cards: bytes) -> Column:
    return _column(cards[:-1]).grown(KINDS.name(cards[-1])) if cards else Column()


def _write_earned(view: DuelView, message: pb.DuelView) -> None:
    message.earned_sizes.extend(map(len, view.earned))
    message.earned.extend(chain.from_iterable(view.earned))


VIEW = ViewCodec(
    DuelView,
    pb.DuelView,
    DuelDecision,
    fields=(
        lambda view, message: message.fields.extend([kinds_to_bytes(each.cards) for each in chain(*view.fields)]),
        _fields,
    ),
    earned=(_write_earned, lambda message: pair(split(tuple(message.earned), message.earned_sizes))),
    fulfillable=Codec(Fulfil, pb.Fulfil),
)
