"""python tools/measure_deals.py [--game GAME] [--seats N] [--deals N] BOT BOT ...: how deals are best replayed.

Plays the bots against each other in this process, and prints for each two of them the variance of their difference in
dollars per match: with independent deals, with rotations of one common draw order, and with a draw order of its own for
each seat. The lower it is, the fewer matches a rating of the same certainty takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations, islice
from statistics import fmean, variance
from unittest.mock import patch

from beanbot.loading import load_bot
from beanbot.practice import deals
from beanbot.practice.match import MatchResult
from beanleague.games import chance

Deal = Sequence[MatchResult]


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bots", nargs="+", metavar="BOT")
    parser.add_argument("--game", default="bohnanza")
    parser.add_argument("--seats", type=int, default=3)
    parser.add_argument("--deals", type=int, default=200)
    asked = parser.parse_args()

    def played() -> list[Deal]:
        bots = [load_bot(bot) for bot in asked.bots]
        return list(islice(deals(bots, game=asked.game, seats=asked.seats), asked.deals))

    own = played()
    with _common_draw_order():
        common = played()
    names = sorted({entrant.name for entrant in own[0][0].entrants})
    print(f"{asked.game}, {asked.seats} seats, {asked.deals} deals: variance of the difference in dollars per match\n")
    print(f"{'':24}{'independent':>14}{'common order':>14}{'own orders':>14}")
    for one, other in combinations(names, 2):
        singles = [_lead(deal[number % len(deal)], one, other) for number, deal in enumerate(own)]
        figures = [variance(singles), *(_of_rotations(which, one, other) for which in (common, own))]
        print(f"{one + ' - ' + other:24}" + "".join(f"{figure:14.2f}" for figure in figures))


def _of_rotations(played: Sequence[Deal], one: str, other: str) -> float:
    """Return the variance of the mean lead of a deal, times its matches: per match, as if they were independent."""
    return variance([fmean(_lead(match, one, other) for match in deal) for deal in played]) * len(played[0])


def _lead(match: MatchResult, one: str, other: str) -> float:
    dollars = {entrant.name: score for entrant, score in zip(match.entrants, match.outcome.scores, strict=True)}
    return float(dollars[one] - dollars[other])


@contextmanager
def _common_draw_order() -> Iterator[None]:
    """Let all seats draw from one order, as from a pile of cards."""

    def order(seed: bytes, key: str, count: int) -> tuple[int, ...]:
        return chance.order(seed, key.rpartition("/")[0] + "/0", count)

    with patch("beanleague.games.cards.pile.order", order):
        yield


if __name__ == "__main__":
    main()
