"""Limited room for uploads, sessions, trials and analyses, shared fairly among owners."""

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class SharedRoom(Generic[T]):
    """Room for `most` items in total, and for `of_owner` items of each owner. Thread-safe.

    When it is full, the owner with most items makes room, so that an owner who fills it loses only their own items.
    """

    def __init__(self, most: int, of_owner: int) -> None:
        self._most = most
        self._of_owner = of_owner
        self._lock = threading.Lock()
        self._things: dict[str, dict[T, None]] = {}  # items by owner, oldest first

    def __len__(self) -> int:
        with self._lock:
            return self._count()

    def of(self, owner: str) -> int:
        """Return the number of an owner's items."""
        with self._lock:
            return len(self._things.get(owner, ()))

    def put(self, owner: str, thing: T) -> T | None:
        """Add an item; return the item that was dropped for it, if any.

        Drops the oldest item of this owner if they have too many, else of the owner with most items.
        """
        with self._lock:
            own = self._things.setdefault(owner, {})
            own[thing] = None
            if len(own) > self._of_owner:
                return self._remove(owner, next(iter(own)))
            if self._count() <= self._most:
                return None
            largest = self._largest()
            return self._remove(largest, next(iter(self._things[largest])))

    def claim(self, owner: str) -> T | None:
        """Remove and return the newest item of the owner with most items, if they have at least two more than `owner`.

        For promised places: no owner loses one to an owner who would then have more.
        """
        with self._lock:
            largest = self._largest()
            if len(self._things.get(largest, ())) < len(self._things.get(owner, ())) + 2:
                return None
            return self._remove(largest, next(reversed(self._things[largest])))

    @property
    def full(self) -> bool:
        """Whether the room is full."""
        return len(self) >= self._most

    def remove(self, owner: str, thing: T) -> None:
        """Remove an item if it is still there."""
        with self._lock:
            if thing in self._things.get(owner, ()):
                self._remove(owner, thing)

    def _count(self) -> int:
        return sum(map(len, self._things.values()))

    def _largest(self) -> str:
        """Return the owner with most items; ties go to the first."""
        return max(self._things, key=lambda owner: len(self._things[owner]), default="")

    def _remove(self, owner: str, thing: T) -> T:
        del self._things[owner][thing]
        if not self._things[owner]:
            del self._things[owner]
        return thing
