"""A format for tests: all against all in two stages, of which the worse half of the bots leaves after the first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from beanleague.league.create import league_limits
from beanleague.league.formats.table import Format
from beanleague.league.run.committing import LiveRatings
from beanleague.league.run.deals import Dealer
from beanleague.league.run.source import Clocks, LeaguePlay, Playing, Roster
from beanleague.league.schedule.schedule import Table
from beanleague.league.schedule.tables import NextTable, tables_of_everybody
from beanleague.league.verify.checks import Checks, History
from beanleague.league.verify.deals import Finding, differs
from beanleague.league.verify.derived import check_schedule
from beanleague.model import ChangeKind, Entrant, EntryDecision, League, NewLeague
from beanleague.referee.messages import DealTask
from beanleague.store import Store
from tests.league.helpers import SECRET, store_with_bots

STAGES = "stages"
"""Name of the format."""


def first_stage(league: League) -> int:
    """Return the number of deals of the first stage."""
    return league.deals // 2


def tables_in_stages(league: League, entrants: Sequence[Entrant], history: Sequence[Table]) -> NextTable:
    """Return what gives balanced tables: the first stage waits for the worse half to leave. See `Tables`."""
    next_table = tables_of_everybody(league, entrants, history)
    if any(entrant.last.kind == ChangeKind.LEFT for entrant in entrants):
        return next_table
    left = iter(range(first_stage(league) - len(history)))
    return lambda: next_table() if next(left, None) is not None else None


def worse_half(store: Store, league: League) -> list[int]:
    """Return the bots with the worse places in the first stage, by number."""
    places: Counter[int] = Counter()
    for _, matches in store.audit.results(league.id, [*range(1, first_stage(league) + 1)]):
        for seat in (seat for match in matches for seat in match):
            places[seat.entrant] += seat.place
    order = sorted(places, key=lambda entrant: (places[entrant], entrant))
    return sorted(order[(len(order) + 1) // 2 :])


class StagedDealer(Dealer):
    """Hands out the deals of both stages, and lets the worse half leave between them."""

    def next(self) -> DealTask | None:
        task = super().next()
        if task is None and not self.open and self._cut():
            self._look()
            task = super().next()
        return task

    def _cut(self) -> bool:
        """Let the worse half leave; return False if it has left already."""
        entrants = self._store.leagues.entrants(self._league.id)
        if any(entrant.last.kind == ChangeKind.LEFT for entrant in entrants):
            return False
        worse = worse_half(self._store, self._league)
        leave = [EntryDecision(entrants[number], ChangeKind.LEFT, "out after the first stage") for number in worse]
        self._store.ladders.change(self._league.id, leave)
        return True


def _begin(store: Store, league: League, clocks: Clocks) -> LeaguePlay:
    return LeaguePlay(LiveRatings(store, league, clocks.seconds), partial(_source, store, league, clocks))


def _source(store: Store, league: League, clocks: Clocks, roster: Roster) -> StagedDealer:
    return StagedDealer(store, league, tables_in_stages, batch=roster.batch, joined=roster.joined, clock=clocks.seconds)


def _check(history: History) -> Iterator[Finding]:
    """Yield contradictions in the schedule, and bots that left although they were in the better half, or stayed."""
    yield from check_schedule(tables_in_stages, history)
    league = history.league
    kind = ChangeKind.LEFT
    left = sorted(change.entrant for change in history.changes if change.kind == kind and change.entrant is not None)
    if left or league.deals_done > first_stage(league):
        worse = worse_half(history.store, league)
        yield from differs(league.name, "league_change.entrant", left, worse, "out by the first stage are")


TWO_STAGES = Format(playing=Playing(begin=_begin), checks=Checks(history=_check))


def staged(where: Path | str, *, bots: int = 8, seats: int = 3, deals: int = 20) -> Store:
    """Return a store with the league "spring" of two stages."""
    store = store_with_bots(where, bots)
    versions = tuple(version.id for version in store.bots.newest())
    store.leagues.create(
        NewLeague(
            name="spring",
            ruleset="bohnanza",
            seats=seats,
            limits=league_limits({}),
            secret=SECRET,
            deals=deals,
            versions=versions,
            format=STAGES,
        )
    )
    return store
