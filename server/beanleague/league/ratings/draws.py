"""Probabilities of a ladder's tables, at the time of the draw and in today's field.

A table is drawn for a seed, with one of the N sets of companions that the rules allow. Let m(S) be the expected number
of tables of a set S: the sum of 1 / N over all tables with a seed in S, in the epochs in which all members of S were
candidates. The weight of a deal is the probability of its table in today's field, divided by m(S): the balance
heuristic of multiple importance sampling. Formulas: docs/ratings.md.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.encounters import Ints
from beanleague.league.ratings.fit import Floats

FULL_SHARE_DEALS = 40
"""Number of deals after which an entry has its whole share of the field; before, the share grows with their square.

In proportion to deals, the first table of a newcomer would weigh several times as much as the others.
"""

_BLOCK = 1 << 14  # number of tables processed together
_EPOCH_BITS = 32


def shares(deals: Ints, members: Collection[int]) -> Floats:
    """Return the share of each entry in the field: (entries,). `members`: entries in the field."""
    share = np.zeros(len(deals))
    present = np.fromiter(members, np.int64, len(members))
    share[present] = np.minimum(1, deals[present] / FULL_SHARE_DEALS) ** 2
    return share


@dataclass(frozen=True, slots=True)
class Stints:
    """Ranges of epochs in which each entry was a candidate: arrays are (ranges,), sorted by entry and time."""

    entries: Ints
    """Number of each entry."""
    begins: Ints
    """First epoch of each stint."""
    ends: Ints
    """End of each stint: the epoch after its last one."""

    def overlaps(self, entries: Ints, begins: Ints, ends: Ints) -> tuple[Ints, Ints, Ints]:
        """Intersect ranges of epochs with the stints of entries: return the index of each range, begin and end."""
        first = np.searchsorted(_keys(self.entries, self.ends), _keys(entries, begins), side="right")
        last = np.searchsorted(_keys(self.entries, self.begins), _keys(entries, ends), side="left")
        count = np.maximum(last - first, 0)
        index = np.repeat(np.arange(len(entries)), count)
        stint = np.arange(len(index)) + np.repeat(first - (np.cumsum(count) - count), count)
        return index, np.maximum(begins[index], self.begins[stint]), np.minimum(ends[index], self.ends[stint])


def _keys(entries: Ints, epochs: Ints) -> Ints:
    return entries << _EPOCH_BITS | epochs


@dataclass(slots=True)
class Candidates:
    """Candidates of the draws, by epoch."""

    stints: dict[int, list[list[int]]] = field(default_factory=dict)
    """Ranges of epochs, [first, after the last], in which each entry was a candidate."""
    together: list[list[int]] = field(default_factory=list)
    """Ranges of epochs in which owners were not kept apart."""

    def add(self, epoch: int, entries: Iterable[int], *, apart: bool) -> None:
        """Record the candidates of the next epoch. `apart`: whether owners were kept apart."""
        for entry in entries:
            _extend(self.stints.setdefault(entry, []), epoch)
        if not apart:
            _extend(self.together, epoch)

    def forget(self, before: int, gone: Collection[int]) -> None:
        """Drop all epochs before `before`, and the entries in `gone`."""
        for ranges in [*self.stints.values(), self.together]:
            ranges[:] = [[max(begin, before), end] for begin, end in ranges if end > before]
        self.stints = {entry: ranges for entry, ranges in self.stints.items() if ranges and entry not in gone}

    def arrays(self) -> tuple[Stints, Stints]:
        """Return the stints of all entries, and the ranges of `together` as stints of a fictitious entry 0."""
        rows = [(entry, *stint) for entry, ranges in sorted(self.stints.items()) for stint in ranges]
        return _stints(rows), _stints([(0, begin, end) for begin, end in self.together])


def _stints(rows: Sequence[tuple[int, ...]]) -> Stints:
    entries, begins, ends = np.array(rows, np.int64).reshape(-1, 3).T
    return Stints(entries, begins, ends)


def _extend(ranges: list[list[int]], epoch: int) -> None:
    if ranges and ranges[-1][1] == epoch:
        ranges[-1][1] += 1
    else:
        ranges.append([epoch, epoch + 1])


@dataclass(frozen=True, slots=True)
class Seeds:
    """Planned tables by seed and epoch: arrays are (E,), sorted by seed, then epoch."""

    seeds: Ints
    """Seed entry of each draw: the entry for which the table was planned."""
    epochs: Ints
    """Epoch of each draw."""
    counts: Ints
    """Number of tables of the seed in the epoch."""
    chances: Floats
    """1 / N: the probability of each set of companions."""

    @classmethod
    def none(cls) -> "Seeds":
        """Return an empty collection."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing, np.zeros(0))

    def plus(self, seeds: Ints, epochs: Ints, chances: Floats) -> "Seeds":
        """Return the collection with further tables, one per row, in any order."""
        seeds, epochs = np.append(self.seeds, seeds), np.append(self.epochs, epochs)
        counts = np.append(self.counts, np.ones(len(seeds) - len(self.counts), np.int64))
        keys, first, where = np.unique(_keys(seeds, epochs), return_index=True, return_inverse=True)
        total = np.bincount(where.ravel(), counts, len(keys)).astype(np.int64)
        return Seeds(seeds[first], epochs[first], total, np.append(self.chances, chances)[first])

    def since(self, epoch: int) -> "Seeds":
        """Return the collection without tables before an epoch."""
        return self._where(self.epochs >= epoch)

    def without(self, entries: Collection[int]) -> "Seeds":
        """Leave out the tables drawn for some entries."""
        return self._where(~np.isin(self.seeds, [*entries]))

    def _where(self, kept: NDArray[np.bool_]) -> "Seeds":
        return Seeds(self.seeds[kept], self.epochs[kept], self.counts[kept], self.chances[kept])


