"""Views, and the rules they are played by, as messages and back; and how the families' files translate their fields.

Kinds travel as numbers, a list of kinds as a byte for each. Views are read from their message when they are looked at:
many bots look at few fields.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar

from beanleague.games import Kind, KindRule, Rules, View
from beanleague.games.core.values import refuse_to_set, types_of
from beanleague.games.families import FAMILIES, family_of_view
from beanleague.games.lazy import OnDemand
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


_T = TypeVar("_T")


def parted(items: tuple[_T, ...], sizes: Iterable[int]) -> tuple[tuple[_T, ...], ...]:
    """Return `items` in parts of `sizes`, one after the other."""
    return tuple([items[start:end] for start, end in pairwise(accumulate(sizes, initial=0))])


def pair(values: Iterable[_T]) -> tuple[_T, _T]:
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
    names = list(types_of(cls))
    decision_by_number = {int(decision): decision for decision in decisions}

    class Late(cls):  # type: ignore[misc, valid-type]  # any class
        __class__ = property(lambda _: cls)  # which dataclasses compare, show and copy by

        __setattr__ = refuse_to_set

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


_Function: TypeAlias = Callable[..., Any]  # each family has its own classes

# Families that share rules share the field of `MatchStart.rules`, whose message has the name of the rules' class.
_FIELDS = {
    field.message_type.name: field.name
    for field in pb.MatchStart.DESCRIPTOR.oneofs_by_name["rules"].fields
    if field.message_type
}


def rules_to_pb(view: View, start: pb.MatchStart) -> None:
    """Set the rules of `start` to those that `view` is played by; ruleset and seats are set beside them.

    Raises:
        WireError: if there is no message for such rules.
    """
    try:
        field, encode = _RULES_TO_PB[type(view.rules)]
    except KeyError:
        raise WireError(f"no message holds the rules of a {type(view).__name__}") from None
    getattr(start, field).MergeFrom(encode(view.rules))


def rules_from_pb(start: pb.MatchStart) -> Rules:
    """Return the rules of the match that `start` begins.

    Raises:
        WireError: if it has none, or they have an unknown number.
    """
    field = start.WhichOneof("rules")
    try:
        decode = _RULES_FROM_PB[field]
    except KeyError:
        raise WireError("the match has no rules that this program supports") from None
    rules: Rules = decode(getattr(start, field or ""), start.ruleset, start.seats)
    return rules


def view_to_pb(view: View, request: pb.Request, news: Iterable[pb.Event] = ()) -> None:
    """Set the view of `request`, with `news` as its news: the caller keeps encoded events, which go to many seats.

    Raises:
        WireError: if there is no message for views of this type.
    """
    try:
        field, encode = _VIEW_TO_PB[type(view)]
    except KeyError:
        raise WireError(f"no message holds a {type(view).__name__}") from None
    message = getattr(request, field)
    encode(view, message)
    if news:
        message.news.extend(news)


def view_from_pb(request: pb.Request, rules: Rules, seat: int) -> View:
    """Return the view that `request` holds for `seat` in a match with `rules`.

    Raises:
        WireError: if it holds no view, or one that does not fit the rules.
    """
    field = request.WhichOneof("view")
    if field is not None:
        played_by, decode = _VIEW_FROM_PB[field]
        if type(rules) is played_by:
            view: View = decode(getattr(request, field), rules, seat)
            return view
    raise WireError("the request holds no view that fits the rules of the match")


# Each family has a module of its name here, which is loaded when the family is first met, and a field of its name in
# `Request.view`.


def _rules_to_pb(rules: type[Rules]) -> tuple[str, _Function]:
    for family in FAMILIES:
        if family.rules_name == rules.__name__ and family.rules is rules:
            return _FIELDS[family.rules_name], family.module(__package__).rules_to_pb
    raise KeyError(rules)


def _rules_from_pb(field: str | None) -> _Function:
    for family in FAMILIES:
        if _FIELDS[family.rules_name] == field:
            decode: _Function = family.module(__package__).rules_from_pb
            return decode
    raise KeyError(field)


def _view_to_pb(view: type[View]) -> tuple[str, _Function]:
    family = family_of_view(view)
    if family is None:
        raise KeyError(view)
    return family.name, family.module(__package__).view_to_pb


def _view_from_pb(field: str) -> tuple[type[Rules], _Function]:
    (family,) = [family for family in FAMILIES if family.name == field]
    return family.rules, family.module(__package__).view_from_pb


_RULES_TO_PB = OnDemand(_rules_to_pb)
_RULES_FROM_PB = OnDemand(_rules_from_pb)
_VIEW_TO_PB = OnDemand(_view_to_pb)
_VIEW_FROM_PB = OnDemand(_view_from_pb)
