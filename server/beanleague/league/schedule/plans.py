"""Plans of a ladder: the tables of an epoch as a function, in integers, of what is written down when it is made.

An `Epoch` has the ratings that were known, rounded to 1 Elo; `Meetings` follow from the tables before it. Nothing else
decides: no clock, no random generator, no floating point. So anybody can make a plan again and compare. How good the
plans are: docs/ladder.md.

A table begins with its *seed*, the entry for whose sake it is played.
"""

from bisect import bisect_left
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heapify, heapreplace
from itertools import islice
from math import isqrt
from typing import TypeAlias

from beanleague.league.schedule.schedule import ScheduleError, Table

RATED_ELO, SETTLED_ELO = 40, 15
"""Half-widths against neighbours, in Elo, at most which an entry is rated, and settled."""
MAX_PLACING = 8
"""Entries that are placed at once; others wait, since many at once would all take long."""
MAX_PLACING_OF_OWNER = 2
"""Entries of an owner that are placed at once."""
FEW_RATED = 24
"""While fewer are rated, those being placed are opponents, too: a table places several then."""

_MAX_SEEDS = 2  # tables of an epoch for the sake of one entry being placed: their opponents come from one rating
_BALANCED = 4  # every so many tables of a seed have the opponents that wait longest instead of the most informative
_WINDOW = 64  # entries nearest in rating among which opponents are chosen
_CHOICE = 16  # of a balanced table: those waiting longest among whom the least met is chosen,
_CHOICE_SHARE = 4  # of every so many in the field at most, so that all are drawn about equally often

