"""Things that are nearly right, which find more than noise does."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

FEW = settings(max_examples=settings().max_examples // 5)
"""For cases that take long."""

Edits = list[tuple[float, int, bytes]]

EDITS: st.SearchStrategy[Edits] = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 8), st.binary(max_size=8)), min_size=1, max_size=6
)
"""Where, in parts of the whole; how many bytes go; and what comes in their place."""

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
"""Any JSON."""


def edited(data: bytes, edits: Edits) -> bytes:
    """Return `data` after these edits."""
    changed = bytearray(data)
    for place, length, piece in edits:
        start = int(place * len(changed))
        changed[start : start + length] = piece
    return bytes(changed)


def replaced(told: Any, path: list[float], value: Any) -> Any:
    """Return `told`, JSON, with another value at a place: each number of `path` leads one step in."""
    if not path or not isinstance(told, (list, dict)) or not told:
        return value
    if isinstance(told, list):
        index = int(path[0] * len(told))
        return [*told[:index], replaced(told[index], path[1:], value), *told[index + 1 :]]
    key = list(told)[int(path[0] * len(told))]
    return {**told, key: replaced(told[key], path[1:], value)}
