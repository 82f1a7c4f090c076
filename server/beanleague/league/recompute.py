"""Computing a league again from its stored matches alone, and comparing that with what was kept along the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from beanleague.league.errors import RequestError
from beanleague.league.ratings.counters import Counters
from beanleague.league.standings import count, rated, recount, snapshot
from beanleague.model import COMPARISON, League, Rating, Snapshot, Totals
from beanleague.store.store import Store

_NOTHING = Totals(0, 0, 0, 0, 0, 0, 0, 0)
_ROUNDING = 1e-6
"""The luck, unlike the ratings, is kept without rounding; another machine may give its last digits differently."""

Kept = TypeVar("Kept", Totals, Rating)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """How a league compares with its matches."""

    deals: int
    matches: int
    ratings: int
    """How many were compared."""
    problems: tuple[str, ...]
    """What is not as it was kept, in words; none if all is reproduced exactly."""


def recompute(store: Store, name: str) -> Recomputed:
    """Compute the totals, results and ratings of a league again.

    Raises:
        MissingError: if there is no such league.
        RequestError: if it is being run, or is a comparison, which has no ratings.
    """
    league = store.leagues.get(name)
    if league.format == COMPARISON:
        raise RequestError(f"{name} is a comparison: it has no ratings; 'compare' counts its deals anew every time")
    if league.id in store.runs.running():
        raise RequestError(f"{name} is being run; wait for it, or stop it first")
    latest = store.ratings.latest(league.id)
    kept = snapshot(store, league, running=False)
    counters = recount(store, league)
    again = rated(counters, league.anchor)
    matches = store.matches.count(league.id)
    problems = [*_of_totals(store, league), *_of_counters(store, league, counters, again)]
    if counters.deals != league.deals_done:
        problems.append(f"{league.deals_done} deals are noted as played, and there are matches of {counters.deals}")
    if matches != league.matches_done:
        problems.append(f"{league.matches_done} matches are noted as played, and there are {matches}")
    labels = [entrant.label for entrant in store.leagues.entrants(league.id)]
    if latest and latest.deals == counters.deals:
        there = {rating.entrant for rating in latest.ratings}
        missing = (labels[bot] for bot in counters.deals_of.nonzero()[0] if bot not in there)
        problems += (f"no rating of {bot} was kept" for bot in missing)
    problems += _of_ratings(kept, again, labels)
    return Recomputed(counters.deals, matches, len(kept.ratings), tuple(problems))


def _of_totals(store: Store, league: League) -> Iterator[str]:
    """Say how the totals counted along the way differ from those of the matches."""
    again = store.matches.totals(league.id)
    for entrant, kept in zip(store.leagues.entrants(league.id), store.leagues.totals(league.id), strict=True):
        for name, old, new in _differences(kept, again.get(entrant.number, _NOTHING)):
            yield f"the totals of {entrant.label} are not those of its matches: {name} {old}, which should be {new}"


def _of_counters(store: Store, league: League, counters: Counters, again: Snapshot) -> Iterator[str]:
    """Say whether the results kept with the deals differ from those of the matches."""
    if league.solo or not counters.deals:
        return
    kept = count(store, league)
    if not np.array_equal(kept.half_wins(), counters.half_wins()) or rated(kept).better != again.better:
        yield "the results kept with the deals are not those of the matches"


def _of_ratings(kept: Snapshot, again: Snapshot, labels: Sequence[str]) -> Iterator[str]:
    """Say how the ratings kept differ from those that the matches give. `labels`: of the entrants."""
    for old, new in zip(kept.ratings, again.ratings, strict=False):
        for name, before, now in _differences(old, new):
            yield f"the {name} of {labels[new.entrant]} was kept as {before!r}, and its matches give {now!r}"
    if len(kept.ratings) != len(labels):
        yield f"{len(kept.ratings)} ratings were kept for {len(labels)} entrants"
    if kept.better != again.better:
        yield "how probably a bot is stronger than another was not kept as the matches give it"
    if kept.seats != again.seats:
        yield "what seats are worth was not kept as the matches give it"
    if kept.luck != again.luck and (kept.luck is None or again.luck is None or abs(kept.luck - again.luck) > _ROUNDING):
        yield f"the luck was kept as {kept.luck!r}, and the matches give {again.luck!r}"


def _differences(kept: Kept, again: Kept) -> Iterator[tuple[str, object, object]]:
    """Give the fields that differ: what each is called, and both its values."""
    for field in fields(kept):
        old, new = getattr(kept, field.name), getattr(again, field.name)
        if old != new:
            yield field.name.replace("_", " "), old, new
