"""Values that no request may have, whatever the call: unknown enumerations, numbers that are none, texts with NUL.

Each call checks the meaning of the others. These would be errors of the database, or of what else they come to.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any

from google.protobuf.descriptor import FieldDescriptor as Field

from beanleague.league.errors import RequestError

if TYPE_CHECKING:
    from google.protobuf.message import Message

_REALS = frozenset({Field.TYPE_DOUBLE, Field.TYPE_FLOAT})


def check_values(request: Message) -> None:
    """Check the values of a request and of all messages in it.

    Raises:
        RequestError: if one of them can be in no request; the message names its field.
    """
    for field, given in request.ListFields():
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            key, value = inner.fields
            _check(key, given)
            _check(value, given.values())
        else:
            _check(field, given if field.is_repeated else (given,))


def _check(field: Field, values: Iterable[Any]) -> None:
    if field.message_type is not None:
        for message in values:
            check_values(message)
    elif field.enum_type is not None:
        known = field.enum_type.values_by_number
        if unknown := [value for value in values if value not in known]:
            raise RequestError(f"{field.name} is {unknown[0]}, which is no {field.enum_type.name} known here")
    elif field.type in _REALS:
        if none := [value for value in values if not isfinite(value)]:
            raise RequestError(f"{field.name} must be a number, not {none[0]}")
    elif field.type == Field.TYPE_STRING and (with_nul := [value for value in values if "\0" in value]):
        raise RequestError(f"{field.name} has a NUL character: {with_nul[0]!r:.80}")
