"""Plans of a ladder: the tables of an epoch as a function of its entries, the tables before, and the secret of the day.

An `Epoch` has the half-widths and effective deals known when it was planned, in whole numbers; `Meetings` follow from
earlier tables. No clock and no floating point is involved, so anybody can recompute a plan once its day is over.
docs/ladder.md describes the quality of the plans.

A table begins with its *seed*, the entry that needs the deal; its companions are drawn (`draws`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heapreplace
from itertools import islice
from typing import TypeAlias

from beanleague.league.schedule.draws import Companions
from beanleague.league.schedule.schedule import Table
from beanleague.league.schedule.seeds import table_rank

RATED_ELO, SETTLED_ELO = 40, 15
"""Maximum half-widths of the difference from neighbours, in Elo, at which an entry becomes rated, and settled."""
MAX_PLACING = 8
"""Maximum number of entries in placement at once. Others wait, since many at once would all take long."""
MAX_PLACING_OF_OWNER = 2
"""Maximum number of an owner's entries in placement at once."""
MAX_TABLES_A_DAY = 200
"""Maximum number of tables per day planned for one entry; beyond it the entry counts as settled for that day.

Without this limit the pool would never rest in a field that changes all the time.
"""

# maximum number of tables per epoch planned for one entry in placement: a broken bot should not fail everywhere at once
_MAX_SEEDS = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """Entry that can be seated, with its estimates when an epoch was planned."""

    number: int
    """Number of the entrant."""
    group: int
    """Group of its owner: entries of one group are kept apart; see `owners.groups_of`."""
    placing: bool
    """Whether it is in placement or in the queue for it."""
    rating: int
    """Rating in Elo."""
    half_width: int
    """Half-width of the difference from its neighbours, in Elo."""
    deals: int
    """Effective deals of the entry."""
    waiting: bool = False
    """Whether it waits in the queue for placement; if so, it is not seated as a companion either. See `with_queue`."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """Inputs of a plan: everything that decides the tables of an epoch, except earlier tables."""

    seats: int
    """Entries per table."""
    tables: int
    """Maximum number of tables in the epoch."""
    background: int
    """Number of tables that are played even when all entries are settled."""
    entries: tuple[Candidate, ...]
    """Candidates by number."""

    @property
    def field(self) -> Companions:
        """Companions: all entries that do not wait.

        Raises:
            ScheduleError: with fewer companions than seats.
        """
        return Companions(((entry.number, entry.group) for entry in self.entries if not entry.waiting), self.seats)


Turns: TypeAlias = tuple[int, Counter[int], Counter[int], Counter[int], Counter[int]]
"""Counts of earlier seatings (parts of `Meetings`) that decide whose turn it is."""


class Meetings:
    """Counts of earlier seatings, from the tables in the order of their deals."""

    def __init__(self) -> None:
        self.tables = 0
        """Number of tables so far."""
        self.sat: Counter[int] = Counter()
        """Number of tables at which each entry sat."""
        self.seeded: Counter[int] = Counter()
        """Number of tables planned for each entry, as their seed."""
        self.today: Counter[int] = Counter()
        """Number of tables planned for each entry since the beginning of the day."""
        self.turn: Counter[int] = Counter()
        """For each group, number of the latest table planned for one of its entries, from 1; 0 for none."""
        self.begun: Counter[int] = Counter()
        """For each group, number of the latest table that was the first one planned for an entry of the group; 0 for
        none."""

    def add(self, table: Table, group: int) -> None:
        """Count the next table. `group`: owner's group of its seed."""
        self.tables += 1
        seed = table[0]
        if not self.seeded[seed]:
            self.begun[group] = self.tables
        self.seeded[seed] += 1
        self.today[seed] += 1
        self.turn[group] = self.tables
        self.sat.update(table)

    def drop(self, table: Table) -> None:
        """Subtract the seats of a table that will not be played."""
        self.sat.subtract(table)

    def turns(self) -> Turns:
        """Return a copy of the turns, for `take_back`."""
        return self.tables, self.seeded.copy(), self.today.copy(), self.turn.copy(), self.begun.copy()

    def take_back(self, tables: Iterable[Table], before: Turns) -> None:
        """Undo the tables planned since the turns were `before`."""
        for table in tables:
            self.drop(table)
        self.tables, self.seeded, self.today, self.turn, self.begun = before


