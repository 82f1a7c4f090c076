"""Bots that are kept apart at the tables, such as those of one owner: pure arithmetic on arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Groups:
    """The groups of the bots that can be seated now.

    `numbers`: the group of each; `games`: how often each has played; `beside`: see `Schedule`.
    """

    def __init__(self, numbers: Numbers, games: Numbers, seats: int, beside: int | None) -> None:
        _, self._of, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        self._beside: Numbers = (numbers == beside).astype(np.int64)
        self.trivial = bool(sizes.max() == 1 and not self._beside.any())
        """Whether there is nobody to be kept apart."""
        enough = len(sizes) - self._beside.any() >= seats
        itself = np.eye(len(numbers), dtype=np.bool_)
        self.never_meet: NDArray[np.bool_] = (numbers[:, None] == numbers) & enough | itself
        """By pair of bots: whether they are kept apart. No bot meets itself."""
        lacks = games == games.min()
        tables = -(-lacks.sum() // seats)  # until all have played as often
        self.urgent: NDArray[np.bool_] = (
            lacks & (np.bincount(self._of, lacks)[self._of] >= tables) & (sizes > 1)[self._of]
        )
        """By bot: whether its group, with one seat at a table, has none to spare until all have played as often."""

    def at_table(self, seated: Sequence[int]) -> Numbers:
        """Return, by bot, how many of its group are seated."""
        return self._beside + np.bincount(self._of[list(seated)], minlength=self._of.max() + 1)[self._of]

    def may_swap(self, seated: Numbers, rest: Numbers) -> NDArray[np.bool_]:
        """Return by seat and bot of `rest` whether they may change places: not if more of a group would then meet."""
        at_table = self.at_table(seated.tolist())
        same = self._of[seated][:, None] == self._of[rest]
        no_worse = at_table[rest] - same <= at_table[seated][:, None] - 1
        allowed: NDArray[np.bool_] = no_worse & (same | ~self.urgent[seated][:, None])
        return allowed


def clashes(tables: Numbers, groups: Numbers) -> Numbers:
    """Return how many pairs of each table are of one group. `tables`: bots, shape (tables, seats)."""
    pairs = combinations(range(tables.shape[1]), 2)
    shared: Numbers = np.sum([groups[tables[:, a]] == groups[tables[:, b]] for a, b in pairs], axis=0)
    return shared


def count_tables(groups: Sequence[int], seats: int) -> int:
    """Return how many tables there are without two of a group; if there are too few groups, how many in all."""
    sizes = Counter(groups).values()
    if len(sizes) < seats:
        return comb(len(groups), seats)
    ways = [1] + [0] * seats  # of choosing that many bots from the groups so far
    for size in sizes:
        ways = [ways[0], *(ways[k] + size * ways[k - 1] for k in range(1, seats + 1))]
    return ways[seats]
