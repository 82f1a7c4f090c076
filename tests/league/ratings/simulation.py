"""Leagues of bots whose strengths are known, played by a random generator instead of a referee."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.scores import ELO
from beanleague.league.schedule.schedule import rotations
from beanleague.model import Rating
from tests.league.schedule.helpers import tables

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_tables = cache(tables)


def play(
    rng: np.random.Generator, seatings: Ints, strengths: Floats, luck: float, seat_elo: Sequence[float] = ()
) -> Ints:
    """Places, (deals, matches, seats), of deals with these seatings.

    A bot is placed by its strength (Elo) plus a Gumbel variate, so that of any two bots the one that is d Elo stronger
    wins with the probability the Elo scale says. `luck` is the correlation of the variates (made normal for that) that
    a seat gets in the matches of one deal; all others are independent.
    """
    from scipy.special import ndtr  # slow, and every process reads this file

    deals, _, seats = seatings.shape
    shared, own = rng.standard_normal((deals, 1, seats)), rng.standard_normal(seatings.shape)
    variate = -np.log(-np.log(ndtr(np.sqrt(luck) * shared + np.sqrt(1 - luck) * own)))
    performance = (strengths[seatings] + np.array(seat_elo or [0.0] * seats)) / ELO + variate
    order: Ints = (-performance).argsort(axis=2)
    return order.argsort(axis=2) + 1


def rotated(chosen: Sequence[Sequence[int]]) -> Ints:
    """The seatings, (deals, k, k), of a deal with all rotations at each of the tables."""
    return np.array([rotations(table) for table in chosen])


def add_deal(counters: Counters, matches: Sequence[tuple[Sequence[int], Sequence[int]]]) -> None:
    """Count a deal, given as (bots per seat, places per seat) for each of its matches."""
    counters.add_deals([[bots for bots, _ in matches]], [[places for _, places in matches]])


def league(
    rng: np.random.Generator,
    strengths: Floats,
    matches: int,
    *,
    seats: int = 4,
    luck: float = 0.6,
    seat_elo: Sequence[float] = (),
) -> Counters:
    """A league of so many matches at balanced tables, with rotations."""
    bots = len(strengths)
    order = rng.permutation(bots)
    seatings = order[rotated(_tables(bots, seats, matches // seats))]
    counters = Counters(bots)
    counters.add_deals(seatings, play(rng, seatings, strengths, luck, seat_elo))
    return counters


def half_width(rating: Rating) -> float:
    """Half the width of the interval of a rating that has one."""
    assert rating.interval is not None
    return rating.interval


def half_wins_by_seats(counters: Counters, size: int) -> np.ndarray:
    """Half-wins at tables of `size` as a full table: [s, r, i, j] are those of bot i in seat s over bot j in seat r."""
    met = counters.encounters(size)
    table = np.zeros((size, size, counters.bots, counters.bots), np.int64)
    table[met.seat, met.other_seat, met.one, met.other] = met.wins
    table[met.other_seat, met.seat, met.other, met.one] = 2 * met.met - met.wins
    return table
