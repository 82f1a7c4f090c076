"""Deals of a ladder with their results and the draws of their tables; ratings need nothing else."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beanleague.league.ratings.draws import Candidates, Seeds, mixture, shares, two_of_one
from beanleague.league.ratings.encounters import Ints
from beanleague.league.ratings.weighted import Weighted
from beanleague.league.schedule.draws import Companions
from beanleague.league.schedule.schedule import Table
from beanleague.model import SeatResult

MAX_DEALS = 250_000
"""Maximum number of deals kept for the ratings of a ladder: the newest deals of entries that may all play again."""

FLOATS = ("chance", "seed_chance")
"""Float columns in `LadderDeals.to_columns`."""
_OF_ENTRIES = "deals_of", "stayed", "back", "last", "since"  # columns of `to_columns` with a number for each entry
_LONG_ABSENCE = 20  # tables; in less time newcomers cannot reach a large share of the field
_WORD = 8  # bytes of a number

Parts: TypeAlias = Mapping[str, NDArray[Any]]
"""Columns of a checkpoint by name."""


class LadderDeals:
    """Deals of a ladder, added as they are committed, in any order."""

    def __init__(self, seat_of: ArrayLike) -> None:
        """`seat_of`: index in the table of the entry in each seat of each match, shape (matches, seats)."""
        self._seat_of: Ints = np.asarray(seat_of, np.int64)
        self.count = 0
        """Number of deals committed so far."""
        self._played = array("q")  # number of deals that each entry has played
        self._stayed = array("q")  # number of deals that each entry has played since its last long absence
        self._back = array("q")  # first deal since each entry's last long absence, as known from committed deals
        self._last = array("q")  # number of the last deal planned while the entry could be drawn
        self._since = array("q")  # first deal since each entry's last long absence, as known from planned deals
        # for each open deal: epoch, table, 1 / N, and `_since` of each entry at the table
        self._open: dict[int, tuple[int, Table, float, list[int]]] = {}
        self._numbers, self._epochs, self._chances = array("q"), array("q"), array("d")
        self._tables, self._places = array("q"), bytearray()
        self._candidates = Candidates()
        self._seeds = Seeds.none()  # seeds of tables of trimmed deals

    @property
    def seats(self) -> int:
        """Number of entries at a table."""
        return int(self._seat_of.shape[1])

    @property
    def bots(self) -> int:
        """Number of entries."""
        return len(self._played)

    @property
    def played(self) -> Ints:
        """Number of deals that each entry has played, whatever their weight: shape (bots,)."""
        return np.array(self._played, np.int64)

    @property
    def stayed(self) -> Ints:
        """Number of deals since each entry's last long absence, which decides its share of the field: shape (bots,).

        At least 1 for an entry with any deal. An entry that returns is like a newcomer: it has hardly been drawn
        together with the entries that joined in its absence.
        """
        return np.maximum(np.array(self._stayed, np.int64), self.played > 0)

    def grow(self, bots: int) -> None:
        """Grow to `bots` entries."""
        more = [0] * (bots - self.bots)
        for column in self._by_entry().values():
            column.extend(more)

    def plan(self, epoch: int, first: int, field: Companions, tables: Iterable[Table]) -> None:
        """Add the planned tables of an epoch. `first`: number of the first deal. `field`: companions of the draws."""
        self._candidates.add(epoch, field.numbers, apart=field.apart)
        self.grow(max(field.numbers) + 1)
        drawn = [*tables]
        for entry in field.numbers:
            if first - 1 - self._last[entry] > _LONG_ABSENCE:
                self._since[entry] = first
            self._last[entry] = first + len(drawn) - 1
        for number, table in enumerate(drawn, first):
            since = [self._since[entry] for entry in table]
            self._open[number] = epoch, table, 1 / field.count(table[0]), since

    def drop(self, number: int) -> None:
        """Remove a planned deal that will not be played."""
        self._open.pop(number, None)

    def add_results(self, number: int, matches: Sequence[Sequence[SeatResult]]) -> None:
        """Add a played deal, given by the seats of its matches.

        Raises:
            ValueError: see `add`; also if the seats contradict the table.
        """
        if number in self._open:
            seated = np.array(self._open[number][1])[self._seat_of]
            if [[seat.entrant for seat in match] for match in matches] != seated.tolist():
                raise ValueError(f"the matches of deal {number} seat other entries than its table")
        self.add(number, bytes(seat.place for match in matches for seat in match))

    def add(self, number: int, places: bytes) -> None:
        """Add a played deal. `places`: places in its matches, seat by seat.

        Raises:
            ValueError: if the deal was not planned, or the number of places is wrong.
        """
        if number not in self._open or len(places) != self._seat_of.size:
            raise ValueError(f"deal {number} was not planned, or has {len(places)} places")
        epoch, table, chance, since = self._open.pop(number)
        self.count += 1
        self._numbers.append(number)
        self._epochs.append(epoch)
        self._chances.append(chance)
        self._tables.extend(table)
        self._places += places
        for entry, back in zip(table, since, strict=True):
            self._played[entry] += 1
            if back > self._back[entry]:  # the first deal after an absence: the entry fades in anew
                self._back[entry], self._stayed[entry] = back, 0
            self._stayed[entry] += back == self._back[entry]

    def weighted(self, members: Collection[int], groups: Sequence[int]) -> Weighted:
        """Return the deals, weighted for a field.

        `members`: entries in the field. `groups`: owner of each entry, for all entries that existed then.
        """
        order, tables = self._in_order()
        share = shares(self.stayed, members)
        living = share[tables].all(axis=1)
        mixed = two_of_one(tables, groups)
        if len({groups[entry] for entry in members}) >= self.seats:
            living &= ~mixed  # tables with two entries of one owner are excluded, since draws keep owners apart
        tables, places = tables[living], self._places_of(order[living])
        weights = share[tables].prod(axis=1) / mixture(tables, mixed[living], self._candidates, self._all_seeds())
        rated = np.zeros(len(groups), np.bool_)
        rated[[*members]] = True
        if len(weights):
            weights /= weights.mean()
        return Weighted(rated, tables[:, self._seat_of], places, weights, self.count)

    def trim(self, gone: Collection[int], most: int = MAX_DEALS) -> None:
        """Drop entries in `gone` with their deals, and epochs older than the newest `most` other deals."""
        order, tables = self._in_order()
        epochs, chances = np.array(self._epochs, np.int64)[order], np.array(self._chances)[order]
        kept = ~np.isin(tables, [*gone]).any(axis=1)
        first = int(epochs[kept][-most]) if kept.sum() > most else 0
        kept &= epochs >= first
        self._candidates.forget(first, {*gone})
        self._seeds = self._seeds.plus(tables[~kept, 0], epochs[~kept], chances[~kept]).since(first).without(gone)
        self._places = bytearray(self._places_of(order[kept]).astype(np.uint8).tobytes())
        self._numbers = array("q", np.array(self._numbers, np.int64)[order[kept]])
        self._epochs, self._chances = array("q", epochs[kept]), array("d", chances[kept])
        self._tables = array("q", tables[kept].ravel())

    def to_columns(self, bots: int) -> dict[str, NDArray[Any]]:
        """Return the state as columns of integers and of floats (`FLOATS`). No deal may be open.

        `bots`: number of entries; later ones have not played.
        """
        places = bytes(self._places)
        stints, together = self._candidates.arrays()
        return {
            "deals": np.array([self.count]),
            **{name: np.array(column[:bots], np.int64) for name, column in self._by_entry().items()},
            "deal": np.array(self._numbers, np.int64),
            "epoch": np.array(self._epochs, np.int64),
            "chance": np.array(self._chances),
            "table": np.array(self._tables, np.int64),
            "places": np.frombuffer(places + bytes(-len(places) % _WORD), np.int64),
            "stint_entry": stints.entries,
            "stint_begin": stints.begins,
            "stint_end": stints.ends,
            "together_begin": together.begins,
            "together_end": together.ends,
            "seed": self._seeds.seeds,
            "seed_epoch": self._seeds.epochs,
            "seed_count": self._seeds.counts,
            "seed_chance": self._seeds.chances,
        }

    @classmethod
    def from_columns(cls, saved: Parts, seat_of: ArrayLike) -> "LadderDeals":
        """Return the state from `saved` columns.

        Raises:
            ValueError: if the columns contradict each other, or name unknown entries.
        """
        deals = cls(seat_of)
        matches, seats = deals._seat_of.shape
        deals.count = int(saved["deals"][0])
        count = _checked_count(saved, seats)
        for name, column in deals._by_entry().items():
            column.extend(saved[name].tolist())
        names = ("deal", "epoch", "table")
        deals._numbers, deals._epochs, deals._tables = (array("q", saved[name]) for name in names)
        deals._chances = array("d", saved["chance"])
        deals._places = bytearray(saved["places"].astype("<i8").tobytes()[: count * matches * seats])
        rows = zip(*(saved[name].tolist() for name in ("stint_entry", "stint_begin", "stint_end")), strict=True)
        for entry, *stint in rows:
            deals._candidates.stints.setdefault(entry, []).append(stint)
        together = zip(saved["together_begin"].tolist(), saved["together_end"].tolist(), strict=True)
        deals._candidates.together = [[*stint] for stint in together]
        deals._seeds = Seeds(*(saved[f"seed{name}"] for name in ("", "_epoch", "_count", "_chance")))
        return deals

    def _by_entry(self) -> dict[str, "array[int]"]:
        """Return the columns with a number for each entry, by their names in `saved`."""
        columns = self._played, self._stayed, self._back, self._last, self._since
        return dict(zip(_OF_ENTRIES, columns, strict=True))

    def _in_order(self) -> tuple[Ints, Ints]:
        """Return the order of the deals by number, and their tables in it, so that sums do not depend on timing."""
        order = np.argsort(np.array(self._numbers, np.int64))
        return order, np.array(self._tables, np.int64).reshape(-1, self.seats)[order]

    def _places_of(self, deals: Ints) -> Ints:
        places = np.frombuffer(bytes(self._places), np.uint8).reshape(-1, *self._seat_of.shape)
        return places[deals].astype(np.int64)

    def _all_seeds(self) -> Seeds:
        """Return the seeds of all deals, from the oldest deal kept."""
        seeds = np.array(self._tables, np.int64)[:: self.seats]
        return self._seeds.plus(seeds, np.array(self._epochs, np.int64), np.array(self._chances))


def _checked_count(saved: Parts, seats: int) -> int:
    """Return the number of deals in `saved` columns.

    Raises:
        ValueError: if the columns contradict each other, or name unknown entries.
    """
    count, bots = len(saved["deal"]), len(saved["deals_of"])
    of_entries = {len(saved[name]) for name in _OF_ENTRIES}
    lengths = [len(saved[name]) for name in ("epoch", "chance")] + [len(saved["table"]) // seats]
    named = np.concatenate([saved[name] for name in ("table", "stint_entry", "seed")])
    if {*lengths} != {count} or of_entries != {bots} or named.min(initial=0) < 0 or named.max(initial=-1) >= bots:
        raise ValueError("its columns name unknown entries, or contradict each other")
    return count