def mixture(tables: Ints, mixed: NDArray[np.bool_], candidates: Candidates, seeds: Seeds) -> Floats:
    """Return m(S) for each table: shape (T,). `tables`: (T, k).

    `mixed`: whether each table seats two entries of one owner, (T,).
    """
    entries, together = candidates.arrays()
    keys = _keys(seeds.seeds, seeds.epochs)
    before, until = _running_sums(seeds)
    found = np.zeros(len(tables))
    for start in range(0, len(tables), _BLOCK):
        block = tables[start : start + _BLOCK]
        rows = np.arange(len(block))
        begins, ends = np.zeros(len(block), np.int64), np.full(len(block), (1 << _EPOCH_BITS) - 1)
        for column in block.T:
            index, begins, ends = entries.overlaps(column[rows], begins, ends)
            rows = rows[index]
        two = mixed[start : start + _BLOCK][rows]
        index, *parts = together.overlaps(np.zeros(int(two.sum()), np.int64), begins[two], ends[two])
        rows, begins, ends = (
            np.concatenate([all_[~two], some])
            for all_, some in zip((rows, begins, ends), (rows[two][index], *parts), strict=True)
        )
        for column in block.T:
            seed = column[rows]
            low, high = (np.searchsorted(keys, _keys(seed, epochs)) for epochs in (begins, ends))
            drawn = np.where(high > low, until[high - 1] - before[low], 0.0)
            found[start : start + _BLOCK] += np.bincount(rows, drawn, len(block))
    return found


def _running_sums(seeds: Seeds) -> tuple[Floats, Floats]:
    """Return the expected draws of each row's seed up to that row, without it and with it: (E + 1,), 0 in the last row.

    Each seed is summed separately, so that leaving one out changes no other sum, not even in the last bit.
    """
    drawn, rows = seeds.counts * seeds.chances, len(seeds.seeds)
    before, until = np.zeros(rows + 1), np.zeros(rows + 1)
    starts = np.flatnonzero(np.diff(seeds.seeds, prepend=-1))
    for start, end in pairwise([*starts, rows]):
        np.cumsum(drawn[start:end], out=until[start:end])
    before[1:rows] = until[: rows - 1]
    before[starts] = 0
    return before, until


def two_of_one(tables: Ints, groups: Sequence[int]) -> NDArray[np.bool_]:
    """Return whether each table seats two entries of one owner: (T,). `tables`: (T, k). `groups`: owner by entry."""
    owners = np.sort(np.array(groups, np.int64)[tables], axis=1)
    return np.asarray((owners[:, 1:] == owners[:, :-1]).any(axis=1))
