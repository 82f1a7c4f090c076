"""Plausibility checks of every message from a server, which may be hostile or broken."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from beanleague.cli.params import CliError
from beanleague.names import NAME
from beanproto.v1.league_pb2 import ComparisonProgress, NewTokenResponse, RatingsResponse, ShowBotResponse

_MAX_NUMBER = 1e15  # upper limit for ratings, dollars, seconds and rates
_FIRST_S, _LAST_S = -62_135_596_800, 253_402_300_799  # first second of the year 1 and last of the year 9999
_FLOATS = frozenset({FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT})

_FILES = frozenset({RatingsResponse.DESCRIPTOR.file, Timestamp.DESCRIPTOR.file})
"""Proto files whose messages are checked here. Records of bots are checked where they are decoded."""

_Possible = Callable[[Any], bool]
"""Predicate: whether a value is plausible."""


def check(answer: Message, server: str) -> None:
    """Check the plausibility of an answer of `server`.

    Raises:
        CliError: if it is implausible.
    """
    if wrong := _wrong_field(answer):
        raise CliError(
            f"the server at {server} sent an invalid answer ({wrong}); it may run a later version: upgrade "
            "Beanleague, or ask its operator"
        )


def _wrong_field(message: Message) -> str:
    """Return the name of a field with an implausible value; "" if there is none."""
    if isinstance(message, Timestamp):
        return "" if _FIRST_S <= message.seconds <= _LAST_S and 0 <= message.nanos < 10**9 else "seconds"
    fits = _FITTING.get(type(message))
    if fits and not fits(message):
        return f"{message.DESCRIPTOR.name} does not fit together"
    for name, repeated, possible in _checked_fields(message.DESCRIPTOR):
        values = getattr(message, name) if repeated else (getattr(message, name),)
        if possible is not None:
            if not all(map(possible, values)):
                return name
        elif repeated or message.HasField(name):
            for each in values:
                if found := _wrong_field(each):
                    return f"{name}.{found}"
    return ""


@cache
def _checked_fields(kind: Descriptor) -> tuple[tuple[str, bool, _Possible | None], ...]:
    """Return the fields to check: name, whether it is a list, and the check of a value; None for messages."""
    fields: list[tuple[str, bool, _Possible | None]] = []
    for field in cast("list[FieldDescriptor]", kind.fields):
        if field.type in _FLOATS:
            # this comparison is false for NaN, too
            fields.append((field.name, field.is_repeated, lambda value: abs(value) <= _MAX_NUMBER))
        elif field.enum_type is not None:
            fields.append((field.name, field.is_repeated, frozenset(field.enum_type.values_by_number).__contains__))
        elif field.message_type is not None and field.message_type.file in _FILES:
            fields.append((field.name, field.is_repeated, None))
    return tuple(fields)


def _even(rated: RatingsResponse) -> bool:
    """Return whether the matrix is rectangular and not larger than the number of standings."""
    count = len(rated.standings)
    lengths = {len(numbers) for row in rated.matrix for numbers in (row.better, row.pair_score)}
    return len(rated.matrix) <= count and len(lengths) <= 1 and all(1 <= length <= count for length in lengths)


_FITTING: dict[type[Message], Callable[[Any], bool]] = {
    # Bounds of the ratio differ, except before the first deal, when both are 0.
    ComparisonProgress: lambda progress: progress.lower < progress.upper or progress.lower == progress.upper == 0,
    # Users paste the token into a shell, so its letters must be harmless.
    NewTokenResponse: lambda made: bool(re.fullmatch(r"[A-Za-z0-9_-]+", made.token) and NAME.fullmatch(made.info.name)),
    RatingsResponse: _even,
    ShowBotResponse: lambda answer: bool(answer.versions),
}
"""Consistency checks of message types."""
