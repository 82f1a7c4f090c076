"""Things that are nearly right, which find more than noise does."""

from typing import Any

from hypothesis import settings, strategies as st

FEW = settings(max_examples=settings().max_examples // 10)
"""For cases that take long."""

Edits = list[tuple[float, int, bytes]]

EDITS: st.SearchStrategy[Edits] = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 8), st.binary(max_size=8)), min_size=1, max_size=6
)
"""Where, as a fraction of the length; how many bytes are removed; and which are inserted there."""

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


def replaced(data: Any, path: list[float], value: Any) -> Any:
    """Return the JSON `data` with another value at a place: each number of `path` leads one step in."""
    if not path or not isinstance(data, (list, dict)) or not data:
        return value
    if isinstance(data, list):
        index = int(path[0] * len(data))
        return [*data[:index], replaced(data[index], path[1:], value), *data[index + 1 :]]
    key = list(data)[int(path[0] * len(data))]
    return {**data, key: replaced(data[key], path[1:], value)}
