"""Records packed into pages."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from typing import Any

import pytest

from beanleague.games import record_to_json
from beanleague.web.packing import packed
from tests.cli.helpers import played, with_fault


def unpacked(text: str) -> dict[str, Any]:
    """What static/packed.js makes of it."""
    data: dict[str, Any] = json.loads(zlib.decompress(b64decode(text), -zlib.MAX_WBITS))
    shapes = data.pop("shapes")
    rows = [zip(*map(_values, shape["columns"]), strict=True) for shape in shapes]

    def entry(number: int) -> dict[str, Any]:
        shape = shapes[number]
        return {shape["tag"]: shape["name"], **dict(zip(shape["keys"], next(rows[number], ()), strict=True))}

    return {**data, "moves": list(map(entry, data["moves"])), "events": list(map(entry, data["events"]))}


def _values(column: Any) -> list[Any]:
    if isinstance(column, str):
        return column.split(",")
    return [words.split() for words in column["lists"].split(",")] if isinstance(column, dict) else column


@pytest.mark.parametrize(("ruleset", "seats"), [("bohnanza", 4), ("bohnanza-two", 2), ("duel", 2), ("dice", 3)])
def test_a_packed_record_is_the_exported_one(ruleset: str, seats: int) -> None:
    record = with_fault(played(seats, ruleset=ruleset), 5)
    assert unpacked(packed(record)) == json.loads(record_to_json(record))


def test_a_record_is_packed_the_same_each_time() -> None:
    assert packed(played()) == packed(played())


def test_columns_take_less_than_objects() -> None:
    record = played(4)
    plain = zlib.compress(json.dumps(json.loads(record_to_json(record))).encode(), 9)
    assert len(packed(record)) * 3 / 4 < 0.75 * len(plain)
