"""Dataclasses as messages with the same field names, and back.

What a field needs is read off the message's descriptor once: names (of kinds, answers, sources) travel as numbers of
an enum, in the message called e.g. KIND_BLUE for "blue"; the number 0 is None. All else travels as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any, Generic, TypeVar

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

T = TypeVar("T")
M = TypeVar("M", bound=Message)


class WireError(Exception):
    """A message that does not say what it should; the text says what is wrong with it."""


def snake(name: str) -> str:
    """Return the name of a class as messages write it: "TurnStarted" is "turn_started"."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Names:
    """The names that the numbers of an enum stand for; None stands for 0."""

    def __init__(self, enum: EnumDescriptor) -> None:
        prefix = snake(enum.name).upper() + "_"
        self.number: dict[str | None, Any] = {
            value.name.removeprefix(prefix).lower(): value.number for value in enum.values if value.number
        }
        self._name = {number: name for name, number in self.number.items()}
        self.number[None] = 0
        self._what = snake(enum.name).replace("_", " ")

    def name(self, number: int) -> str:
        """Return what `number` stands for.

        Raises:
            WireError: nothing.
        """
        try:
            return self._name[number]  # type: ignore[return-value]  # None is not among them
        except KeyError:
            raise WireError(f"{number} is not the number of a {self._what}") from None

    def name_or_none(self, number: int) -> str | None:
        """Return what `number` stands for, None for 0."""
        return self.name(number) if number else None

    def numbers(self, names: Iterable[str]) -> list[Any]:
        """Return the numbers of `names`."""
        number = self.number
        return [number[name] for name in names]

    def names(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return what `numbers` stand for; see `name`."""
        name = self._name
        try:
            return tuple([name[number] for number in numbers])  # type: ignore[misc]  # None is not among them
        except KeyError as unknown:
            raise WireError(f"{unknown} is not the number of a {self._what}") from None


class Codec(Generic[T, M]):
    """Translates one dataclass. `message`: its message class."""

    def __init__(self, value: type[T], message: type[M]) -> None:
        self._value = value
        self._message = message
        described = message.DESCRIPTOR.fields_by_name
        self._plan: list[tuple[str, bool, Callable[[Any], Any] | None, Callable[[Any], Any] | None]] = []
        for field in fields(value):  # type: ignore[arg-type]  # a dataclass
            told = described[field.name]
            translation = _translation(told, optional="None" in str(field.type))  # type: ignore[arg-type]  # protobuf has two classes for it, alike
            self._plan.append((field.name, told.is_repeated, *translation))

    def encode(self, value: T) -> M:
        """Return `value` as a message."""
        message = self._message()
        self.write(value, message)
        return message

    def write(self, value: T, message: Message) -> None:
        """Write `value` into the empty `message`."""
        for name, repeated, encode, _ in self._plan:
            told = getattr(value, name)
            if encode is not None:
                told = encode(told)
            if not repeated:
                setattr(message, name, told)
            elif told:
                getattr(message, name).extend(told)

    def decode(self, message: Message) -> T:
        """Return the value that `message` is.

        Raises:
            WireError: a number in it stands for nothing.
        """
        return self._value(
            *[
                getattr(message, name) if decode is None else decode(getattr(message, name))
                for name, _, _, decode in self._plan
            ]
        )


def _translation(
    field: FieldDescriptor, *, optional: bool
) -> tuple[Callable[[Any], Any] | None, Callable[[Any], Any] | None]:
    """Return how to encode and to decode the values of `field`; None for as they are."""
    if field.enum_type is None:
        return (None, tuple) if field.is_repeated else (None, None)
    names = Names(field.enum_type)
    if field.is_repeated:
        return names.numbers, names.names
    return names.number.__getitem__, names.name_or_none if optional else names.name


class Choice(Generic[T]):
    """Translates the dataclasses of `values`, each to the field of a oneof that is named like its class."""

    def __init__(self, values: Iterable[type[T]], message: type[Message], oneof: str) -> None:
        self._oneof = oneof
        members = {field.name: field for field in message.DESCRIPTOR.oneofs_by_name[oneof].fields}
        self._encode: dict[type[T], tuple[str, Codec[T, Message]]] = {}
        self._decode: dict[str, Codec[T, Message]] = {}
        for value in values:
            name = snake(value.__name__)
            codec = Codec(value, GetMessageClass(members[name].message_type))  # type: ignore[arg-type]  # likewise
            self._encode[value] = (name, codec)
            self._decode[name] = codec

    def set(self, value: T, message: Message) -> None:
        """Let the oneof of `message` hold `value`.

        Raises:
            WireError: no field is for such values, or its parts have wrong types or sizes.
        """
        try:
            name, codec = self._encode[type(value)]
        except KeyError:
            raise WireError(f"{value!r:.200} is not an {self._oneof} that can be sent") from None
        held = getattr(message, name)
        try:
            codec.write(value, held)
        except (KeyError, TypeError, ValueError) as problem:
            message.ClearField(name)
            raise WireError(f"{value!r:.200} cannot be sent: {problem}") from None
        held.SetInParent()  # even where all of it is 0 or empty

    def decode(self, message: Message) -> T:
        """Return the value that the oneof of `message` holds.

        Raises:
            WireError: it holds none that is known, or a number in it stands for nothing.
        """
        name = message.WhichOneof(self._oneof)
        if name not in self._decode:
            raise WireError(f"the message has no {self._oneof} that this program knows")
        return self._decode[name].decode(getattr(message, name))
