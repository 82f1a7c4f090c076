"""The end of a long text."""

from __future__ import annotations


def newest(text: str, most: int) -> tuple[str, bool]:
    """Return the last whole lines of `text` within `most` bytes of UTF-8, and whether anything was dropped."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return data.decode(), False
    tail = data[-most:]
    _, end, lines = tail.partition(b"\n")
    return (lines if end and lines else tail).decode("utf-8", "ignore"), True
