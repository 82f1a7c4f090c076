"""Tables that are filled as they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class OnDemand(dict[K, V]):
    """A table whose entries are made when they are first looked up. `make` raises KeyError for what is not in it."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        value = self[key] = self._make(key)
        return value
