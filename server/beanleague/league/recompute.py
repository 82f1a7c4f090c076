"""Computing a league again from its stored matches alone, and comparing the result with what a run stored."""

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

_NO_TOTALS = Totals(0, 0, 0, 0, 0, 0, 0, 0)
_ROUNDING = 1e-6
"""Largest difference allowed for the luck, which is stored unrounded: its last digits may depend on the machine."""

Kept = TypeVar("Kept", Totals, Rating)


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The result of computing a league again."""

    deals: int
    """Deals counted."""
    matches: int
    """Matches counted."""
    ratings: int
    """Ratings compared."""
    problems: tuple[str, ...]
    """The differences, each in a sentence; empty if everything is reproduced exactly."""


def recompute(store: Store, name: str) -> Recomputed:
    """Compute the totals, results and ratings of a league again.

    Raises:
        MissingError: if there is no such league.
        RequestError: if it is being run, or is a comparison, which has no ratings.
    """
    league = store.leagues.get(name)
    if league.format == COMPARISON:
        raise RequestError(f"{name} is a comparison: it has no ratings; 'compare' counts its deals again each time")
    if league.id in store.runs.running():
        raise RequestError(f"{name} is being run; wait for it, or stop it first")
    latest = store.ratings.latest(league.id)
    kept = snapshot(store, league, running=False)
    counters = recount(store, league)
    again = rated(counters, league.anchor)
    matches = store.matches.count(league.id)
    problems = [*_of_totals(store, league), *_of_counters(store, league, counters, again)]
    if counters.deals != league.deals_done:
        problems.append(f"{league.deals_done} deals are stored as played, but there are matches of {counters.deals}")
    if matches != league.matches_done:
        problems.append(f"{league.matches_done} matches are stored as played, but there are {matches}")
    labels = [entrant.label for entrant in store.leagues.entrants(league.id)]
    if latest and latest.deals == counters.deals:
        there = {rating.entrant for rating in latest.ratings}
        missing = (labels[bot] for bot in counters.deals_of.nonzero()[0] if bot not in there)
        problems += (f"no rating of {bot} is stored" for bot in missing)
    problems += _of_ratings(kept, again, labels)
    return Recomputed(counters.deals, matches, len(kept.ratings), tuple(problems))


def _of_totals(store: Store, league: League) -> Iterator[str]:
    """Yield how the stored totals differ from those of the matches."""
    again = store.matches.totals(league.id)
    for entrant, kept in zip(store.leagues.entrants(league.id), store.leagues.totals(league.id), strict=True):
        for name, old, new in _differences(kept, again.get(entrant.number, _NO_TOTALS)):
            yield f"the stored totals of {entrant.label} differ from its matches: {name} is {old}, and should be {new}"


def _of_counters(store: Store, league: League, counters: Counters, again: Snapshot) -> Iterator[str]:
    """Yield a sentence if the results stored with the deals differ from those of the matches."""
    if league.solo or not counters.deals:
        return
    kept = count(store, league)
    if not np.array_equal(kept.half_wins(), counters.half_wins()) or rated(kept).better != again.better:
        yield "the results stored with the deals differ from those of the matches"


def _of_ratings(kept: Snapshot, again: Snapshot, labels: Sequence[str]) -> Iterator[str]:
    """Yield how the stored ratings differ from those that the matches give. `labels`: of the entrants."""
    for old, new in zip(kept.ratings, again.ratings, strict=False):
        for name, before, now in _differences(old, new):
            yield f"the stored {name} of {labels[new.entrant]} is {before!r}, but its matches give {now!r}"
    if len(kept.ratings) != len(labels):
        yield f"{len(kept.ratings)} ratings are stored for {len(labels)} entrants"
    if kept.better != again.better:
        yield "the stored probabilities that a bot is stronger than another differ from those of the matches"
    if kept.seats != again.seats:
        yield "the stored seat effects differ from those of the matches"
    if kept.luck != again.luck and (kept.luck is None or again.luck is None or abs(kept.luck - again.luck) > _ROUNDING):
        yield f"the stored luck is {kept.luck!r}, but the matches give {again.luck!r}"


def _differences(kept: Kept, again: Kept) -> Iterator[tuple[str, object, object]]:
    """Yield the fields that differ: the name of each, and both its values."""
    for field in fields(kept):
        old, new = getattr(kept, field.name), getattr(again, field.name)
        if old != new:
            yield field.name.replace("_", " "), old, new
