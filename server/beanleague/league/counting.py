"""Counting the stored matches of a league, and rating its bots by what was counted.

Only this part of the standings needs numpy: standings whose ratings are stored already do without.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from itertools import groupby, islice

import numpy as np

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.ratings import rate
from beanleague.league.schedule.formats import seatings
from beanleague.league.schedule.solo import ranking
from beanleague.model import League, SeatResult, Snapshot
from beanleague.store.store import Store

_CHUNK_DEALS = 1_000  # deals counted at once


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
