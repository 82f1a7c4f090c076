"""Every ruleset at every table size: random legal play in this process."""

from __future__ import annotations

import random
from statistics import fmean
from time import perf_counter

from beanleague.games import Ruleset, new_game, rulesets
from beanleague.games.families import points_per_dollar
from benchmarks.figures import Figure
from tests.games.helpers import play

GAMES = 12
RUNS = 3


def measure() -> list[Figure]:
    """Return, for each ruleset and table, games a second in each run, and of all games decisions and dollars a seat."""
    figures: list[Figure] = []
    for ruleset in rulesets():
        for seats in range(ruleset.least_seats, ruleset.most_seats + 1):
            figures += _measure(ruleset, seats)
    return figures


def _measure(ruleset: Ruleset, seats: int) -> list[Figure]:
    per_second: list[float] = []
    played: list[tuple[int, float]] = []
    for run in range(RUNS):
        start = perf_counter()
        played += [_play(ruleset, seats, GAMES * run + number) for number in range(GAMES)]
        per_second.append(GAMES / (perf_counter() - start))
    decisions, dollars = map(fmean, zip(*played, strict=True))
    name = f"{ruleset.id}, {seats} seat{'s' if seats > 1 else ''}"
    return [
        Figure(f"{name}: random play", "games a second", tuple(per_second)),
        Figure(f"{name}: decisions", "a game", (decisions,)),
        Figure(f"{name}: dollars", "a seat", (dollars,)),
    ]


def _play(ruleset: Ruleset, seats: int, number: int) -> tuple[int, float]:
    """Play game `number`; return its decisions and the mean dollars of a seat."""
    game = new_game(ruleset.id, seats=seats, seed=b"benchmark %d" % number)
    generator = random.Random(number)
    moves = play(game, lambda view: generator.choice(view.legal()))
    assert game.outcome is not None
    return len(moves), sum(game.outcome.scores) / seats / points_per_dollar(ruleset.id)
