"""Computing a league again from its stored matches alone, and comparing that with what was kept along the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from beanleague.league.counters import Counters
from beanleague.league.errors import RequestError
from beanleague.league.matrix import stored_pairs
from beanleague.league.standings import count, rated, recount, snapshot
from beanleague.store.store import Store
from beanleague.store.values import COMPARISON, League


@dataclass(frozen=True, slots=True)
class Recomputed:
    """What came of it. `problems`: what is not as it was kept, in words; none if all is reproduced exactly."""

    deals: int
    matches: int
    ratings: int
    problems: tuple[str, ...]


def recompute(store: Store, name: str) -> Recomputed:
    """Compute the totals, pair counters and ratings of a league again.

    Raises:
        MissingError: there is no such league.
        RequestError: it is being run, or it is a comparison, which has no ratings.
    """
    league = store.leagues.get(name)
    if league.format == COMPARISON:
        raise RequestError(f"{name} is a comparison: it has no ratings; 'compare' counts its deals anew every time")
    if league.id in store.runs.running():
        raise RequestError(f"{name} is being run; wait for it, or stop it first")
    kept = snapshot(store, league, running=False)
    counters = recount(store, league)
    problems = [*_of_totals(store, league), *_of_counters(store, league, counters)]
    if counters.deals != league.deals_done:
        problems.append(f"{league.deals_done} deals are noted as played, and there are matches of {counters.deals}")
    entrants = store.leagues.entrants(league.id)
    for old, new in zip(kept.ratings, rated(counters, league.anchor).ratings, strict=False):
        if old != new:
            told = f"{entrants[new.entrant].bot}@{entrants[new.entrant].version}"
            problems.append(f"the rating of {told} was kept as {old.rating!r}, and its matches give {new.rating!r}")
    if len(kept.ratings) != len(entrants):
        problems.append(f"{len(kept.ratings)} ratings were kept for {len(entrants)} entrants")
    return Recomputed(counters.deals, league.matches_done, len(kept.ratings), tuple(problems))


def _of_totals(store: Store, league: League) -> list[str]:
    """Return how the totals counted along the way differ from those of the matches."""
    again = store.matches.totals(league.id)
    problems = []
    for entrant, totals in zip(store.leagues.entrants(league.id), store.leagues.totals(league.id), strict=True):
        kept = (totals.matches, totals.score, totals.decisions, totals.faults, totals.forfeits)
        if kept != again.get(entrant.number, (0, 0, 0, 0, 0)):
            problems.append(f"the totals of {entrant.bot}@{entrant.version} are not those of its matches")
    return problems


def _of_counters(store: Store, league: League, counters: Counters) -> list[str]:
    """Return how the counters kept for ratings differ from those of the matches."""
    if league.solo or not counters.deals:
        return []
    problems = []
    if not np.array_equal(stored_pairs(store, league), counters.pairs(league.seats)):
        problems.append("the pair counters are not those of the matches")
    if rated(count(store, league)).better != rated(counters).better:
        problems.append("the results kept with the deals are not those of the matches")
    return problems
