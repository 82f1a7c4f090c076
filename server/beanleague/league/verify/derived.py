"""What was derived from the matches of a league, computed again from their rows: no match is played again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from beanleague.league.counting import count, recount
from beanleague.league.errors import RequestError
from beanleague.league.verify.findings import Finding, unreadable
from beanleague.league.verify.history import check_changes, check_tables
from beanleague.league.verify.results import Results, check_order, check_totals
from beanleague.model import League
from beanleague.store.store import Store


def idle_league(store: Store, name: str) -> League:
    """Return a league that is not being run.

    Raises:
        MissingError: if there is no such league.
        RequestError: if it is being run.
    """
    league = store.leagues.get(name)
    if league.id in store.runs.running():
        raise RequestError(f"{name} is being run; wait for it, or stop it first")
    return league


def check_derived(store: Store, league: League) -> Iterator[Finding]:
    """Yield how what was derived from the matches differs from what they give."""
    entrants = store.leagues.entrants(league.id)
    changes = store.changes.list(league.id)
    yield from readable(league, "entrant", lambda: check_totals(store, league, entrants))
    orders = [*readable(league, "deal", lambda: check_order(league, store.audit.positions(league.id)))]
    yield from orders

    def check_history() -> Iterator[Finding]:
        tables = store.deals.tables(league.id)
        wrong = [*check_changes(league, entrants, changes, len(tables))]
        yield from wrong
        if not wrong and not orders:
            yield from check_tables(league, entrants, changes, tables)

    yield from readable(league, "league_change", check_history)
    yield from readable(league, "rating", lambda: Results(store, league, entrants, changes).check())


def check_places(store: Store, league: League) -> Iterator[Finding]:
    """Yield whether the places that are stored with the deals differ from those of the matches.

    Who plays all matches again compares them deal by deal.
    """
    if not league.solo and not np.array_equal(count(store, league).half_wins(), recount(store, league).half_wins()):
        yield Finding(league.name, "deal.results", "the places stored with the deals differ from those of the matches")


def readable(league: League, table: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """Yield what a check finds; if it breaks on what somebody wrote into the rows, that is found."""
    try:
        yield from check()
    except (ArithmeticError, LookupError, TypeError, ValueError, AssertionError) as error:
        yield unreadable(league.name, table, error)
