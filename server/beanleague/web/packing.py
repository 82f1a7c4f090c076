"""Records small enough that thousands of pages hold one each. `static/packed.js` reads them."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable
from json import dumps
from typing import Any, TypeAlias

from beanleague.games import Record, record_to_object

PACKING = 1
"""The version of this format."""

_Shape: TypeAlias = tuple[str, str, tuple[str, ...]]


def packed(record: Record) -> str:
    """Return a record in base64: the JSON of an export, deflated, moves and events as rows.

    A row is the number of its shape and its values; `shapes` has the name and the keys of each.
    """
    data = record_to_object(record)
    shapes: dict[_Shape, int] = {}
    data["moves"] = _rows(data["moves"], "action", shapes)
    data["events"] = _rows(data["events"], "event", shapes)
    data["shapes"] = [{"tag": tag, "name": name, "keys": keys} for tag, name, keys in shapes]
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    text = dumps(data, separators=(",", ":")).encode()
    return b64encode(deflate.compress(text) + deflate.flush()).decode()


def _rows(objects: Iterable[dict[str, Any]], tag: str, shapes: dict[_Shape, int]) -> list[list[Any]]:
    rows = []
    for entry in objects:
        name = entry.pop(tag)
        shape = shapes.setdefault((tag, name, tuple(entry)), len(shapes))
        rows.append([shape, *entry.values()])
    return rows
