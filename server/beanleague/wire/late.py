"""Views that are read from their message when they are looked at: many bots look at few fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, fields
from enum import IntEnum
from operator import attrgetter
from typing import Any, TypeVar

from beanleague.games import Rules, View
from beanleague.wire.codec import WireError

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
