"""Conversion of views and rules, with the building blocks for the modules of families.

Fields of views are decoded at their first access, since most bots use few of them.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from beanleague.games import KindRule, Rules, View
from beanleague.games.core.values import refuse_to_set, types_of
from beanleague.games.families import FAMILIES, Family, family_of_view
from beanleague.games.lazy import OnDemand
from beanleague.wire import codec
from beanproto.v1 import referee_pb2 as pb

FAULTS: codec.Names[str] = codec.Names(pb.FaultKind.DESCRIPTOR)
"""Kinds of faults, with the names in `beanleague.model.FaultKind`."""

_T = TypeVar("_T")


def split(items: tuple[_T, ...], sizes: Iterable[int]) -> tuple[tuple[_T, ...], ...]:
    """Split `items` into consecutive parts of the given `sizes`."""
    return tuple([items[start:end] for start, end in pairwise(accumulate(sizes, initial=0))])


def _write_kind(rule: KindRule, message: pb.KindRule) -> None:
    message.kind = codec.KINDS.number[rule.name]


KIND_RULE = codec.Codec(
    KindRule, pb.KindRule, parts={"name": (_write_kind, lambda message: codec.KINDS.name(message.kind))}
)


def rules_codec(
    rules: type[_T], message: type[Message], *, apart: Iterable[str] = (), **parts: codec.Part
) -> codec.Codec[_T, Message]:
    """Return the codec of a family's rules. It omits ruleset and seats, which are fields of `MatchStart`."""
    return codec.Codec(rules, message, apart={"ruleset", "seats", *apart}, parts=parts)


ViewT = TypeVar("ViewT", bound=View)

_LINES = {
    codec.SET: "if view.{0}: message.{0} = {1}",
    codec.EXTEND: "if view.{0}: message.{0}.extend({1})",
    codec.SET_IF_GIVEN: "if view.{0} is not None: message.{0} = {1}",
    codec.COPY: "if view.{0} is not None: message.{0}.CopyFrom({1})",
    codec.WRITE: "if view.{0}: encode_{0}(view, message)",
}


class ViewCodec(Generic[ViewT]):
    """Codec of a family's views, without rules, seat and the encoding of news.

    The writer is compiled, since it is called for every decision. Reading is lazy: the view equals an ordinary one, and
    its `__class__` is `view`, but a malformed field raises WireError at its first access.
    """

    def __init__(
        self, view: type[ViewT], message: type[Message], decisions: type[IntEnum], **parts: codec.Part
    ) -> None:
        plan = codec.Codec(view, message, apart={"rules", "seat", "decision", "news"}, parts=parts).plan
        self._decisions = {int(decision): decision for decision in decisions}
        self._late = _late(view, {name: (how, decode) for name, how, _, decode in plan})
        lines = ["message.decision = view.decision"]
        known: dict[str, Any] = {}
        for name, how, encode, _ in plan:
            known[f"encode_{name}"] = encode
            lines.append(_LINES[how].format(name, f"encode_{name}(view.{name})" if encode else f"view.{name}"))
        exec("def write(view, message):\n " + "\n ".join(lines), known)  # noqa: S102  # names of our own
        self.write: Callable[[ViewT, Message], None] = known["write"]

    def read(self, message: Any, rules: Rules, seat: int) -> ViewT:  # noqa: ANN401  # each family has its own
        """Return the view of `seat` in `message`, in a match with `rules`.

        Raises:
            WireError: if the decision is unknown.
        """
        view: ViewT = self._late.__new__(self._late)
        read = view.__dict__
        try:
            read["decision"] = self._decisions[message.decision]
        except KeyError as unknown:
            raise codec.WireError(f"the view has an unknown decision: {unknown}") from None
        read["rules"] = rules
        read["seat"] = seat
        read[_MESSAGE] = message
        return view


def _late(cls: type[ViewT], plan: Mapping[str, tuple[int, Callable[[Any], object] | None]]) -> type[ViewT]:
    """Return a subclass of views whose fields are decoded from their message at the first access."""
    names = list(types_of(cls))

    class Late(cls):  # type: ignore[misc, valid-type]  # any class
        __class__ = property(lambda _: cls)  # used by dataclasses for comparison, text and copies

        __setattr__ = refuse_to_set

        def __reduce__(self) -> tuple[object, ...]:
            return cls, tuple(getattr(self, name) for name in names)

    Late.__name__ = cls.__name__  # name shown in Python's error messages
    for name in names:
        setattr(Late, name, _Unread(name, *plan.get(name, (codec.SET, codec.News))))
    return Late


