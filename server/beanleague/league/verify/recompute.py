"""Computing a league again from the rows of its matches, without playing them, and comparing it with what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from beanleague.league.counting import count, recount
from beanleague.league.errors import RequestError
from beanleague.league.verify.findings import Finding, unreadable
from beanleague.league.verify.history import check_changes, check_tables
from beanleague.league.verify.results import Results, check_order, check_totals
from beanleague.model import COMPARISON, League
from beanleague.store.store import Store


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The result of computing a league again."""

    deals: int
    """Deals counted."""
    matches: int
    """Matches counted."""
    ratings: int
    """Ratings compared."""
    checked: tuple[str, ...]
    """What was compared beside them, e.g. "totals"."""
    unchecked: tuple[str, ...]
    """What could not be compared, each with the reason in a sentence."""
    problems: tuple[str, ...]
    """The differences, each in a sentence; empty if everything is reproduced exactly."""


def recompute(store: Store, name: str) -> Recomputed:
    """Compute the totals, suspensions, tables and ratings of a league again, as far as what they follow from is stored.

    Raises:
        MissingError: if there is no such league.
        RequestError: if it is being run, or is a comparison, which has no ratings.
    """
    league = idle_league(store, name)
    if league.format == COMPARISON:
        raise RequestError(f"{name} is a comparison: it has no ratings; 'league verify' checks its matches")
    problems = [*map(str, check_derived(store, league))]
    counters = recount(store, league)
    if not league.solo and not np.array_equal(count(store, league).half_wins(), counters.half_wins()):
        problems.append(f"{name}: deal.results: the results stored with the deals differ from those of the matches")
    ratings, unchecked = _compared_ratings(store, league)
    checked = ("totals", "suspensions", "tables")
    matches = store.matches.count(league.id)
    return Recomputed(counters.deals, matches, ratings, checked, tuple(unchecked), tuple(problems))


def _compared_ratings(store: Store, league: League) -> tuple[int, list[str]]:
    """Return how many ratings are compared, and which cannot be."""
    newest, unchecked = store.ratings.latest(league.id), []
    if newest is None or newest.deals != league.deals_done:
        unchecked.append(
            f"newest ratings: not stored yet; 'beanleague standings {league.name}' computes and stores them"
        )
    return store.audit.ratings(league.id), unchecked


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


def readable(league: League, table: str, check: Callable[[], Iterable[Finding]]) -> Iterator[Finding]:
    """Yield what a check finds; if it breaks on what somebody wrote into the rows, that is found."""
    try:
        yield from check()
    except (ArithmeticError, LookupError, TypeError, ValueError, AssertionError) as error:
        yield unreadable(league.name, table, error)
