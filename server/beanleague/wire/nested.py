"""Lists of lists, which messages hold as one list and the sizes of its parts, and pairs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TypeVar

T = TypeVar("T")


def parted(items: tuple[T, ...], sizes: Iterable[int]) -> tuple[tuple[T, ...], ...]:
    """Return `items` in parts of `sizes`, one after the other."""
    return tuple([items[start:end] for start, end in pairwise(accumulate(sizes, initial=0))])


def pair(values: Iterable[T]) -> tuple[T, T]:
    """Return the two `values`.

    Raises:
        ValueError: if there are not two.
    """
    one, other = values
    return one, other
