"""The kinds of the card games as messages and back."""

from __future__ import annotations

from collections.abc import Iterable

from beanleague.games import KindRule
from beanleague.wire.names import KINDS
from beanproto.v1 import referee_pb2 as pb


def kind_rules_to_pb(kinds: tuple[KindRule, ...]) -> list[pb.KindRule]:
    """Return `kinds` as messages."""
    return [pb.KindRule(kind=KINDS.number[kind.name], cards=kind.cards, beanometer=kind.beanometer) for kind in kinds]


def kind_rules_from_pb(messages: Iterable[pb.KindRule]) -> tuple[KindRule, ...]:
    """Return the kinds in `messages`."""
    return tuple(KindRule(KINDS.name(kind.kind), kind.cards, tuple(kind.beanometer)) for kind in messages)
