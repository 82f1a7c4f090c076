"""Requests of any call, from its message's fields: valid ones with a few values that are unusual or cannot be."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor as Field
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

Path = tuple[Field, ...]

_MAX_DEPTH = 3  # of messages in messages
_INTEGERS = {
    **dict.fromkeys((Field.TYPE_INT32, Field.TYPE_SINT32, Field.TYPE_SFIXED32), (-(2**31), 2**31 - 1)),
    **dict.fromkeys((Field.TYPE_INT64, Field.TYPE_SINT64, Field.TYPE_SFIXED64), (-(2**63), 2**63 - 1)),
    **dict.fromkeys((Field.TYPE_UINT32, Field.TYPE_FIXED32), (0, 2**32 - 1)),
    **dict.fromkeys((Field.TYPE_UINT64, Field.TYPE_FIXED64), (0, 2**64 - 1)),
}
_EDGES = (0, 1, 2, 3, 100, 1_001, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
_ENUM_NUMBERS = (-(2**31), -1, 0, 1, 2, 3, 99, 2**31 - 1)
_DOUBLES = (math.nan, math.inf, -math.inf, -0.0, 0.0, 5e-324, 1.0, -1.0, 0.05, 1e300, -1e300)
_TEXTS = (
    *("", "\0", "a\0b", "x" * 33, "x" * 9_000, "\u0130" * 3_000, "--help", "../../etc/passwd", "%s{}", "\u202e\x1b[2J"),
    *(
        "@",
        "bot0@",
        "bot0@0",
        "bot0@00",
        f"bot0@{2**31}",
        f"bot0@{10**30}",
        "/",
        "spring/",
        "spring/0.0",
        "spring/1.99",
    ),
    *("spring/999999999.99", "spring/1.0.0", "\ud7ff\U0010ffff", "' OR 1=1 --", "٣", "spr\u0131ng", "climb/1.0"),
)
_DATA = (b"", b"\0", bytes(15), bytes(16), bytes(64), bytes(65), b"x" * 9_000)


@dataclass(frozen=True, repr=False)
class Edit:
    """A value for a field of a request, or of a message in it."""

    path: Path
    value: Any

    def apply(self, message: Message) -> None:
        *above, field = self.path
        for each in above:
            inner = getattr(message, each.name)
            if each.is_repeated:
                inner = inner[0] if inner else inner.add()
            message = inner
        _put(message, field, self.value)

    def __repr__(self) -> str:
        return f"{'.'.join(field.name for field in self.path)} = {self.value!r:.200}"


def is_malformed(message: Message) -> bool:
    """Whether a value is in it that no request may have: one unknown to its enumeration, no number, or a NUL."""
    return any(_malformed(field, value) for field, value in _flat(message))


def _flat(message: Message) -> Iterator[tuple[Field, Any]]:
    for field, found in message.ListFields():
        if field.message_type is None:
            yield from ((field, each) for each in (found if field.is_repeated else [found]))
        elif field.message_type.GetOptions().map_entry:
            key, of = field.message_type.fields
            yield from ((key, each) for each in found)
            for each in found.values():
                yield from [(of, each)] if of.message_type is None else _flat(each)
        else:
            for each in found if field.is_repeated else [found]:
                yield from _flat(each)


def _malformed(field: Field, value: Any) -> bool:
    if field.enum_type is not None:
        return value not in field.enum_type.values_by_number
    if field.type in {Field.TYPE_DOUBLE, Field.TYPE_FLOAT}:
        return not math.isfinite(value)
    return field.type == Field.TYPE_STRING and "\0" in value


def _put(message: Message, field: Field, value: Any) -> None:
    if field.message_type is not None:
        if not field.is_repeated:
            getattr(message, field.name).CopyFrom(value)
        elif not field.message_type.GetOptions().map_entry:
            getattr(message, field.name).append(value)
        elif isinstance(value.value, Message):
            getattr(message, field.name)[value.key].CopyFrom(value.value)
        else:
            getattr(message, field.name)[value.key] = value.value
    elif field.is_repeated:
        getattr(message, field.name).append(value)
    else:
        setattr(message, field.name, value)


def edits(message: Descriptor, known: Sequence[str]) -> st.SearchStrategy[list[Edit]]:
    """A few values for fields of a request. `known`: texts that name something at the server."""
    paths = list(_paths(message, ()))
    if not paths:
        return st.just([])
    one = st.sampled_from(paths).flatmap(lambda path: st.builds(Edit, st.just(path), _values(path[-1], known)))
    return st.lists(one, min_size=1, max_size=3)


def _paths(message: Descriptor, above: Path) -> Sequence[Path]:
    """Return the ways to all fields, those of messages in messages too, to some depth."""
    found: list[Path] = []
    for field in message.fields:
        found.append((*above, field))
        inner = field.message_type
        if inner is not None and not inner.GetOptions().map_entry and len(above) < _MAX_DEPTH - 1:
            found.extend(_paths(inner, (*above, field)))
    return found


def _values(field: Field, known: Sequence[str], depth: int = 0) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        return _messages(field.message_type, known, depth)
    if field.enum_type is not None:
        return st.sampled_from(_ENUM_NUMBERS)
    if field.type in _INTEGERS:
        least, most = _INTEGERS[field.type]
        return st.sampled_from([edge for edge in _EDGES if edge <= most] + [least]) | st.integers(least, most)
    if field.type in {Field.TYPE_DOUBLE, Field.TYPE_FLOAT}:
        return st.sampled_from(_DOUBLES) | st.floats(width=32)
    if field.type == Field.TYPE_BOOL:
        return st.booleans()
    if field.type == Field.TYPE_BYTES:
        return st.sampled_from(_DATA) | st.binary(max_size=20)
    return st.sampled_from((*known, *_TEXTS)) | st.text(st.characters(codec="utf-8"), max_size=20)


def _messages(message: Descriptor, known: Sequence[str], depth: int) -> st.SearchStrategy[Message]:
    """Messages with a few of their fields set; empty ones too."""
    made = GetMessageClass(message)
    if depth == _MAX_DEPTH or not message.fields:
        return st.builds(made)

    def of(chosen: list[Field]) -> st.SearchStrategy[Message]:
        values = st.tuples(*(_values(field, known, depth + 1) for field in chosen))
        return values.map(lambda drawn: _filled(made(), chosen, drawn))

    return st.lists(st.sampled_from(list(message.fields)), max_size=3, unique_by=lambda field: field.name).flatmap(of)


def _filled(message: Message, fields: Sequence[Field], values: Sequence[Any]) -> Message:
    for field, value in zip(fields, values, strict=True):
        _put(message, field, value)
    return message
