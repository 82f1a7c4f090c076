"""What a bot writes to stderr, each line with the decision that it worked on."""

from __future__ import annotations

from collections.abc import Callable


class TaggedLines:
    """What a process wrote and nobody has taken yet, at most `limit` bytes in all, tags included.

    Each line begins with what `tag` returns when the line comes in. A bot can write whatever it likes, also what looks
    like a tag; but what it writes comes after a true one.
    """

    def __init__(self, limit: int, tag: Callable[[], str]) -> None:
        self._limit = self._left = limit
        self._tag = tag
        self._text = bytearray()
        self._in_line = False  # what came last has no line end yet

    def add(self, data: bytes) -> None:
        """Add what came in; the rest beyond the limit is left out."""
        if not (data and self._left):
            return
        tag = self._tag().encode()
        begun, self._in_line = self._in_line, not data.endswith(b"\n")
        lines = data.removesuffix(b"\n").replace(b"\n", b"\n" + tag)
        self._keep((b"" if begun else tag) + lines + (b"" if self._in_line else b"\n"))

    def note(self, tag: str, sentence: str) -> None:
        """Add lines that the process did not write, each with this tag."""
        begun, self._in_line = self._in_line, False
        lines = "".join(f"{tag}{line}\n" for line in sentence.splitlines())
        self._keep((b"\n" if begun else b"") + lines.encode())

    def _keep(self, tagged: bytes) -> None:
        if not self._left:
            return
        kept = tagged[: self._left]
        self._left -= len(kept)
        self._text += kept
        if len(kept) < len(tagged):
            self._text += f"\n[more than {self._limit} bytes; the rest is left out]\n".encode()

    @property
    def text(self) -> str:
        """What came in since the last `take`."""
        return self._text.decode("utf-8", "replace")

    def take(self) -> str:
        """Return what came in since the last call."""
        text = self.text
        self._text.clear()
        return text
