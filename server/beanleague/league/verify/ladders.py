"""Verification of data that only ladders have: days, epochs, checkpoints, blocks and states of entries."""

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from sys import maxsize

from beanleague import model
from beanleague.league.errors import RequestError
from beanleague.league.ladder.checkpoints import (
    counted_from,
    differences,
    digest_of,
    nothing,
    parts_from,
    parts_of,
    trim,
)
from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ladder.inputs import Known, epoch_of, estimates, field_of
from beanleague.league.schedule.owners import groups_of
from beanleague.league.schedule.plans import plan_epoch, with_queue
from beanleague.league.schedule.schedule import ScheduleError, Table
from beanleague.league.schedule.seeds import seed_digest
from beanleague.league.verify.deals import Finding, differs
from beanleague.league.verify.decisions import MAX_ELO, Decisions
from beanleague.names import format_match
from beanleague.store import Store
from beanleague.store.archive import block_digest
from beanleague.wire import WireError, records_of

_CLOCK_S = 5.0  # tolerance between rows of one transaction, and for adjusted clocks


def secrets_of(store: Store, league: model.League) -> tuple[tuple[int, bytes], ...]:
    """Return the secrets of a ladder's days in order, each with the day's first deal."""
    secrets = {day.number: day.secret for day in store.ladders.days(league.id)}
    epochs = store.ladders.epochs(league.id, limit=None)
    return tuple((epoch.first, secrets.get(epoch.day, b"")) for epoch in epochs)


def check_ladder(
    store: Store, league: model.League, entrants: Sequence[model.Entrant], changes: Sequence[model.Change]
) -> Iterator[Finding]:
    """Yield contradictions between days, epochs, tables, checkpoints and entries of a ladder."""
    ladder = _Ladder(store, league, entrants, changes)
    yield from ladder.check_days()
    yield from ladder.check_epochs()
    yield from ladder.check_entries()
    yield from ladder.check_chain()
    yield from ladder.check_plans()
    yield from _check_blocks(store, league)


def _check_blocks(store: Store, league: model.League) -> Iterator[Finding]:
    """Yield contradictions between the blocks of old records, and with the matches in them."""
    digest, last, pinned = b"", 0, store.archive.pinned_matches(league.id)
    for number, block in enumerate(store.archive.blocks(league.id), 1):
        where, data = f"block {block.number} of {league.name}", store.archive.data(league.id, block.number)
        yield from differs(where, "record_block.number", block.number, number, "the next number is")
        yield from differs(where, "record_block.first", block.first, last + 1, "the deal after the block before is")
        if block_digest(digest, block.first, block.last, data) != block.digest:
            yield Finding(where, "record_block.digest", "does not follow from the block and the one before")
        digest, last = block.digest, block.last
        try:
            held = records_of(data, range(block.first, block.last + 1)).keys()
        except WireError as damaged:
            yield Finding(where, "record_block.data", f"it is damaged: {damaged}")
            continue
        yield from differs(where, "record_block.matches", block.matches, len(held), "it holds")
        emptied = store.archive.emptied_matches(league.id, block.first, block.last)
        for deal, rotation in sorted(emptied ^ (held - pinned)):
            match = format_match(league.name, deal, rotation)
            state = "empty" if (deal, rotation) in emptied else "whole"
            yield Finding(match, "match.record", f"is {state}, but not by what {where} holds and what is pinned")


@dataclass(frozen=True, slots=True)
class DayRange:
    """A finished day, with the checkpoints before and after it."""

    day: model.LadderDay
    """The day."""
    before: model.LadderCheckpoint
    """Checkpoint at the end of the day before; an empty one for the first day."""
    after: model.LadderCheckpoint
    """Checkpoint at the end of the day."""


_NOTHING = model.LadderCheckpoint(day=0, entrants=0, deals=0, position=0, epochs=0, digest=b"")


def day_range(store: Store, league: model.League, number: int) -> DayRange:
    """Return a finished day with its checkpoints.

    Raises:
        RequestError: if the day does not exist or has not ended, or a checkpoint is missing.
    """
    cannot = f"day {number} of {league.name} cannot be verified"
    days = {day.number: day for day in store.ladders.days(league.id) if day.ended is not None}
    if number not in days:
        raise RequestError(f"{cannot}: " + (f"days 1 to {max(days)} have ended" if days else "no day has ended"))
    made = {0: _NOTHING} | {each.day: each for each in store.ladders.checkpoints(league.id)}
    for needed in (number - 1, number):
        if needed not in made:
            raise RequestError(f"{cannot}: the checkpoint of day {needed} is missing")
    return DayRange(days[number], made[number - 1], made[number])


