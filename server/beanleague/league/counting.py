"""Counting of a league's stored matches: ratings, the matrix, and thinking times.

Imports numpy, which standings with stored ratings do not need.
"""

import time
from collections.abc import Collection, Sequence
from itertools import groupby, islice
from math import floor

import numpy as np

from beanleague.league.errors import RequestError
from beanleague.league.ladder.checkpoints import LadderCounts, newest_counts
from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ladder.inputs import add_plans, is_drawn
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.ratings import rate
from beanleague.league.ratings.weighted import Weighted
from beanleague.league.schedule.owners import groups_of
from beanleague.league.schedule.tables import ranking, seatings
from beanleague.model import Entrant, League, SeatResult, Snapshot, ThinkingTime, members
from beanleague.store import Store
from beanleague.wire import WireError, times_from_bytes, unpacked

UNKNOWN = -1.0
"""Placeholder shown for an unknown figure."""
MAX_MATCHES = 50
"""Number of an entrant's latest matches from which decision times are read: some thousand decisions, in a tenth of a
second."""
_SLOW = 0.05  # share of decisions that take longer than `ThinkingTime.slow_ms`

_CHUNK_DEALS = 1_000  # deals read per batch


def count(store: Store, league: League) -> Counters:
    """Return counters of all stored deals, read from one row per deal; on a ladder with weights in today's field.

    On a ladder without drawn companions all deals have the same weight.
    """
    if league.traits.endless and is_drawn(store, league):
        return weigh_deals(_drawn_counts(store, league).deals, store.leagues.entrants(league.id))
    if league.solo:
        return recount(store, league)
    counters = Counters(league.entrants)
    count_since(store, league, counters)
    return counters


def weigh_deals(deals: LadderDeals, entrants: Sequence[Entrant]) -> Weighted:
    """Return the deals of a ladder with their weights in the field of these entrants."""
    deals.grow(len(entrants))
    return deals.weighted(members(entrants), groups_of([entrant.owner for entrant in entrants]))


def ladder_counts(store: Store, league: League) -> LadderCounts:
    """Return the counts for a ladder's ratings and plans, from its latest checkpoint on.

    Raises:
        DamagedError: if the checkpoint was changed.
        RequestError: if the tables of the ladder were not drawn, as in early versions.
    """
    if not is_drawn(store, league):
        raise RequestError(
            f"the tables of {league.name} were chosen by an earlier version, with unknown probabilities; create "
            f"another ladder ('beanleague serve' does so by itself), and close this one: ladder close {league.name}"
        )
    return _drawn_counts(store, league)


def _drawn_counts(store: Store, league: League) -> LadderCounts:
    """Return the counts of a ladder with drawn tables, from its latest checkpoint on."""
    found = newest_counts(store, league)
    after = found.meetings.tables
    last = _add_plans(store, league, found, after)
    found.deals.grow(league.entrants)
    for deals in store.matches.compact(league.id, after=after):
        for number, places in zip(deals.numbers, deals.places, strict=True):
            if number <= last:
                found.deals.add(number, places)
    return found


def _add_plans(store: Store, league: League, found: LadderCounts, after: int) -> int:
    """Add the tables of epochs with deals numbered above `after`; return the last deal's number."""
    # Epochs are read before the deals, so that later epochs are left out.
    epochs = store.ladders.epochs(league.id, after_deal=after, limit=None)
    last = epochs[-1].first + epochs[-1].count - 1 if epochs else after
    dropped = store.deals.drop_times(league.id, after=after)
    tables = store.deals.tables(league.id, after=after)[: last - after]
    groups = groups_of([entrant.owner for entrant in store.leagues.entrants(league.id)])
    for table in tables:
        found.meetings.add(table, groups[table[0]])
    add_plans(found.deals, epochs, tables, after, groups)
    for number in dropped:
        if number <= last:
            found.meetings.drop(tables[number - after - 1])
            found.deals.drop(number)
    return last


def count_since(store: Store, league: League, counters: Counters, after: int = 0) -> None:
    """Add the results of the deals with numbers above `after`, from one row per deal."""
    seat_of = np.array(seatings(league, range(league.seats)))
    for deals in store.matches.compact(league.id, after=after):
        places = np.frombuffer(b"".join(deals.places), np.uint8)
        tables = np.array(deals.tables)
        _admit(store, league, counters, tables.max(initial=0))
        counters.add_deals(tables[:, seat_of], places.reshape(-1, *seat_of.shape))


