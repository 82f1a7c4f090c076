"""Decisions: what a seat can be asked."""

from __future__ import annotations

from enum import IntEnum


class NamedDecision(IntEnum):
    """The base of the decisions of each family: numbers in messages, names in what people read."""

    def __str__(self) -> str:
        """Return its name, e.g. "TRADE"."""
        return self.name

    def __format__(self, spec: str) -> str:
        """Return its name in f-strings too."""
        return format(self.name, spec)
