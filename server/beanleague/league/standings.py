"""The standings of a league: ratings, and the totals of the matches.

Ratings are derived from the stored matches; snapshots of them only save time. Everything else is counted up in the
store with each deal, so that standings cost the same after a million matches as after one.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

import numpy as np

from beanleague.games import ruleset
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.ratings import BASE, rate
from beanleague.league.schedule.formats import seatings
from beanleague.league.schedule.solo import ranking
from beanleague.model import WIN, Entrant, League, Rating, SeatResult, Snapshot, Totals
from beanleague.store.store import Store

_CHUNK_DEALS = 1_000  # deals counted at once


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the standings."""

    rank: int
    """1 is best, equal ratings share it; 0 before the first match."""
    entrant: Entrant
    """The bot and its version."""
    rating: float
    """On the Elo scale; see `Rating`."""
    interval: float | None
    """Half the width of the rating's 95 % interval; None if it has none, as before the first match."""
    deals: int
    """Deals it played in."""
    matches: int
    """Matches it played."""
    mean_score: float
    """Mean dollars per match."""
    wins: float
    """Matches won; a first place shared by n counts 1 / n."""
    faults: int
    """Number of all its faults."""
    fault_share: float
    """Share of its matches with a fault of its own, 0 to 1."""
    forfeits: int
    """Matches it forfeited."""
    provisional: bool
    """Whether the rating is not reliable yet; see `Rating`."""
    best_rank: int
    """See `Rating`."""
    worst_rank: int
    """See `Rating`."""
    least: float | None = None
    """See `Rating`."""
    most: float | None = None
    """See `Rating`."""
    anchor: bool = False
    """See `Rating`."""
    suspended: str = ""
    """Why it is no longer seated, "" if it is not suspended."""


def standings(store: Store, league: League, *, running: bool) -> tuple[Standing, ...]:
    """Return the standings of a league, best first.

    `running`: a run stores new ratings about every second, so the stored ones are used. Otherwise they are computed
    again if matches were played since.
    """
    ratings = snapshot(store, store.leagues.get(league.name), running=running).ratings
    return combined(store, league, ratings)


def snapshot(store: Store, league: League, *, running: bool) -> Snapshot:
    """Return the newest ratings of a league; `running` as in `standings`."""
    latest = store.ratings.latest(league.id)
    if latest and (running or (latest.deals == league.deals_done and len(latest.ratings) == league.entrants)):
        return latest
    return keep(store, league, count(store, league))


def count(store: Store, league: League) -> Counters:
    """Return the results of all stored deals, counted from a row a deal."""
    if league.solo:
        return recount(store, league)
    counters = Counters(league.entrants)
    seat_of = np.array(seatings(league, range(league.seats)))
    for deals in store.matches.compact(league.id):
        places = np.frombuffer(b"".join(deals.places), np.uint8)
        counters.add_deals(np.array(deals.tables)[:, seat_of], places.reshape(-1, *seat_of.shape))
    return counters


def recount(store: Store, league: League) -> Counters:
    """Return the results of all stored deals, counted from the seats of every match."""
    counters = Counters(league.entrants)
    deals = store.matches.by_deal(league.id)
    while chunk := list(islice(deals, _CHUNK_DEALS)):
        add_results(counters, league, chunk)
    return counters


def add_results(counters: Counters, league: League, deals: Sequence[Sequence[Sequence[SeatResult]]]) -> None:
    """Count deals, each given as the seats of its matches."""
    if league.solo:
        for _, alike in groupby(map(ranking, deals), lambda ranked: len(ranked[0])):  # by how many played
            players, places = zip(*alike, strict=True)
            counters.add_solo_deals(players, places)
    elif deals:
        counters.add_deals(
            [[[seat.entrant for seat in match] for match in deal] for deal in deals],
            [[[seat.place for seat in match] for match in deal] for deal in deals],
        )


def rated(counters: Counters, anchor: Collection[int] = ()) -> Snapshot:
    """Return the ratings that follow from `counters`."""
    ratings = rate(counters, anchor)
    return Snapshot(
        deals=counters.deals,
        ratings=ratings.bots,
        created=time.time(),
        better=tuple(ratings.better.ravel().tolist()),
        seats=ratings.seats,
        luck=ratings.luck,
    )


def keep(store: Store, league: League, counters: Counters) -> Snapshot:
    """Rate a league by its counters, and store the ratings."""
    snapshot = rated(counters, league.anchor)
    store.ratings.keep(league.id, snapshot)
    return snapshot


def combined(store: Store, league: League, ratings: Iterable[Rating]) -> tuple[Standing, ...]:
    """Return the standings of a league by these ratings, best first; bots that have not played come last."""
    return ranked(
        store.leagues.entrants(league.id), store.leagues.totals(league.id), ratings, ruleset(league.ruleset).dollar
    )


def ranked(
    entrants: Sequence[Entrant], totals: Sequence[Totals], ratings: Iterable[Rating], dollar: int = 1
) -> tuple[Standing, ...]:
    """Return the standings, best first; those that have not played come last. `dollar`: see `Ruleset`."""
    rating_of = {rating.entrant: rating for rating in ratings}
    found = [_standing(entrant, totals[entrant.number], rating_of.get(entrant.number), dollar) for entrant in entrants]
    found.sort(key=lambda standing: (not standing.matches, -standing.rating, standing.entrant.number))
    return tuple(_ranked(found))


def _standing(entrant: Entrant, totals: Totals, rating: Rating | None, dollar: int) -> Standing:
    matches = totals.matches
    if rating is None or not matches:
        rating = Rating(entrant.number, BASE, None, 0, 0, provisional=True)
    return Standing(
        rank=0,
        entrant=entrant,
        rating=rating.rating,
        interval=rating.interval,
        deals=totals.deals,
        matches=matches,
        mean_score=totals.score / dollar / matches if matches else 0.0,
        wins=totals.wins / WIN,
        faults=totals.faults,
        fault_share=totals.faulted / matches if matches else 0.0,
        forfeits=totals.forfeits,
        provisional=rating.provisional,
        best_rank=rating.best_rank,
        worst_rank=rating.worst_rank,
        least=rating.least,
        most=rating.most,
        anchor=rating.anchor,
        suspended=entrant.suspended,
    )


def _ranked(found: Sequence[Standing]) -> Iterable[Standing]:
    """Give each its rank."""
    rank, above = 0, None
    for number, standing in enumerate(found, 1):
        if not standing.matches:
            yield standing
            continue
        if standing.rating != above:
            rank, above = number, standing.rating
        yield replace(standing, rank=rank)