_MAX_ELO = 2000  # of a difference; a larger one says as little
_SCALE = 2**20  # of information
_ONE = 2**64
_ODDS_OF_ONE_ELO = 18553238289424018420  # 10 ** (1 / 400) of _ONE
_POSTERIOR = ((0, 1000), (1, 882), (2, 607), (3, 325), (4, 135))  # weights by distance in half standard deviations
_STEP_ELO = 4  # by which half-widths are rounded for what follows from them


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that can be seated, as it was when an epoch was planned."""

    number: int
    """Number of the entrant."""
    group: int
    """The same for entries of one owner, which are kept apart; see `owners.groups_of`."""
    placing: bool
    """Whether it is being placed, or waits for that."""
    rating: int
    """In Elo."""
    half_width: int
    """Of its difference from its neighbours, in Elo."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """All that decides the tables planned at once, beside the tables before."""

    seats: int
    """Entries at a table."""
    tables: int
    """Maximum number of tables."""
    background: int
    """How many of them are played though all entries are settled."""
    entries: tuple[Candidate, ...]
    """By number."""


Turns: TypeAlias = tuple[int, Counter[int], Counter[int], Counter[int], Counter[int]]
"""The counts of `Meetings` that decide whose turn it is."""


class Meetings:
    """Who sat where before: counted from the tables, in the order of their deals.

    `before`: whom an entry met how often at tables that are counted elsewhere.
    """

    def __init__(self, before: Callable[[int], Mapping[int, int]] = lambda _: {}) -> None:
        self._before = before
        self._met: dict[int, Counter[int]] = {}
        self.tables = 0
        """How many there were."""
        self.sat: Counter[int] = Counter()
        """At how many tables an entry sat."""
        self.drawn: Counter[int] = Counter()
        """The last balanced table to which an entry was drawn, counted from 1; 0 for none."""
        self.seeded: Counter[int] = Counter()
        """How many tables were for the sake of an entry."""
        self.turn: Counter[int] = Counter()
        """The last table that was for the sake of a group, counted from 1; 0 for none."""
        self.begun: Counter[int] = Counter()
        """The first table for the sake of the entry of a group that had its first one last; 0 for none."""

    def add(self, table: Table, group: int) -> None:
        """Count the next table. `group`: that of its seed."""
        self.tables += 1
        seed = table[0]
        if not self.seeded[seed]:
            self.begun[group] = self.tables
        if self.balanced(seed):
            for entry in table[1:]:
                self.drawn[entry] = self.tables
        self.seeded[seed] += 1
        self.turn[group] = self.tables
        for entry in table:
            self.sat[entry] += 1
            self.met(entry).update(other for other in table if other != entry)

    def drop(self, table: Table) -> None:
        """Take back that those of a table met: it will not be played."""
        for entry in table:
            self.sat[entry] -= 1
            self.met(entry).subtract(other for other in table if other != entry)

    def turns(self) -> Turns:
        """Return whose turn it is now, for `take_back`."""
        return self.tables, self.drawn.copy(), self.seeded.copy(), self.turn.copy(), self.begun.copy()

    def take_back(self, tables: Iterable[Table], before: Turns) -> None:
        """Forget the tables that were planned since the turns `before`, as if they had never been."""
        for table in tables:
            self.drop(table)
        self.tables, self.drawn, self.seeded, self.turn, self.begun = before

    def met(self, entry: int) -> Counter[int]:
        """Return how often an entry met each other."""
        if entry not in self._met:
            self._met[entry] = Counter(self._before(entry))
        return self._met[entry]

    def balanced(self, entry: int) -> bool:
        """Return whether the next table for the sake of an entry is a balanced one."""
        return self.seeded[entry] % _BALANCED == _BALANCED - 1


def planned(epoch: Epoch, meetings: Meetings, most: int | None = None) -> list[Table]:
    """Return the tables of an epoch, the first `most` of them, and count them in `meetings`.

    There may be fewer than it asks for.

    Raises:
        ScheduleError: with fewer entries than seats.
    """
    if len(epoch.entries) < epoch.seats:
        raise ScheduleError(f"{len(epoch.entries)} entries cannot fill {epoch.seats} seats")
    return list(islice(_Plan(epoch, meetings).tables(), most))


def queue(entries: Iterable[Candidate], meetings: Meetings) -> tuple[list[Candidate], list[Candidate]]:
    """Return those of the entries that are being placed now, and those that wait for it, in the order of their turns.

    Owners take turns: next is the entry of the owner who began to be placed longest ago, and of an owner the oldest.
    """
    placing = sorted((entry for entry in entries if entry.placing), key=lambda entry: entry.number)
    now = [entry for entry in placing if meetings.seeded[entry.number]]
    turns: list[tuple[int, int, int, Candidate]] = []
    before: Counter[int] = Counter()
    for entry in placing:
        if not meetings.seeded[entry.number]:
            turns.append((before[entry.group], meetings.begun[entry.group], entry.number, entry))
            before[entry.group] += 1
    later: list[Candidate] = []
    of_owner = Counter(entry.group for entry in now)
    for *_, entry in sorted(turns, key=lambda turn: turn[:3]):
        if len(now) < MAX_PLACING and of_owner[entry.group] < MAX_PLACING_OF_OWNER:
            now.append(entry)
            of_owner[entry.group] += 1
        else:
            later.append(entry)
    return now, later


class _Plan:
    """The tables of an epoch, one after the other."""

    def __init__(self, epoch: Epoch, meetings: Meetings) -> None:
        self._epoch = epoch
        self._meetings = meetings
        self._placing, waiting = queue(epoch.entries, meetings)
        field = [entry for entry in epoch.entries if not entry.placing]
        if len(field) < FEW_RATED:
            field = [entry for entry in epoch.entries if entry not in waiting]
        if len({entry.group for entry in field}) < epoch.seats:
            field = list(epoch.entries)
        self._field = sorted(field, key=lambda entry: (entry.rating, entry.number))
        self._ratings = [entry.rating for entry in self._field]
        waits = sorted(field, key=lambda entry: (meetings.drawn[entry.number], entry.number))
        self._longest = OrderedDict((entry.number, entry) for entry in waits)

    def tables(self) -> Iterator[Table]:
        """Yield tables for those being placed, for those not settled, for those being placed again, and for all."""
        left = self._epoch.tables
        seeds: Counter[int] = Counter()
        turns = (
            (self._being_placed(seeds), max(left // 2, 1)),
            (self._unsettled(), left),
            (self._being_placed(seeds), left),
        )
        for entries, most in turns:
            for seed in islice(entries, min(most, left)):
                yield self._table(seed)
                left -= 1
        for _ in range(min(self._epoch.background, left)):
            yield self._table(next(iter(self._longest.values())))

    def _being_placed(self, seeds: Counter[int]) -> Iterator[Candidate]:
        """Yield entries that are being placed, by turns of their owners. `seeds`: how often each was yielded."""
        meetings = self._meetings
        while able := [entry for entry in self._placing if seeds[entry.number] < _MAX_SEEDS]:
            seed = min(able, key=lambda one: (meetings.turn[one.group], meetings.seeded[one.number], one.number))
            seeds[seed.number] += 1
            yield seed

    def _unsettled(self) -> Iterator[Candidate]:
        """Yield the entries whose half-widths are largest, as they shrink with each table planned."""
        heap = [
            (-entry.half_width * _SCALE, entry.number, self._meetings.sat[entry.number] + 1, entry)
            for entry in self._epoch.entries
            if not entry.placing and entry.half_width > SETTLED_ELO
        ]
        heapify(heap)
        while heap and -heap[0][0] > SETTLED_ELO * _SCALE:
            width, number, sat, entry = heap[0]
            heapreplace(heap, (-(-width * isqrt(_SCALE**2 * sat // (sat + 1)) // _SCALE), number, sat + 1, entry))
            yield entry

    def _table(self, seed: Candidate) -> Table:
        """Return a table, counted: the seed, and others of different owners as far as there are."""
        balanced = self._meetings.balanced(seed.number)
        choice = min(_CHOICE, len(self._longest) // _CHOICE_SHARE + 1) if balanced else 1
        order = self._longest.values() if balanced else self._by_information(seed)
        seated = [seed]
        while len(seated) < self._epoch.seats:
            able = list(islice(_apart(order, seated), choice))
            able = able or list(islice(_apart(self._longest.values(), seated), 1)) or self._anybody(seated)
            seated.append(min(able, key=lambda one: self._weariness(one, seated)) if balanced else able[0])
        table = tuple(entry.number for entry in seated)
        self._meetings.add(table, seed.group)
        for number in sorted(table[1:] if balanced else ()):
            if number in self._longest:
                self._longest.move_to_end(number)
        return table

    def _weariness(self, one: Candidate, seated: Sequence[Candidate]) -> tuple[int, int, int]:
        met = self._meetings.met(one.number)
        return sum(met[entry.number] for entry in seated[1:]), self._meetings.drawn[one.number], one.number

    def _anybody(self, seated: Sequence[Candidate]) -> list[Candidate]:
        """Return one of the entries not seated, whoever owns it: of those whose owners are there least often."""
        owners = Counter(entry.group for entry in seated)
        able = [entry for entry in self._epoch.entries if entry not in seated]
        able = [entry for entry in able if entry.number in self._longest] or able
        return [min(able, key=lambda one: (owners[one.group], self._meetings.drawn[one.number], one.number))]

    def _by_information(self, seed: Candidate) -> list[Candidate]:
        """Return the entries nearest in rating, those first whose results are expected to say most about the seed."""
        place = bisect_left(self._ratings, seed.rating)
        first = max(0, min(place - _WINDOW // 2, len(self._field) - _WINDOW))
        known = _information(seed.half_width // _STEP_ELO * _STEP_ELO)
        met = self._meetings.met(seed.number)

        def value(other: Candidate) -> tuple[int, int]:
            distance = min(abs(other.rating - seed.rating), _MAX_ELO)
            return -(known[distance] * 10 // (10 + 3 * met[other.number])), other.number

        return sorted(self._field[first : first + _WINDOW], key=value)


def _apart(order: Iterable[Candidate], seated: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield those of other owners than the entries seated."""
    groups = {entry.group for entry in seated}
    return (entry for entry in order if entry.group not in groups)


@cache
def _information(half_width: int) -> Sequence[int]:
    """Return by distance in Elo what a game says about a strength that is known to `half_width`: p (1 - p) of _SCALE.

    It is the mean over the posterior, taken at nine points.
    """
    exact = _exact_information()
    total = sum(weight * (2 if steps else 1) for steps, weight in _POSTERIOR)
    values = []
    for distance in range(_MAX_ELO + 1):
        value = 0
        for steps, weight in _POSTERIOR:
            offset = steps * half_width * 25 // 98  # a half-width is 1.96 standard deviations
            value += weight * exact[min(distance + offset, _MAX_ELO)]
            value += weight * exact[min(abs(distance - offset), _MAX_ELO)] if steps else 0
        values.append(value // total)
    return values


@cache
def _exact_information() -> Sequence[int]:
    values, odds = [], _ONE
    for _ in range(_MAX_ELO + 1):
        values.append(_SCALE * odds * _ONE // (_ONE + odds) ** 2)
        odds = odds * _ODDS_OF_ONE_ELO // _ONE
    return values
