"""What follows from the seats of all matches, in the order of their commits: totals, suspensions and ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields

from beanleague.league.counting import add_results, rated
from beanleague.league.ratings.counters import Counters
from beanleague.league.run.committing import Suspensions
from beanleague.league.verify.findings import Finding, differs
from beanleague.league.verify.history import Roster
from beanleague.model import (
    COMPARISON,
    Change,
    ChangeKind,
    Entrant,
    Forfeits,
    League,
    SeatResult,
    Snapshot,
    Suspension,
    Totals,
)
from beanleague.store.store import Store

_NO_TOTALS = Totals(0, 0, 0, 0, 0, 0, 0, 0)
_CHUNK_DEALS = 1_000  # counted at once
_ROUNDING = 1e-6
"""Largest difference allowed for the luck, which is stored unrounded: its last digits may depend on the machine."""

Deal = Sequence[Sequence[SeatResult]]


def check_totals(store: Store, league: League, entrants: Sequence[Entrant]) -> Iterator[Finding]:
    """Yield how the totals of entrants and league differ from those of the matches."""
    again = store.matches.totals(league.id)
    for entrant, kept in zip(entrants, store.leagues.totals(league.id), strict=True):
        total = again.get(entrant.number, _NO_TOTALS)
        for field in fields(Totals):
            stored, derived = getattr(kept, field.name), getattr(total, field.name)
            yield from differs(entrant.label, f"entrant.{field.name}", stored, derived, "its matches give")
    matches = store.matches.count(league.id)
    yield from differs(league.name, "league.matches_done", league.matches_done, matches, "the number of matches is")


def check_order(league: League, positions: Sequence[tuple[int, int | None]]) -> Iterator[Finding]:
    """Yield what is wrong with the numbers of the deals, and with the order in which they were committed."""
    numbers = [number for number, _ in positions]
    if numbers != list(range(1, len(numbers) + 1)):
        yield Finding(league.name, "deal.number", f"the {len(numbers)} deals are not numbered from 1 to {len(numbers)}")
    played = sorted(position for _, position in positions if position is not None)
    yield from differs(league.name, "league.deals_done", league.deals_done, len(played), "the number of deals is")
    if played != list(range(1, len(played) + 1)):
        yield Finding(league.name, "deal.position", f"the {len(played)} deals are not in positions 1 to {len(played)}")


class Results:
    """Goes through the deals of a league in the order of their commits."""

    def __init__(self, store: Store, league: League, entrants: Sequence[Entrant], changes: Sequence[Change]) -> None:
        self._store = store
        self._league = league
        self._entrants = entrants
        self._changes = list(changes)
        self._roster = Roster(entrants)
        self._suspensions = Suspensions([Forfeits(0, 0, 0)] * len(entrants), ())
        self._reasons: dict[int, str] = {}
        self._cleared = [(0, 0)] * len(entrants)
        self._counters = Counters(0)
        self._deals: list[Deal] = []  # not counted yet
        self._snapshots = {} if league.format == COMPARISON else {s.deals: s for s in store.ratings.history(league.id)}

    def check(self) -> Iterator[Finding]:
        """Yield what is wrong with suspensions and ratings."""
        yield from self._check_snapshots()
        ordered = sorted((at, number) for number, at in self._store.audit.positions(self._league.id) if at is not None)
        results = self._store.audit.results(self._league.id, [number for _, number in ordered])
        yield from self._check_ratings(0)
        for at, (number, deal) in enumerate(results, 1):
            yield from self._seat(at, number, deal)
            self._deals.append(deal)
            if len(self._deals) == _CHUNK_DEALS:
                self._count()
            yield from self._check_ratings(at)
        self._apply(len(ordered) + 1)
        yield from self._check_forfeits()

    def _seat(self, at: int, number: int, deal: Deal) -> Iterator[Finding]:
        """Make the changes before a deal, and count its forfeits."""
        self._apply(at)
        where = f"{self._league.name}/{number}"
        early = {seat.entrant for seats in deal for seat in seats if seat.entrant >= len(self._roster.there)}
        for entrant in sorted(early):
            yield Finding(where, "league_change.position", f"entrant {entrant} plays before it joined")
        stored = {c.entrant for c in self._changes if c.kind == ChangeKind.SUSPENDED and c.position == at}
        derived = self._suspensions.add(number, deal)
        self._reasons |= {each.entrant: each.why for each in derived}
        yield from _compare_suspended(where, stored, derived)

    def _apply(self, at: int) -> None:
        """Make the changes that come before the deal in position `at`."""
        while self._changes and (self._changes[0].position or 0) < at:
            change = self._changes.pop(0)
            self._roster.apply(change)
            if change.kind == ChangeKind.LIFTED and change.entrant is not None:
                before, now = self._cleared[change.entrant], self._suspensions.forfeits[change.entrant]
                self._cleared[change.entrant] = (before[0] + now.matches, before[1] + now.forfeits)
                self._suspensions.forfeits[change.entrant] = Forfeits(0, 0, 0)
                self._reasons.pop(change.entrant, None)
        while self._counters.bots < len(self._roster.there):
            self._counters.add_bot()
        self._suspensions.active = set(self._roster.active)

    def _check_forfeits(self) -> Iterator[Finding]:
        """Yield how the counts that decide suspensions differ from the stored ones."""
        rows = zip(
            self._entrants,
            self._suspensions.forfeits,
            self._store.leagues.forfeits(self._league.id),
            self._cleared,
            self._store.audit.cleared(self._league.id),
            strict=True,
        )
        for entrant, derived, stored, cleared, stored_cleared in rows:
            columns: tuple[tuple[str, object, object], ...] = (
                ("suspended", entrant.suspended, self._reasons.get(entrant.number, "")),
                ("cleared_matches", stored_cleared[0], cleared[0]),
                ("cleared_forfeits", stored_cleared[1], cleared[1]),
                ("most_forfeits_in_a_row", stored.in_a_row, derived.in_a_row),
                ("forfeits_in_a_row", stored.latest_in_a_row, derived.latest_in_a_row),
            )
            for column, old, new in columns:
                yield from differs(entrant.label, f"entrant.{column}", old, new, "its matches give")

    def _count(self) -> None:
        add_results(self._counters, self._league, self._deals)
        self._deals = []

    def _check_snapshots(self) -> Iterator[Finding]:
        """Yield what is wrong with the snapshots as such: which there are, and which are kept."""
        where = f"ratings of {self._league.name}"
        longest = 0
        for deals, kept in sorted(self._store.audit.kept(self._league.id).items()):
            if deals > self._league.deals_done:
                yield Finding(
                    where, "rating_snapshot.deals", f"there are some after {deals} deals, more than were played"
                )
            derived = deals.bit_length() > longest.bit_length()
            yield from differs(where, "rating_snapshot.kept", kept, derived, f"after {deals} deals it should be")
            longest = deals if derived else longest
        ratings = sum(len(snapshot.ratings) for snapshot in self._snapshots.values())
        stored = self._store.audit.ratings(self._league.id)
        yield from differs(where, "rating.deals", stored, ratings, "the number of ratings of all snapshots is")

    def _check_ratings(self, deals: int) -> Iterator[Finding]:
        """Compare the snapshot after the deals so far, if there is one."""
        snapshot = self._snapshots.get(deals)
        newest = deals == max(self._snapshots, default=-1)
        if snapshot is None:
            return
        self._count()
        where = f"ratings of {self._league.name} after deal {deals} of its order"
        least, most = self._counters.bots, self._counters.bots
        joined = [c for c in self._changes if c.kind == ChangeKind.JOINED and c.position == deals]
        most += len(joined)
        if not least <= len(snapshot.ratings) <= most:
            yield Finding(where, "rating.entrant", f"{len(snapshot.ratings)} are stored for {most} entrants")
            return
        while self._counters.bots < len(snapshot.ratings):
            self._counters.add_bot()
        again = rated(self._counters, self._league.anchor)
        yield from _compare(where, snapshot, again, [entrant.label for entrant in self._entrants], newest=newest)


def _compare_suspended(where: str, stored: set[int | None], derived: Sequence[Suspension]) -> Iterator[Finding]:
    should = {each.entrant: each.why for each in derived}
    for entrant in should.keys() - stored:
        yield Finding(where, "league_change", f"entrant {entrant} was to be suspended after it: {should[entrant]}")
    for groundless in stored - should.keys():
        yield Finding(where, "league_change", f"entrant {groundless} was suspended after it, without reason")


def _compare(
    where: str, stored: Snapshot, again: Snapshot, labels: Sequence[str], *, newest: bool
) -> Iterator[Finding]:
    source = "its matches give"
    for old, new in zip(stored.ratings, again.ratings, strict=True):
        for field in fields(new):
            was, now = getattr(old, field.name), getattr(new, field.name)
            yield from differs(where, f"rating.{field.name}", was, now, source, f"{labels[new.entrant]}:")
    if stored.better != (again.better if newest else ()):
        yield Finding(where, "rating_snapshot.better", "the probabilities differ from those that the matches give")
    if stored.seats != again.seats:
        yield Finding(where, "rating_snapshot.seats", "the seat effects differ from those that the matches give")
    same = stored.luck is not None and again.luck is not None and abs(stored.luck - again.luck) <= _ROUNDING
    if not same:
        yield from differs(where, "rating_snapshot.luck", stored.luck, again.luck, "the matches give")
