"""Checks of a league that differ between formats: settings, history of entrants and tables, and secrets."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from beanleague.league.compare import comparison_name
from beanleague.league.verify.deals import Finding, differs
from beanleague.model import Change, Entrant, League
from beanleague.store import Store

Secrets: TypeAlias = tuple[tuple[int, bytes], ...]
"""Secrets of a league in order, each with the first deal whose seed depends on it."""


@dataclass(frozen=True, slots=True)
class History:
    """The stored history of a league."""

    store: Store
    """The database."""
    league: League
    """The league."""
    entrants: Sequence[Entrant]
    """All entrants, by number."""
    changes: Sequence[Change]
    """All changes of entrants and of the number of deals, in order."""
    in_order: bool
    """Whether numbers and positions of the deals are right, so that tables can be derived."""


def master_secret(_store: Store, league: League) -> Secrets:
    """Return the master secret, which decides all seeds."""
    return ((0, league.secret),)


def check_plain(_store: Store, league: League) -> Iterator[Finding]:
    """Yield a finding for each setting that only other formats have."""
    yield from _check_hero(league, wanted=False)
    yield from _check_no_test(league)


def check_gauntlet(_store: Store, league: League) -> Iterator[Finding]:
    """Yield a finding for each setting that only other formats have, and for a missing hero."""
    yield from _check_hero(league, wanted=True)
    yield from _check_no_test(league)


def check_comparison(store: Store, league: League) -> Iterator[Finding]:
    """Yield a finding for each setting that only other formats have, and for a name that contradicts the others."""
    yield from _check_hero(league, wanted=False)
    versions = [entrant.version_id or 0 for entrant in store.leagues.entrants(league.id)]
    derived = comparison_name(league.ruleset, versions, league.seats, league.test, league.rules)
    yield from differs(league.name, "league.name", league.name, derived, "by its bots, seats and test it is")


def _check_hero(league: League, *, wanted: bool) -> Iterator[Finding]:
    """Yield a finding if a hero is stored that is not `wanted`, or a `wanted` one is missing."""
    if (league.hero is not None) != wanted:
        yield Finding(league.name, "league.hero", f"is {league.hero} in a league of the format {league.format}")


def _check_no_test(league: League) -> Iterator[Finding]:
    """Yield a finding if a test is stored, which only comparisons have."""
    if league.test:
        yield Finding(league.name, "league.test", f"is set in a league of the format {league.format}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """Verification strategy of a league format."""

    history: Callable[[History], Iterator[Finding]]
    """Function that yields contradictions between entrants, changes and tables."""
    settings: Callable[[Store, League], Iterator[Finding]] = check_plain
    """Function that yields settings that contradict the format."""
    require: Callable[[Store, League], None] = lambda _store, _league: None
    """Function that raises `RequestError` if only an earlier version can verify the league."""
    secrets: Callable[[Store, League], Secrets] = master_secret
    """Function that returns the secrets that decide the seeds."""
    has_days: bool = False
    """Whether a single finished day can be verified."""
