"""Who was seated when: the changes of a league, the tables that follow from them, and the suspensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from beanleague.league.schedule.formats import tables_of
from beanleague.league.schedule.schedule import ScheduleError
from beanleague.league.verify.findings import Finding, differs
from beanleague.model import Change, ChangeKind, Entrant, League


class Roster:
    """The entrants of a league as they were at some time; `apply` goes on to the next change.

    `entrants`: as they are now.
    """

    def __init__(self, entrants: Sequence[Entrant]) -> None:
        self._now = entrants
        self.there: list[Entrant] = []
        self.deals = 0

    @property
    def active(self) -> Iterator[int]:
        """Those that are seated."""
        return (entrant.number for entrant in self.there if entrant.active)

    def apply(self, change: Change) -> str:
        """Make a change; return what is wrong with it, "" if nothing is."""
        if change.kind == ChangeKind.DEALS:
            if change.deals is None:
                return "has no number of deals"
            self.deals = change.deals
            return ""
        if change.entrant is None or change.position is None:
            return "has no entrant or position"
        if change.kind == ChangeKind.JOINED:
            return self._join(change.entrant)
        if not 0 <= change.entrant < len(self.there):
            return f"entrant {change.entrant} had not joined"
        why = {ChangeKind.SUSPENDED: "suspended", ChangeKind.LIFTED: ""}.get(ChangeKind(change.kind), "")
        if bool(self.there[change.entrant].suspended) == bool(why):
            return f"entrant {change.entrant} was in this state already"
        self.there[change.entrant] = replace(self.there[change.entrant], suspended=why)
        return ""

    def _join(self, number: int) -> str:
        if number != len(self.there) or number >= len(self._now):
            return f"entrant {number} cannot be the next to join"
        newcomer = self._now[number]
        self.there = [
            replace(entrant, retired=entrant.retired or entrant.bot == newcomer.bot) for entrant in self.there
        ]
        self.there.append(replace(newcomer, retired=False, suspended=""))
        return ""


def check_changes(
    league: League, entrants: Sequence[Entrant], changes: Sequence[Change], scheduled: int
) -> Iterator[Finding]:
    """Yield how the changes contradict each other or the present state. `scheduled`: how many deals there are."""
    roster = Roster(entrants)
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
        position = before[1] if change.position is None else change.position
        if change.kind == ChangeKind.DEALS and (change.position, change.entrant) != (None, None):
            yield Finding(where, "league_change", "has a position or an entrant, which a number of deals has not")
        if change.kind != ChangeKind.DEALS and change.deals is not None:
            yield Finding(where, "league_change.deals", "is set for an entrant")
        if not (before[0] <= change.scheduled <= scheduled and before[1] <= position <= change.scheduled):
            yield Finding(where, "league_change", "it does not come between its neighbours")
        before = (change.scheduled, position)
    yield from differs(league.name, "league.deals", league.deals, roster.deals, "its changes give")
    numbers = [entrant.number for entrant in entrants]
    joined = list(range(len(roster.there)))
    yield from differs(league.name, "entrant.number", numbers, joined, "those that joined are")
    for now, then in zip(entrants, roster.there, strict=False):
        yield from differs(now.label, "entrant.retired", now.retired, then.retired, "by those that joined it is")
        yield from differs(now.label, "entrant.suspended", bool(now.suspended), bool(then.suspended), "the changes say")


def check_tables(
    league: League, entrants: Sequence[Entrant], changes: Sequence[Change], tables: Sequence[tuple[int, ...]]
) -> Iterator[Finding]:
    """Yield the first deal whose table is not the one that the schedule gives; later tables follow from it."""
    roster = Roster(entrants)
    ends = [*(change.scheduled for change in changes[1:]), len(tables)]
    for change, end in zip(changes, ends, strict=True):
        roster.apply(change)
        if change.scheduled >= end:
            continue
        then = replace(league, entrants=len(roster.there), deals=roster.deals)
        try:
            schedule = tables_of(then, roster.there, tables[: change.scheduled])
            for number in range(change.scheduled, end):
                table = schedule.next()
                if table != tables[number]:
                    where = f"{league.name}/{number + 1}"
                    yield from differs(where, "deal.entrants", tables[number], table, "the schedule gives")
                    return
        except ScheduleError as error:
            yield Finding(f"{league.name}/{change.scheduled + 1}", "deal.entrants", f"there can be no table: {error}")
            return
