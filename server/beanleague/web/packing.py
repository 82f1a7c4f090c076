"""Records small enough that thousands of pages hold one each. `static/packed.js` reads them."""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from json import dumps
from typing import Any, TypeAlias

from beanleague.games import Record, record_to_object

PACKING = 2
"""The version of this format."""

_WORD = re.compile(r"[a-z0-9_]+")  # as kinds of beans are written

_Shape: TypeAlias = tuple[str, str, tuple[str, ...]]
_Column: TypeAlias = list[Any] | str | dict[str, str]


def packed(record: Record) -> str:
    """Return a record in base64: the JSON of an export, deflated, moves and events by columns.

    `moves` and `events` have the number of the shape of each; `shapes` has the name, keys and columns of each. A column
    is a list of values; words are in one string with commas, and lists of words in `lists`, with spaces too.
    """
    data = record_to_object(record)
    shapes: dict[_Shape, list[list[Any]]] = {}
    numbers: dict[_Shape, int] = {}
    for part, tag in (("moves", "action"), ("events", "event")):
        order = []
        for entry in data[part]:
            shape = (tag, entry.pop(tag), tuple(entry))
            order.append(numbers.setdefault(shape, len(numbers)))
            shapes.setdefault(shape, []).append(list(entry.values()))
        data[part] = order
    data["shapes"] = [
        {"tag": tag, "name": name, "keys": keys, "columns": list(map(_column, zip(*rows, strict=True)))}
        for (tag, name, keys), rows in shapes.items()
    ]
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = dumps(data, separators=(",", ":")).encode()
    return b64encode(deflate.compress(text) + deflate.flush()).decode()


def _column(values: Sequence[Any]) -> _Column:
    if all(map(_is_word, values)):
        return ",".join(values)
    if all(isinstance(value, tuple | list) and all(map(_is_word, value)) for value in values):
        return {"lists": ",".join(map(" ".join, values))}
    return list(values)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None