def _admit(store: Store, league: League, counters: Counters, entrant: int) -> None:
    """Grow the counters for an entrant that joined after `league` was read; counters refuse unknown entrants."""
    if entrant >= counters.bots:
        counters.grow(store.leagues.get(league.name).entrants)


def recount(store: Store, league: League) -> Counters:
    """Return counters of all stored deals, recounted from the seats of every match."""
    counters = Counters(league.entrants)
    deals = store.matches.by_deal(league.id)
    while chunk := list(islice(deals, _CHUNK_DEALS)):
        _admit(store, league, counters, max(seat.entrant for deal in chunk for match in deal for seat in match))
        add_results(counters, league, chunk)
    return counters


def add_results(counters: Counters, league: League, deals: Sequence[Sequence[Sequence[SeatResult]]]) -> None:
    """Add deals, each given as the seats of its matches."""
    if league.solo:
        for _, alike in groupby(map(ranking, deals), lambda ranked: len(ranked[0])):  # grouped by number of players
            players, places = zip(*alike, strict=True)
            counters.add_solo_deals(players, places)
    elif deals:
        counters.add_deals(
            [[[seat.entrant for seat in match] for match in deal] for deal in deals],
            [[[seat.place for seat in match] for match in deal] for deal in deals],
        )


def compute_snapshot(counters: Counters, anchor: Collection[int] = ()) -> Snapshot:
    """Compute the ratings from `counters`."""
    ratings = rate(counters, anchor)
    return Snapshot(counters.played, ratings.bots, time.time(), seats=ratings.seats, luck=ratings.luck)


def keep(store: Store, league: League, counters: Counters) -> Snapshot:
    """Rate a league by its counters, and store the ratings."""
    snapshot = compute_snapshot(counters, league.anchor)
    store.ratings.keep(league.id, snapshot)
    return snapshot


class Compared:
    """Pairwise comparison of a league's entrants, computed in parts: the whole matrix may be too large."""

    def __init__(self, store: Store, league: League) -> None:
        counters = count(store, league)
        self._pairs = counters.pairs()
        self._ratings = rate(counters)
        self._known = counters.rated & (counters.deals > 0)

    def matrix(self, rows: Sequence[int], columns: Sequence[int]) -> tuple[list[list[float]], list[list[float]]]:
        """Return a part of the matrix, by entrant numbers; UNKNOWN for an entrant with itself or without data.

        The first result is the probability that the row's entrant is stronger than the column's, the second the share
        of their pairs that it won, with ties as half; both 0 to 1. On a ladder, entries outside the field count as
        entries without data.
        """
        one, other = np.array(rows, np.int64)[:, None], np.array(columns, np.int64)[None, :]
        unknown = (one == other) | ~(self._known[one] & self._known[other])
        better = np.where(unknown, UNKNOWN, self._ratings.better(one, other))
        return better.tolist(), np.nan_to_num(self._pairs.shares(one, other), nan=UNKNOWN).tolist()


def thinking_time(store: Store, league_id: int, entrant: int) -> ThinkingTime | None:
    """Return the thinking time of an entrant in its latest matches; None if no record has times.

    A record has the time of each move. A decision of less than half a millisecond looks like a move for which the bot
    was not asked; so the number of decisions is taken from the results, and decisions without a time count as 0 ms.
    """
    matches = decisions = 0
    times: list[int] = []
    for seat, asked, record in store.matches.newest_records(league_id, entrant, MAX_MATCHES):
        try:
            moves = times_from_bytes(unpacked(record))
        except WireError:
            continue  # verification of the league reports the damage
        if moves and asked:
            matches += 1
            decisions += asked
            times += (ms for who, ms in moves if who == seat and ms)
    if not decisions:
        return None
    times.sort(reverse=True)
    slower = floor(_SLOW * decisions)
    slow_ms, most_ms = times[slower] if slower < len(times) else 0, max(times, default=0)
    return ThinkingTime(matches, decisions, mean_ms=sum(times) / decisions, slow_ms=slow_ms, most_ms=most_ms)
