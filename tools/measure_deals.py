"""python tools/measure_deals.py [--game GAME] [--deals N] BOT BOT ...: compare ways of replaying deals.

Plays the bots against each other in this process, and prints for each two of them the variance per match of their
difference in rating (Elo^2) and in dollars: when every match is a deal of its own, when deals are played in all
rotations of the seats with one draw order common to all seats, and in all rotations with a draw order of its own for
each seat. The lower it is, the fewer matches a rating of the same certainty takes. The standard errors are those of
resampled deals.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations, islice
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from beanbot._runtime.loading import load_bot
from beanbot.practice import deals
from beanleague.games.core import chance
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.fit import fit
from beanleague.league.ratings.scores import ELO
from beanleague.league.ratings.spread import spread

Numbers = NDArray[np.float64]
RESAMPLES = 200


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """Deals of bots 0 ... k - 1 at k seats. All arrays are (deals, matches, seats), that is (deals, k, k)."""

    seatings: NDArray[np.int64]
    """The bot in each seat."""
    places: NDArray[np.int64]
    scores: Numbers
    """Dollars."""

    def __getitem__(self, chosen: NDArray[np.int64]) -> Played:
        return Played(self.seatings[chosen], self.places[chosen], self.scores[chosen])

    def apart(self) -> Played:
        """The same matches, each a deal of its own."""
        matches = [array.reshape(-1, 1, array.shape[2]) for array in (self.seatings, self.places, self.scores)]
        return Played(*matches)


def main() -> None:
    """Measure the ways of replaying deals for each pair of bots."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="+", metavar="BOT", help="one for each seat")
    parser.add_argument("--game", default="bohnanza")
    parser.add_argument("--deals", type=int, default=200)
    arguments = parser.parse_args()
    names, own = _played(arguments.bots, arguments.game, arguments.deals)
    with _common_draw_order():
        _, common = _played(arguments.bots, arguments.game, arguments.deals)
    print(
        f"{arguments.game}, {len(names)} seats, {arguments.deals} deals of {len(names)} matches: variance per match\n"
    )
    print(f"{'':34}{'independent':>20}{'common order':>20}{'own orders':>20}")
    for what, measure in (("Elo", _of_ratings), ("dollars", _of_dollars)):
        figures = [
            _with_errors(own, lambda deals: measure(deals.apart())),  # noqa: B023  # called at once
            _with_errors(common, measure),
            _with_errors(own, measure),
        ]
        for one, other in combinations(range(len(names)), 2):
            cells = (f"{_short(values[one, other])} ± {_short(errors[one, other])}" for values, errors in figures)
            print(f"{what:8}{names[one] + ' - ' + names[other]:26}" + "".join(f"{cell:>20}" for cell in cells))


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _played(bots: list[str], game: str, number: int) -> tuple[list[str], Played]:
    """Play `number` deals; return the names of the bots, by number, and the results."""
    names: list[str] = []
    seatings, places, scores = [], [], []
    for deal in islice(deals([load_bot(bot) for bot in bots], game=game, seats=len(bots)), number):
        names = names or [entrant.name for entrant in deal[0].entrants]
        seatings.append([[names.index(entrant.name) for entrant in match.entrants] for match in deal])
        places.append([match.outcome.places for match in deal])
        scores.append([match.outcome.scores for match in deal])
    return names, Played(np.array(seatings), np.array(places), np.array(scores, np.float64))


def _with_errors(played: Played, measure: Callable[[Played], Numbers]) -> tuple[Numbers, Numbers]:
    """Return the figures with standard errors from deals drawn with replacement."""
    chance_of = np.random.default_rng(1)
    number = len(played.seatings)
    again = [measure(played[chance_of.integers(number, size=number)]) for _ in range(RESAMPLES)]
    return measure(played), np.std(again, axis=0, ddof=1)


def _of_ratings(played: Played) -> Numbers:
    """Return the variance per match of the difference of each two ratings: (bots, bots), Elo^2."""
    bots = played.seatings.shape[2]
    counters = Counters(bots)
    counters.add_deals(played.seatings, played.places)
    each = np.arange(bots)
    matches = played.seatings.shape[0] * played.seatings.shape[1]
    variance: Numbers = ELO**2 * spread(counters, fit(counters)).bots.between(each[:, None], each) * matches
    return variance


def _of_dollars(played: Played) -> Numbers:
    """Return the variance of the mean lead of each over each in a deal, times its matches: (bots, bots)."""
    by_bot = np.take_along_axis(played.scores, played.seatings.argsort(axis=2), axis=2).mean(axis=1)
    leads = by_bot[:, :, None] - by_bot[:, None, :]
    variance: Numbers = leads.var(axis=0, ddof=1) * played.seatings.shape[1]
    return variance


@contextmanager
def _common_draw_order() -> Iterator[None]:
    """Let all seats draw from one order, as from a pile of cards."""
    order_of = chance.order

    def order(seed: bytes, key: str, count: int) -> tuple[int, ...]:
        return order_of(seed, key.rpartition("/")[0] + "/0", count)

    with patch("beanleague.games.core.chance.order", order):
        yield


if __name__ == "__main__":
    main()