def check_day(
    store: Store,
    league: model.League,
    entrants: Sequence[model.Entrant],
    of: DayRange,
    rated: Callable[[LadderDeals], Iterator[Finding]],
) -> Iterator[Finding]:
    """Yield problems of the plans and the final checkpoint of a day, starting from the checkpoint before.

    `rated`: yields problems of the ratings at its end.
    """
    ladder = _Ladder(store, league, entrants, store.changes.list(league.id), of)
    yield from ladder.check_days()
    wrong = [*ladder.check_chain()]
    yield from wrong
    if not wrong:
        yield from ladder.check_epochs()
        yield from ladder.check_plans(rated)


class _Ladder:
    """Stored data of a ladder, whose epochs are replanned with ratings of the deals committed before.

    `of`: a single day to check, from the checkpoint before it; None for all days.
    """

    def __init__(
        self,
        store: Store,
        league: model.League,
        entrants: Sequence[model.Entrant],
        changes: Sequence[model.Change],
        of: DayRange | None = None,
    ) -> None:
        self._store = store
        self._league = league
        self._entrants = entrants
        self._changes = changes
        self._before = before = of.before if of else _NOTHING
        self._days = store.ladders.days(league.id)
        self._checkpoints = {each.day: each for each in store.ladders.checkpoints(league.id)}
        self._ended = [day for day in self._days if day.ended is not None]
        epochs = deals = None
        self._until = maxsize, 0
        if of:
            self._until = of.after.deals, of.after.position
            self._ended = [day for day in self._ended if before.day <= day.number <= of.day.number]
            epochs, deals = of.after.epochs - before.epochs, of.after.deals - before.deals
        self._epochs = store.ladders.epochs(league.id, after_deal=before.deals, limit=epochs)
        self._deals = store.deals.list(league.id, after=before.deals, limit=deals)
        self._given_up = deque(self._find_given_up())
        self._groups = groups_of([entrant.owner for entrant in entrants])
        self._counted = nothing(league)
        positions = sorted((deal.position, deal.number) for deal in self._deals if deal.position is not None)
        played = [number for _, number in positions]
        self._played = sorted(played)
        self._results = iter(store.audit.results(league.id, played))
        self._dropped = {deal.number: deal for deal in self._deals if deal.dropped is not None}
        self._same = True  # whether all tables so far follow from their epochs
        self._secrets = {day.number: day.secret for day in self._days}
        per_owner, since = store.ladders.get(league.id).per_owner, (before.deals, before.position)
        self._decisions = Decisions(league.name, per_owner, entrants, changes, since)

    def _find_given_up(self) -> Iterator[tuple[int, model.Deal]]:
        """Yield the deals dropped for an entry that had left, in order, with the number of deals planned before."""
        dropped: defaultdict[float | None, list[model.Deal]] = defaultdict(list)
        for deal in self._deals:
            dropped[deal.dropped].append(deal)
        states: dict[int, model.EntryState] = {}
        for change in self._changes:
            states |= model.entry_states([change])
            if change.kind == model.ChangeKind.DROPPED and change.entrant in states and states[change.entrant].gone:
                for deal in dropped[change.happened]:
                    if deal.number <= change.scheduled and change.entrant in deal.table:
                        yield change.scheduled, deal

    def check_days(self) -> Iterator[Finding]:
        for number, day in enumerate(self._days, 1):
            where = f"day {day.number} of {self._league.name}"
            yield from differs(where, "ladder_day.number", day.number, number, "the next number is")
            if seed_digest(day.secret) != day.digest:
                yield Finding(where, "ladder_day.secret", "its SHA-256 is not the digest that was published")
            if (day.ended is None) != (number == len(self._days)):
                yield Finding(where, "ladder_day.ended", f"is {day.ended}, but it is day {number} of {len(self._days)}")
        if len({day.secret for day in self._days}) < len(self._days):
            yield Finding(self._league.name, "ladder_day.secret", "two days have the same")

    def check_epochs(self) -> Iterator[Finding]:
        first, day = self._before.deals + 1, self._before.day + 1
        for number, epoch in enumerate(self._epochs, self._before.epochs + 1):
            where = f"epoch {epoch.number} of {self._league.name}"
            yield from differs(where, "ladder_epoch.number", epoch.number, number, "the next number is")
            yield from differs(where, "ladder_epoch.first", epoch.first, first, "the next deal is")
            if not day <= epoch.day <= len(self._days):
                yield Finding(where, "ladder_epoch.day", f"is {epoch.day}, which does not follow day {day}")
            first, day = epoch.first + epoch.count, epoch.day
        name = self._league.name
        deals = self._before.deals + len(self._deals)
        yield from differs(name, "ladder_epoch.count", first - 1, deals, "the number of deals is")
        ended = {day.number: day.ended for day in self._days}
        given_up = {deal.number for _, deal in self._given_up}
        of_day = [(epoch.first, epoch.day) for epoch in self._epochs]
        for deal in self._deals:
            where = f"{name}/{deal.number}"
            end = ended.get(of_day[bisect_right(of_day, (deal.number, len(self._days))) - 1][1]) if of_day else None
            if deal.dropped is not None and deal.played is not None:
                yield Finding(where, "deal.dropped", "it is set, but the deal was played")
            if deal.played is None and deal.number not in given_up and deal.dropped != end:
                yield Finding(where, "deal.dropped", f"is {deal.dropped}, but its day ended at {end}")

    def check_entries(self) -> Iterator[Finding]:
        """Yield entries that never joined, missing changes, and changes whose time contradicts neighbouring deals."""
        name, waiting = self._league.name, len(self._deals) - len(self._dropped)
        yield from differs(name, "league.deals", self._league.deals, waiting, "the number of deals not dropped is")
        joined = [change.entrant for change in self._changes if change.kind == model.ChangeKind.JOINED]
        numbers = [entrant.number for entrant in self._entrants]
        yield from differs(name, "league_change.entrant", joined, numbers, "the entries are")
        for number, change in enumerate(self._changes, 1):
            where = f"change {change.number} of {name}"
            yield from differs(where, "league_change.number", change.number, number, "the next number is")
            if not self._is_timely(change):
                yield Finding(where, "league_change.happened", "is not between the deals that it came between")

    def _is_timely(self, change: model.Change) -> bool:
        """Return whether a change happened between the deals around it; deals out of order are reported elsewhere."""
        around = [deal.published for deal in self._deals[max(change.scheduled - 1, 0) : change.scheduled + 1]]
        late = len(around) > 1 and change.happened > around[1] + _CLOCK_S
        early = change.scheduled and around and change.happened < around[0] - _CLOCK_S
        return around != sorted(around) or not (late or early)

    def check_chain(self) -> Iterator[Finding]:
        """Yield days whose final checkpoint is missing or was changed."""
        for day in self._ended:
            where = f"day {day.number} of {self._league.name}"
            made = self._checkpoints.get(day.number)
            if made is None:
                yield Finding(where, "ladder_checkpoint", "the row is missing")
                continue
            before = self._checkpoints.get(day.number - 1, _NOTHING).digest
            if digest_of(made, self._data(made), day, before) != made.digest:
                yield Finding(where, "ladder_checkpoint.digest", "does not follow from the row and the one before")

    def _data(self, made: model.LadderCheckpoint) -> bytes:
        return self._store.ladders.checkpoint_data(self._league.id, made.day)

    def check_plans(self, rated: Callable[[LadderDeals], Iterator[Finding]] = lambda _: iter(())) -> Iterator[Finding]:
        """Yield inputs and checkpoints that refits do not confirm, and the first epoch with wrong tables.

        `rated`: see `check_day`.
        """
        if self._before.day:
            self._counted = counted_from(parts_of(self._data(self._before)), self._league)
        ending = deque(day for day in self._ended if day.number > self._before.day)
        last, epochs = self._before.deals, self._before.epochs
        for epoch in self._epochs:
            while ending and ending[0].number < epoch.day:
                yield from self._end_day(ending.popleft().number, last, epochs)
            yield from self._check_epoch(epoch)
            last, epochs = epoch.first + epoch.count - 1, epoch.number
        yield from self._check_decisions(self._until)
        for day in ending:
            yield from self._end_day(day.number, last, epochs, rated)

    def _check_epoch(self, epoch: model.LadderEpoch) -> Iterator[Finding]:
        where = f"epoch {epoch.number} of {self._league.name}"
        again, counted = epoch_of(epoch, self._league.seats, self._groups), self._counted
        yield from self._check_input(where, epoch)
        while self._given_up and self._given_up[0][0] < epoch.first:
            self._drop(self._given_up.popleft()[1].number)
        start = max(epoch.first - self._before.deals - 1, 0)
        kept = [deal.table for deal in self._deals[start : start + max(epoch.count, 0)]]
        waiting = with_queue(again.entries, counted.meetings, self._league.seats)
        if self._same and waiting != again.entries:
            yield Finding(where, "ladder_epoch.entries", "others wait to be placed than the tables before give")
        try:
            counted.deals.plan(epoch.number, epoch.first, again.field, kept)
            # Bounded by the number of stored tables, since a damaged row may ask for billions.
            secret = self._secrets.get(epoch.day, b"")
            chosen = plan_epoch(again, counted.meetings, secret, len(kept) + 1) if self._same else kept
        except (ScheduleError, KeyError) as error:
            chosen = []
            yield Finding(where, "ladder_epoch.entries", f"its tables cannot be drawn from them: {error}")
        if chosen != kept:
            self._same = False
            number = _first_difference(chosen, kept)
            deal = f"{self._league.name}/{epoch.first + number}"
            there, here = chosen[number : number + 1], kept[number : number + 1]
            yield Finding(deal, "deal.entrants", f"{where} gives {there}, not {here}")

    def _check_input(self, where: str, epoch: model.LadderEpoch) -> Iterator[Finding]:
        """Yield a wrong field of an epoch, estimates that a refit does not confirm, and wrong decisions."""
        time, field = (epoch.first - 1, epoch.position), field_of(epoch.entries)
        yield from self._check_decisions(time)
        yield from self._decisions.check_members(where, time, field)
        group = self._decisions.at(time)
        self._count(epoch.position)
        found, played = self._estimates(field)
        for number, stored in field.items():
            given = found[number]
            if any(abs(one - other) > MAX_ELO for one, other in zip(stored, given, strict=True)):
                label = self._entrants[number].label
                yield Finding(where, "ladder_epoch.entries", f"{label} is {stored}; its matches give {given}")
        yield from self._decisions.check(group, found, played, field)

    def _check_decisions(self, until: tuple[int, int]) -> Iterator[Finding]:
        """Yield problems of decisions before a time, if no epoch followed them."""
        for group in self._decisions.until(until):
            self._count(group.position)
            yield from self._decisions.check(group, *self._estimates(self._decisions.field), self._decisions.field)

    def _estimates(self, field: Collection[int]) -> tuple[list[Known], list[int]]:
        """Return the estimates of the entries in a field, and the number of deals played by each."""
        deals = self._counted.deals
        deals.grow(len(self._entrants))
        return estimates(deals.weighted(field, self._groups), self._league.anchor), deals.played.tolist()

    def _end_day(
        self,
        day: int,
        last: int,
        epochs: int,
        rated: Callable[[LadderDeals], Iterator[Finding]] = lambda _: iter(()),
    ) -> Iterator[Finding]:
        """Compute the state at the end of a day, and compare it with the checkpoint.

        `last`: last deal planned by then. `epochs`: number of epochs. `rated`: see `check_day`.
        """
        self._count(self._before.position + bisect_right(self._played, last))
        for number in [number for number in self._dropped if number <= last]:
            self._drop(number)
        counted, made = self._counted, self._checkpoints.get(day)
        counted.deals.grow(min(made.entrants, len(self._entrants)) if made else 0)
        yield from rated(counted.deals)
        trim(counted.deals, self._entrants, last)
        counted.meetings.today.clear()
        if made is None or not self._same:
            return
        parts = parts_from(counted, made.entrants)
        where = f"day {day} of {self._league.name}"
        given = {"position": counted.deals.count, "epochs": epochs, "deals": counted.meetings.tables}
        for column, derived in given.items():
            stored = getattr(made, column)
            yield from differs(where, f"ladder_checkpoint.{column}", stored, derived, "its deals give")
        for name in differences(parts_of(self._data(made)), parts):
            yield Finding(where, "ladder_checkpoint.data", f"its deals give other {name}")

    def _drop(self, number: int) -> None:
        """Undo the pairings of a table, at most once."""
        if deal := self._dropped.pop(number, None):
            self._counted.meetings.drop(deal.table)
            self._counted.deals.drop(number)

    def _count(self, position: int) -> None:
        """Count the deals committed up to a position.

        Raises:
            ValueError: if a deal was not planned by then, or other entries played it.
        """
        new = position - self._counted.deals.count
        for number, matches in islice(self._results, max(new, 0)):
            self._counted.deals.add_results(number, matches)


def _first_difference(chosen: Sequence[Table], kept: Sequence[Table]) -> int:
    """Return the index of the first table that differs; the number of `chosen` tables if none does."""
    return next((n for n, (a, b) in enumerate(zip(chosen, kept, strict=False)) if a != b), len(chosen))