_MESSAGE = "_message"  # attribute of a view that holds its message


class _Unread:
    """Descriptor of a field that is not decoded yet; the decoded value then hides it."""

    __slots__ = ("_decode", "_name", "_optional", "_whole")

    def __init__(self, name: str, how: int, decode: Callable[[Any], object] | None) -> None:
        self._name = name
        self._whole = how == codec.WRITE
        self._optional = how in codec.WHEN_GIVEN
        self._decode = decode

    def __get__(self, view: View | None, _: type[View]) -> object:
        if view is None:
            return self
        read = view.__dict__
        message = read[_MESSAGE]
        name = self._name
        value = message if self._whole else getattr(message, name)
        try:
            if self._optional and not message.HasField(name):
                value = None
            elif self._decode is not None:
                value = self._decode(value)
        except ValueError as problem:
            raise codec.WireError(f"{name} of the view cannot be read: {problem}") from None
        read[name] = value
        return value


# Families with the same rules share a field of `MatchStart.rules`, whose message is named like the rules' class.
_FIELDS = {
    field.message_type.name: field.name
    for field in pb.MatchStart.DESCRIPTOR.oneofs_by_name["rules"].fields
    if field.message_type
}


def rules_to_pb(view: View, start: pb.MatchStart) -> None:
    """Set the rules of `start` to the rules of `view`; the caller sets ruleset and seats.

    Raises:
        WireError: if these rules have no message.
    """
    for family in FAMILIES:
        if family.rules_name == type(view.rules).__name__ and family.rules is type(view.rules):
            message = getattr(start, _FIELDS[family.rules_name])
            _module(family).RULES.write(view.rules, message)
            message.SetInParent()
            return
    raise codec.WireError(f"no message holds the rules of a {type(view).__name__}")


def rules_from_pb(start: pb.MatchStart) -> Rules:
    """Return the rules of the match that begins with `start`.

    Raises:
        WireError: if there are no rules, or they contain an unknown number.
    """
    field = start.WhichOneof("rules")
    for family in FAMILIES:
        if _FIELDS[family.rules_name] == field:
            rules: Rules = _module(family).RULES.decode(getattr(start, field), ruleset=start.ruleset, seats=start.seats)
            return rules
    raise codec.WireError("the match has no rules that this program supports")


def view_to_pb(view: View, request: pb.Request, news: Iterable[pb.Event] = ()) -> None:
    """Set the view of `request` and its news; the caller encodes events once for many seats.

    Raises:
        WireError: if there is no message for views of this type.
    """
    try:
        field, write = _WRITE[type(view)]
    except KeyError:
        raise codec.WireError(f"no message holds a {type(view).__name__}") from None
    message = getattr(request, field)
    write(view, message)
    if news:
        message.news.extend(news)


def view_from_pb(request: pb.Request, rules: Rules, seat: int) -> View:
    """Return the view of `seat` in `request`, in a match with `rules`.

    Raises:
        WireError: if there is no view, or it does not fit the rules.
    """
    field = request.WhichOneof("view")
    if field is not None:
        played_by, read = _READ[field]
        if type(rules) is played_by:
            return read(getattr(request, field), rules, seat)
    raise codec.WireError("the request holds no view that fits the rules of the match")


# Each family has a module of its name in this package, loaded at the family's first use, and a field of its name in
# `Request.view`.


def _module(family: Family) -> Any:  # noqa: ANN401  # it has `RULES` and `VIEW`, each of its own type
    return family.module(__package__)


def _write(view: type[View]) -> tuple[str, Callable[[View, Message], None]]:
    family = family_of_view(view)
    if family is None:
        raise KeyError(view)
    return family.name, _module(family).VIEW.write


def _read(field: str) -> tuple[type[Rules], Callable[[Message, Rules, int], View]]:
    (family,) = [family for family in FAMILIES if family.name == field]
    return family.rules, _module(family).VIEW.read


_WRITE = OnDemand(_write)
_READ = OnDemand(_read)
