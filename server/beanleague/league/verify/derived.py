"""Recomputation of data derived from a league's match rows: tables, totals, suspensions and ratings.

Matches are not replayed.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import takewhile

import numpy as np

from beanleague import model
from beanleague.league.counting import add_results, compute_snapshot, count_since, recount
from beanleague.league.errors import RequestError
from beanleague.league.ladder.checkpoints import nothing, trim
from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ladder.inputs import add_plans
from beanleague.league.ratings.counters import Counters
from beanleague.league.run.committing import Suspensions
from beanleague.league.schedule.owners import groups_of
from beanleague.league.schedule.schedule import ScheduleError
from beanleague.league.schedule.tables import NextTable, Tables
from beanleague.league.verify.checks import History
from beanleague.league.verify.deals import Finding, differs, unreadable
from beanleague.league.verify.decisions import check_members
from beanleague.league.verify.ladders import DayRange, check_day
from beanleague.store import DamagedError, Store

_NO_TOTALS = model.Totals(0, 0, 0, 0, 0, 0, 0, 0)
_KINDS = model.ChangeKind
_OF_LADDERS = {_KINDS.RATED, _KINDS.SETTLED, _KINDS.PAUSED, _KINDS.RESTED, _KINDS.RESUMED, _KINDS.RETURNED}
_CHUNK_DEALS = 1_000  # deals counted per chunk
_ROUNDING = 1e-6
"""Largest allowed difference of the stored luck, which is not rounded: the last digits may depend on the machine."""

_Seats = Sequence[Sequence[model.SeatResult]]
"""Results of the seats, for each match of a deal."""


def check_idle(store: Store, league: model.League, *, has_days: bool) -> None:
    """Check that a league is not being run. `has_days`: whether a single day can be verified during a run.

    Raises:
        RequestError: if the league is being run.
    """
    if league.id in store.runs.running():
        day = ", or a day that has ended (--day)" if has_days else ""
        raise RequestError(
            f"{league.name} is being run; stop it first, or verify a copy of the database ('backup FILE'){day}"
        )


def check_derived(
    store: Store, league: model.League, check_history: Callable[[History], Iterator[Finding]]
) -> Iterator[Finding]:
    """Yield differences between derived values and the match rows. `check_history`: see `Checks.history`."""
    entrants = store.leagues.entrants(league.id)
    changes = store.changes.list(league.id)
    yield from readable(league, "entrant", lambda: _check_totals(store, league, entrants))
    orders = [*readable(league, "deal", lambda: _check_order(league, store.audit.positions(league.id)))]
    yield from orders
    history = History(store, league, entrants, changes, in_order=not orders)
    yield from readable(league, "league_change", lambda: check_history(history))
    yield from readable(league, "rating", lambda: _Results(store, league, entrants, changes).check())


def check_schedule(tables: Tables, history: History) -> Iterator[Finding]:
    """Yield contradictions between changes and entrants, and deals whose table differs from `tables`."""
    store, league = history.store, history.league
    stored = store.deals.tables(league.id)
    wrong = [*_check_changes(league, history.entrants, history.changes, len(stored))]
    yield from wrong
    if not wrong and history.in_order:
        yield from _check_tables(tables, history, stored, store.deals.drop_times(league.id))


def check_ended(store: Store, league: model.League, of: DayRange) -> Iterator[Finding]:
    """Yield problems of a finished day of a ladder: of its plans, its final checkpoint and ratings."""
    entrants = store.leagues.entrants(league.id)

    def rated_then(deals: LadderDeals) -> Iterator[Finding]:
        where = f"ratings of {league.name} at the end of day {of.day.number}"
        kept = next(iter(store.ratings.history(league.id, of=[of.after.position])), None)
        if kept is None or not of.after.entrants <= len(kept.ratings) <= len(entrants):
            yield Finding(where, "rating_snapshot.deals", "they are missing")
            return
        roster, changes = _Roster(league, entrants), deque(store.changes.list(league.id))
        roster.apply_before(changes, kept.deals)
        yield from _check_field(where, kept, entrants, roster, changes)
        again = compute_snapshot(_in_field_of(kept, deals, entrants), league.anchor)
        yield from _compare(where, kept, again, [each.label for each in entrants])

    yield from readable(league, "ladder_epoch", lambda: check_day(store, league, entrants, of, rated_then))


def check_places(store: Store, league: model.League) -> Iterator[Finding]:
    """Yield deals whose stored places differ from the places in their matches.

    Not needed when all matches are replayed, which compares the places of each deal.
    """
    counters = Counters(league.entrants)
    if league.solo:
        return
    count_since(store, league, counters)
    if not _same(counters, recount(store, league)):
        yield Finding(league.name, "deal.results", "the places stored with the deals differ from those of the matches")


def _same(one: Counters, other: Counters) -> bool:
    """Return whether two counters have the same pairs with the same results."""
    pairs, others = one.pairs(), other.pairs()
    return all(np.array_equal(getattr(pairs, name), getattr(others, name)) for name in ("keys", "wins", "met"))


def readable(league: model.League, table: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """Yield the findings of a check; if invalid rows make it fail, that failure is the finding."""
    try:
        yield from check()
    except (ArithmeticError, LookupError, TypeError, ValueError, AssertionError, DamagedError) as error:
        yield unreadable(league.name, table, error)


def _in_field_of(kept: model.Snapshot, deals: LadderDeals, entrants: Sequence[model.Entrant]) -> Counters:
    """Return the deals of a ladder, weighted for the field of a snapshot."""
    deals.grow(len(entrants))
    groups = groups_of([entrant.owner for entrant in entrants])[: len(kept.ratings)]
    return deals.weighted([each.entrant for each in kept.ratings if each.best_rank], groups)


class _Roster:
    """Entrants of a league at some time in its history; `apply` advances by one change.

    `entrants`: current entrants.
    """

    def __init__(self, league: model.League, entrants: Sequence[model.Entrant]) -> None:
        self._now = entrants
        self._replaces = league.traits.one_version
        self._suspended: set[int] = set()  # suspended entrants, including entrants that were replaced since
        self.there: list[model.Entrant] = []
        self.deals = 0

    @property
    def active(self) -> Iterator[int]:
        """Numbers of the seated entrants."""
        return (entrant.number for entrant in self.there if entrant.active)

    def apply(self, change: model.Change) -> str:
        """Apply a change; return a description of its problem, "" if there is none."""
        if change.kind == _KINDS.DEALS:
            return self._set_deals(change.deals)
        number = change.entrant
        if number is None or change.position is None:
            return "has no entrant or position"
        if change.kind == _KINDS.JOINED:
            return self._join(change, number)
        if not 0 <= number < len(self.there):
            return f"entrant {number} had not joined"
        if change.kind == _KINDS.DROPPED:
            return f"entrant {number} was seated" if self.there[number].active else ""
        self.there[number] = replace(self.there[number], last=change)
        if change.kind in {*model.SUSPENSIONS, _KINDS.LIFTED}:
            return self._set_suspended(number, suspended=change.kind != _KINDS.LIFTED)
        return "" if change.kind in {_KINDS.REPLACED, _KINDS.LEFT} | _OF_LADDERS else f"is {change.kind!r}"

    def apply_before(self, changes: deque[model.Change], position: int) -> list[model.Change]:
        """Take the changes before the deal in a position out of `changes`, apply them, and return them."""
        applied = []
        while changes and (changes[0].position or 0) < position:
            applied.append(changes.popleft())
            self.apply(applied[-1])
        return applied

    def _set_deals(self, deals: int | None) -> str:
        if deals is None:
            return "has no number of deals"
        self.deals = deals
        return ""

    def _set_suspended(self, number: int, *, suspended: bool) -> str:
        if (number in self._suspended) == suspended:
            return f"entrant {number} was in this state already"
        self._suspended ^= {number}
        return ""

    def _join(self, change: model.Change, number: int) -> str:
        if number != len(self.there) or number >= len(self._now):
            return f"entrant {number} cannot be the next to join"
        newcomer = self._now[number]
        older = [each.label for each in self.there if each.bot == newcomer.bot and each.active]
        self.there.append(replace(newcomer, last=change))
        return f"{newcomer.label} joined, but {older[0]} is seated" if older and self._replaces else ""


def _check_field(
    where: str,
    kept: model.Snapshot,
    entrants: Sequence[model.Entrant],
    roster: _Roster,
    changes: Iterable[model.Change],
) -> Iterator[Finding]:
    """Yield findings for members of a ladder's field without a rank in a snapshot, and for other entries with a rank.

    `roster`: entries just before the last deal of the snapshot was committed. `changes`: later changes, in order.
    """
    meanwhile = takewhile(lambda change: (change.position or 0) <= kept.deals, changes)
    ranked = [each.entrant for each in kept.ratings if each.best_rank]
    yield from check_members(where, "rating.best_rank", ranked, entrants, roster.there, meanwhile)


def _check_changes(
    league: model.League, entrants: Sequence[model.Entrant], changes: Sequence[model.Change], scheduled: int
) -> Iterator[Finding]:
    """Yield contradictions of the changes with each other or with the current state. `scheduled`: number of deals."""
    roster = _Roster(league, entrants)
    before = (0, 0)
    for number, change in enumerate(changes, 1):
        where = f"change {change.number} of {league.name}"
        yield from differs(where, "league_change.number", change.number, number, "the next number is")
        try:
            wrong = roster.apply(change)
        except ValueError:
            wrong = f"its kind is {change.kind!r}"
        if wrong:
            yield Finding(where, "league_change", wrong)
        yield from _check_columns(where, change)
        position = before[1] if change.position is None else change.position
        if not (before[0] <= change.scheduled <= scheduled and before[1] <= position <= change.scheduled):
            yield Finding(where, "league_change", "it does not come between its neighbours")
        before = (change.scheduled, position)
    yield from differs(league.name, "league.deals", league.deals, roster.deals, "its changes give")
    numbers = [entrant.number for entrant in entrants]
    joined = list(range(len(roster.there)))
    yield from differs(league.name, "entrant.number", numbers, joined, "those that joined are")


def _check_columns(where: str, change: model.Change) -> Iterator[Finding]:
    """Yield columns of a change that should be empty for its kind."""
    if change.kind == _KINDS.DEALS and (change.position, change.entrant) != (None, None):
        yield Finding(where, "league_change", "has a position or an entrant, which a number of deals has not")
    if change.kind != _KINDS.DEALS and change.deals is not None:
        yield Finding(where, "league_change.deals", "is set for an entrant")


def _check_tables(
    tables_of: Tables, history: History, tables: Sequence[tuple[int, ...]], dropped: Mapping[int, float]
) -> Iterator[Finding]:
    """Yield the first deal whose table differs from the schedule's; all later tables depend on it.

    `tables_of`: factory of the tables of the league's format. `dropped`: times at which deals were dropped.
    """
    league, changes = history.league, history.changes
    roster = _Roster(league, history.entrants)
    gone: set[int] = set()
    ends = [*(change.scheduled for change in changes[1:]), len(tables)]
    for change, end in zip(changes, ends, strict=True):
        roster.apply(change)
        if change.kind == _KINDS.DROPPED:
            gone |= _given_up(change, tables, dropped)
        if change.scheduled < end:
            then = replace(league, entrants=len(roster.there), deals=roster.deals)
            before = [table for number, table in enumerate(tables[: change.scheduled], 1) if number not in gone]
            scheduled = partial(tables_of, then, roster.there, before)
            wrong = [*_first_wrong_table(league.name, scheduled, change.scheduled, tables[change.scheduled : end])]
            if wrong:
                yield from wrong
                return
    for number in sorted(dropped.keys() - gone):
        yield Finding(f"{league.name}/{number}", "deal.dropped", "it was given up, though nobody at it was taken out")


def _given_up(change: model.Change, tables: Sequence[tuple[int, ...]], dropped: Mapping[int, float]) -> set[int]:
    """Return the numbers of the deals that were dropped because of a change."""
    return {
        number
        for number, at in dropped.items()
        if at == change.happened and number <= change.scheduled and change.entrant in tables[number - 1]
    }


def _first_wrong_table(
    league: str, scheduled: Callable[[], NextTable], before: int, tables: Sequence[tuple[int, ...]]
) -> Iterator[Finding]:
    """Yield the first of `tables` that differs from the schedule. `before`: number of earlier deals."""
    try:
        next_table = scheduled()
        for number, stored in enumerate(tables, before + 1):
            table = next_table()
            if table != stored:
                yield from differs(f"{league}/{number}", "deal.entrants", stored, table, "the schedule gives")
                return
    except ScheduleError as error:
        yield Finding(f"{league}/{before + 1}", "deal.entrants", f"there can be no table: {error}")


def _check_totals(store: Store, league: model.League, entrants: Sequence[model.Entrant]) -> Iterator[Finding]:
    """Yield differences between the stored totals and the sums of the matches."""
    again = store.matches.totals(league.id)
    for entrant, kept in zip(entrants, store.leagues.totals(league.id), strict=True):
        total = again.get(entrant.number, _NO_TOTALS)
        for field in fields(model.Totals):
            stored, derived = getattr(kept, field.name), getattr(total, field.name)
            yield from differs(entrant.label, f"entrant.{field.name}", stored, derived, "its matches give")
    matches = store.matches.count(league.id)
    yield from differs(league.name, "league.matches_done", league.matches_done, matches, "the number of matches is")


def _check_order(league: model.League, positions: Sequence[tuple[int, int | None]]) -> Iterator[Finding]:
    """Yield gaps in deal numbers, and errors in the order of commits."""
    numbers = [number for number, _ in positions]
    if numbers != list(range(1, len(numbers) + 1)):
        yield Finding(league.name, "deal.number", f"the {len(numbers)} deals are not numbered from 1 to {len(numbers)}")
    played = sorted(position for _, position in positions if position is not None)
    yield from differs(league.name, "league.deals_done", league.deals_done, len(played), "the number of deals is")
    if played != list(range(1, len(played) + 1)):
        yield Finding(league.name, "deal.position", f"the {len(played)} deals are not in positions 1 to {len(played)}")


class _Results:
    """Replays the results of a league's deals in the order of commits."""

    def __init__(
        self, store: Store, league: model.League, entrants: Sequence[model.Entrant], changes: Sequence[model.Change]
    ) -> None:
        self._store = store
        self._league = league
        self._entrants = entrants
        self._changes = deque(changes)
        self._roster = _Roster(league, entrants)
        self._suspensions = Suspensions([model.Forfeits(0, 0, 0)] * len(entrants), ())
        self._cleared = [(0, 0)] * len(entrants)
        self._counters = Counters(0)
        self._drawn = self._all_drawn() if league.traits.endless else None
        self._deals: list[_Seats] = []  # deals not counted yet
        self._ends = {each.position: each for each in store.ladders.checkpoints(league.id)}
        history = store.ratings.history(league.id) if league.traits.has_standings else ()
        self._snapshots = {snapshot.deals: snapshot for snapshot in history}

    def check(self) -> Iterator[Finding]:
        """Yield problems of suspensions and ratings."""
        yield from self._check_snapshots()
        ordered = sorted((at, number) for number, at in self._store.audit.positions(self._league.id) if at is not None)
        results = self._store.audit.results(self._league.id, [number for _, number in ordered])
        yield from self._check_ratings(0)
        for at, (number, deal) in enumerate(results, 1):
            yield from self._seat(at, number, deal)
            if self._drawn:
                self._drawn.add_results(number, deal)
            else:
                self._deals.append(deal)
            if len(self._deals) == _CHUNK_DEALS:
                self._count()
            yield from self._check_ratings(at)
            if self._drawn and at in self._ends:
                trim(self._drawn, self._entrants, self._ends[at].deals)
        self._apply(len(ordered) + 1)
        yield from self._check_forfeits()

    def _all_drawn(self) -> LadderDeals:
        """Return all planned deals of a ladder, without results.

        Later epochs do not change weights of earlier deals.
        """
        store, league = self._store, self._league
        groups, tables = groups_of([each.owner for each in self._entrants]), store.deals.tables(league.id)
        drawn = nothing(league).deals
        add_plans(drawn, store.ladders.epochs(league.id, limit=None), tables, 0, groups)
        return drawn

    def _seat(self, at: int, number: int, deal: _Seats) -> Iterator[Finding]:
        """Apply the changes before a deal; yield newcomers that play too early, and wrong suspensions after it."""
        self._apply(at)
        where = f"{self._league.name}/{number}"
        early = {seat.entrant for seats in deal for seat in seats if seat.entrant >= len(self._roster.there)}
        for entrant in sorted(early):
            yield Finding(where, "league_change.position", f"entrant {entrant} plays before it joined")
        yield from self._check_suspensions(where, at, self._suspensions.add(number, deal))

    def _check_suspensions(self, where: str, at: int, derived: Sequence[model.Suspension]) -> Iterator[Finding]:
        """Yield differences between the stored and the required suspensions after the deal in position `at`."""
        suspended = (c for c in self._changes if c.kind == model.ChangeKind.SUSPENDED and c.position == at)
        stored = {change.entrant: change.reason for change in suspended}
        should = {each.entrant: each.why for each in derived}
        for missing in should.keys() - stored.keys():
            yield Finding(where, "league_change", f"entrant {missing} was to be suspended after it: {should[missing]}")
        for groundless in stored.keys() - should.keys():
            yield Finding(where, "league_change", f"entrant {groundless} was suspended after it, without reason")
        for entrant, why in should.items():
            if reason := stored.get(entrant):  # early versions kept no reason once the suspension was lifted
                yield from differs(where, "league_change.reason", reason, why, "its matches give")

    def _apply(self, at: int) -> None:
        """Apply the changes before the deal in position `at`."""
        for change in self._roster.apply_before(self._changes, at):
            if change.kind == model.ChangeKind.LIFTED and change.entrant is not None:
                before, now = self._cleared[change.entrant], self._suspensions.forfeits[change.entrant]
                self._cleared[change.entrant] = (before[0] + now.matches, before[1] + now.forfeits)
                self._suspensions.forfeits[change.entrant] = model.Forfeits(0, 0, 0)
        self._suspensions.active = set(self._roster.active)

    def _check_forfeits(self) -> Iterator[Finding]:
        """Yield wrong values of the counts by which suspensions are decided."""
        kept = self._store.leagues.forfeits(self._league.id), self._store.audit.cleared_counts(self._league.id)
        rows = zip(self._entrants, self._suspensions.forfeits, self._cleared, *kept, strict=True)
        for entrant, derived, cleared, stored, stored_cleared in rows:
            columns: tuple[tuple[str, object, object], ...] = (
                ("cleared_matches", stored_cleared[0], cleared[0]),
                ("cleared_forfeits", stored_cleared[1], cleared[1]),
                ("most_forfeits_in_a_row", stored.in_a_row, derived.in_a_row),
                ("forfeits_in_a_row", stored.latest_in_a_row, derived.latest_in_a_row),
            )
            for column, old, new in columns:
                yield from differs(entrant.label, f"entrant.{column}", old, new, "its matches give")

    def _count(self, least: int = 0) -> None:
        """Count the new deals. `least`: minimum number of bots."""
        most = max((seat.entrant for deal in self._deals for seats in deal for seat in seats), default=-1)
        self._counters.grow(max(most + 1, min(least, len(self._entrants))))
        add_results(self._counters, self._league, self._deals)
        self._deals = []

    def _check_snapshots(self) -> Iterator[Finding]:
        """Yield findings for missing and superfluous snapshots, and for wrong `kept` marks."""
        where = f"ratings of {self._league.name}"
        longest = 0
        for deals, kept in sorted(self._store.audit.kept_snapshots(self._league.id).items()):
            if deals > self._league.deals_done:
                why = f"there are some after {deals} deals, more than were played"
                yield Finding(where, "rating_snapshot.deals", why)
            derived = deals.bit_length() > longest.bit_length() or deals in self._ends
            yield from differs(where, "rating_snapshot.kept", kept, derived, f"after {deals} deals it should be")
            longest = deals if derived else longest
        for end in sorted(self._ends.keys() - self._snapshots.keys()):
            yield Finding(where, "rating_snapshot.deals", f"there are none after {end} deals, where a day ended")
        ratings = sum(len(snapshot.ratings) for snapshot in self._snapshots.values())
        stored = self._store.audit.ratings(self._league.id)
        yield from differs(where, "rating.deals", stored, ratings, "the number of ratings of all snapshots is")

    def _check_ratings(self, deals: int) -> Iterator[Finding]:
        """Compare the snapshot after `deals` deals with recomputed ratings, if there is one."""
        snapshot = self._snapshots.get(deals)
        if snapshot is None:
            return
        self._count()
        where = f"ratings of {self._league.name} after deal {deals} of its order"
        # a run seats newcomers a little later than they joined
        least, most = self._counters.bots, len(self._roster.there)
        most += sum(c.kind == model.ChangeKind.JOINED and c.position == deals for c in self._changes)
        if not least <= len(snapshot.ratings) <= most:
            yield Finding(where, "rating.entrant", f"{len(snapshot.ratings)} are stored for {most} entrants")
            return
        if self._drawn:
            yield from _check_field(where, snapshot, self._entrants, self._roster, self._changes)
            counters = _in_field_of(snapshot, self._drawn, self._entrants)
        else:
            counters = self._counters
            counters.grow(len(snapshot.ratings))
        again = compute_snapshot(counters, self._league.anchor)
        yield from _compare(where, snapshot, again, [entrant.label for entrant in self._entrants])


def _compare(where: str, stored: model.Snapshot, again: model.Snapshot, labels: Sequence[str]) -> Iterator[Finding]:
    source = "its matches give"
    for old, new in zip(stored.ratings, again.ratings, strict=True):
        for field in fields(new):
            was, now = getattr(old, field.name), getattr(new, field.name)
            yield from differs(where, f"rating.{field.name}", was, now, source, f"{labels[new.entrant]}:")
    if stored.seats != again.seats:
        yield Finding(where, "rating_snapshot.seats", "the seat effects differ from those that the matches give")
    same = stored.luck is not None and again.luck is not None and abs(stored.luck - again.luck) <= _ROUNDING
    if not same:
        yield from differs(where, "rating_snapshot.luck", stored.luck, again.luck, "the matches give")