def plan_epoch(epoch: Epoch, meetings: Meetings, secret: bytes, most: int | None = None) -> list[Table]:
    """Plan the tables of an epoch, at most `most`, and count them in `meetings`.

    There may be fewer tables than the epoch allows. `secret`: secret of its day.

    Raises:
        ScheduleError: with fewer entries than seats.
    """
    return list(islice(_Plan(epoch, meetings, secret).tables(), most))


def with_queue(entries: Iterable[Candidate], meetings: Meetings, seats: int) -> tuple[Candidate, ...]:
    """Return the entries with `waiting` set for the queue; no entry waits if the others could not fill a table."""
    entries = tuple(entries)
    later = {entry.number for entry in queue(entries, meetings)[1]}
    if len({entry.group for entry in entries if entry.number not in later}) < seats:
        later = set()
    return tuple(replace(entry, waiting=entry.number in later) for entry in entries)


def queue(entries: Iterable[Candidate], meetings: Meetings) -> tuple[list[Candidate], list[Candidate]]:
    """Return the entries in placement, and the entries that wait for it, both in the order of their turns.

    Owners take turns: the owner whose last placement began longest ago is next, with their oldest entry.
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
    """Tables of an epoch, computed one after the other."""

    def __init__(self, epoch: Epoch, meetings: Meetings, secret: bytes) -> None:
        self._epoch = epoch
        self._meetings = meetings
        self._secret = secret
        self._placing, _ = queue(epoch.entries, meetings)
        self._field = epoch.field

    def tables(self) -> Iterator[Table]:
        """Yield tables for entries in placement, for all entries while some are not settled, and again for placement.

        Tables of the background follow, which are played even if all entries are settled.
        """
        left = self._epoch.tables
        seeds: Counter[int] = Counter()
        turns = (
            (self._being_placed(seeds), max(left // 2, 1)),
            (self._in_turn(), left),
            (self._being_placed(seeds), left),
        )
        for entries, most in turns:
            for seed in islice(entries, min(most, left)):
                yield self._table(seed)
                left -= 1
        for _ in range(min(self._epoch.background, left)):
            there = (entry for entry in self._epoch.entries if not entry.waiting)
            yield self._table(min(there, key=lambda entry: (self._meetings.sat[entry.number], entry.number)))

    def _being_placed(self, seeds: Counter[int]) -> Iterator[Candidate]:
        """Yield entries in placement, in the turns of their owners. `seeds`: number of times that each was yielded."""
        meetings = self._meetings
        while able := [
            entry
            for entry in self._placing
            if seeds[entry.number] < _MAX_SEEDS and meetings.today[entry.number] < MAX_TABLES_A_DAY
        ]:
            seed = min(able, key=lambda one: (meetings.turn[one.group], meetings.seeded[one.number], one.number))
            seeds[seed.number] += 1
            yield seed

    def _in_turn(self) -> Iterator[Candidate]:
        """Yield the entry with the fewest effective deals, counting planned tables, until no entry needs more.

        Settled entries get their turns, too, while others need deals, since evenly distributed seeds give even weights.
        """
        heap = [(entry.deals, entry.number, entry) for entry in self._epoch.entries if not entry.placing]
        heapify(heap)
        today, unsettled = self._meetings.today, [each for *_, each in heap if each.half_width > SETTLED_ELO]
        while any(today[each.number] < MAX_TABLES_A_DAY for each in unsettled):
            deals, number, entry = heap[0]
            if today[number] < MAX_TABLES_A_DAY:
                heapreplace(heap, (deals + 1, number, entry))
                yield entry
            else:
                heappop(heap)

    def _table(self, seed: Candidate) -> Table:
        """Return the next table, already counted: the seed and its drawn companions."""
        rank = table_rank(self._secret, self._meetings.tables + 1, self._field.count(seed.number))
        table = (seed.number, *self._field.of_rank(seed.number, rank))
        self._meetings.add(table, seed.group)
        return table
