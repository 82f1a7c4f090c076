"""How the files of the families translate the fields of views and rules.

Kinds travel as numbers, a list of kinds as a byte for each. Views are read from their message when they are looked at:
many bots look at few fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import FrozenInstanceError, fields
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, TypeVar

from beanleague.games import Kind, KindRule, Rules, View
from beanleague.wire.codec import Names, WireError
from beanproto.v1 import referee_pb2 as pb

KINDS: Names[Kind] = Names(pb.Kind.DESCRIPTOR)
"""Bean kinds."""

FAULTS: Names[str] = Names(pb.FaultKind.DESCRIPTOR)
"""Kinds of faults, as `beanleague.model.FaultKind` calls them."""

# Hands and the like repeat from one view to the next, so they are looked up rather than translated again. A bot's
# process needs less room for that than a worker, which plays many matches: 0.3 MB a cache.
SENT, ARRIVED = 4096, 1024


@lru_cache(maxsize=SENT)
def kinds_to_bytes(kinds: Sequence[Kind | None]) -> bytes:
    """Return `kinds`, a tuple, with a byte for each; 0 for None."""
    return bytes([KINDS.number[kind] for kind in kinds])


@lru_cache(maxsize=ARRIVED)
def kinds_from_bytes(data: bytes) -> tuple[Kind, ...]:
    """Return the kinds in `data`.

    Raises:
        WireError: if one of them is unknown.
    """
    return KINDS.names(data)


def kinds_or_none_from_bytes(data: bytes) -> tuple[Kind | None, ...]:
    """Return the kinds in `data`, None for each 0; see `kinds_from_bytes`."""
    return tuple(map(KINDS.name_or_none, data))


def kind_rules_to_pb(kinds: tuple[KindRule, ...]) -> list[pb.KindRule]:
    """Return `kinds` as messages."""
    return [pb.KindRule(kind=KINDS.number[kind.name], cards=kind.cards, beanometer=kind.beanometer) for kind in kinds]


def kind_rules_from_pb(messages: Iterable[pb.KindRule]) -> tuple[KindRule, ...]:
    """Return the kinds in `messages`."""
    return tuple(KindRule(KINDS.name(kind.kind), kind.cards, tuple(kind.beanometer)) for kind in messages)


T = TypeVar("T")


def parted(items: tuple[T, ...], sizes: Iterable[int]) -> tuple[tuple[T, ...], ...]:
    """Return `items` in parts of `sizes`, one after the other."""
    return tuple([items[start:end] for start, end in pairwise(accumulate(sizes, initial=0))])


def pair(values: Iterable[T]) -> tuple[T, T]:
    """Return the two `values`.

    Raises:
        ValueError: if there are not two.
    """
    one, other = values
    return one, other


ViewT = TypeVar("ViewT", bound=View)


def late(
    cls: type[ViewT], decisions: type[IntEnum], readers: Mapping[str, Callable[[Any], object]]
) -> Callable[[Any, Rules, int], ViewT]:
    """Return a function that makes a view of the dataclass `cls` from a message, rules and seat.

    `readers`: for fields, what returns their value for the message; the others are as in the message. The view equals
    one that was made at once, and its `__class__` is `cls`. The function raises WireError if the decision is unknown; a
    field that cannot be read raises it when it is looked at.
    """
    names = [field.name for field in fields(cls)]  # type: ignore[arg-type]  # a dataclass
    decision_by_number = {int(decision): decision for decision in decisions}

    class Late(cls):  # type: ignore[misc, valid-type]  # any class
        __class__ = property(lambda _: cls)  # which dataclasses compare, show and copy by

        def __setattr__(self, name: str, _: object) -> None:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")

        def __reduce__(self) -> tuple[object, ...]:
            return cls, tuple(getattr(self, name) for name in names)

    Late.__name__ = cls.__name__  # in what Python says of mistakes
    for name in names:
        setattr(Late, name, _Unread(name, readers.get(name, attrgetter(name))))

    def view_from_pb(message: Any, rules: Rules, seat: int) -> ViewT:  # noqa: ANN401  # each family has its own
        view: ViewT = Late.__new__(Late)
        read = view.__dict__
        try:
            read["decision"] = decision_by_number[message.decision]
        except KeyError as unknown:
            raise WireError(f"the view has an unknown decision: {unknown}") from None
        read["rules"] = rules
        read["seat"] = seat
        read[_MESSAGE] = message
        return view

    return view_from_pb


_MESSAGE = "_message"  # where a view keeps it, beside the fields read so far


class _Unread:
    """A field of views until it is read; then its value hides this."""

    __slots__ = ("_name", "_read")

    def __init__(self, name: str, read: Callable[[Any], object]) -> None:
        self._name = name
        self._read = read

    def __get__(self, view: View | None, _: type[View]) -> object:
        if view is None:
            return self
        read = view.__dict__
        try:
            value = read[self._name] = self._read(read[_MESSAGE])
        except ValueError as problem:
            raise WireError(f"{self._name} of the view cannot be read: {problem}") from None
        return value
