"""Answers as JSON: messages of `league.proto` as plain values, with the names of their fields as keys."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TypeAlias, cast

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanproto.v1.league_pb2 import OptionValue

DECK = "deck"
"""The option of a game whose value is a whole file."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def shape(message: Message) -> dict[str, Json]:
    """Return every field of `message` by its name, in the order of the .proto file.

    Absent messages and optional fields are null, bytes are hex, times ISO 8601, enums their name in lower case
    without the prefix. A list of `OptionValue` becomes one object, from name to shown value.
    """
    return {field.name: _value(message, cast("FieldDescriptor", field)) for field in message.DESCRIPTOR.fields}


def enum_name(enum: EnumDescriptor, number: int) -> str:
    """Return the name of an enum's value, e.g. "done" for LEAGUE_STATE_DONE."""
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in enum.name)[1:].upper()
    return enum.values_by_number[number].name.removeprefix(f"{prefix}_").lower()


def _value(message: Message, field: FieldDescriptor) -> Json:
    value = getattr(message, field.name)
    if field.is_repeated:
        if field.message_type is OptionValue.DESCRIPTOR:
            return {option.name: _option(option) for option in value}
        return [_single(field, each) for each in value]
    if field.has_presence and not message.HasField(field.name):
        return None
    return _single(field, value)


def _single(field: FieldDescriptor, value: object) -> Json:
    if isinstance(value, Timestamp):
        return value.ToJsonString()
    if isinstance(value, Message):
        return shape(value)
    if isinstance(value, bytes):
        return value.hex()
    if field.enum_type is not None:
        assert isinstance(value, int)
        return enum_name(field.enum_type, value)
    assert isinstance(value, bool | int | float | str)
    return value


def _option(option: OptionValue) -> int | str:
    return shown_option(option.name, option.text if option.WhichOneof("value") == "text" else option.number)


def shown_option(name: str, value: int | str) -> int | str:
    """Return the value of a game's option as it is shown; of a deck, which is long, the SHA-256 of its text."""
    return f"sha256:{hashlib.sha256(str(value).encode()).hexdigest()}" if name == DECK else value


def options_line(shown: Mapping[str, object]) -> str:
    """Return options as one line, e.g. "max_rounds=6". `shown`: from names to values by `shown_option`."""
    return ", ".join(f"{name}={value}" for name, value in shown.items()) or "none"
