"""The rules engine alone: random legal play, trades included, in this process."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter

from beanleague.games import new_game
from benchmarks.figures import Figure

SEATS = 4
RUNS = 5
GAMES = 6


def _play(game_number: int, clock: Callable[[], float]) -> tuple[int, float, float, float]:
    """Play one game; return decisions and the seconds in apply + to_act, in view, and in legal."""
    game = new_game("bohnanza", seats=SEATS, seed=b"benchmark %d" % game_number)
    generator = random.Random(game_number)
    decisions, applying, viewing, listing = 0, 0.0, 0.0, 0.0
    now_asked = game.to_act()
    while not game.over:
        for seat in now_asked:
            start = clock()
            view = game.view(seat)
            viewed = clock()
            legal = view.legal()
            listed = clock()
            action = generator.choice(legal)
            acting = clock()
            game.apply(seat, action)
            now_asked = game.to_act()
            end = clock()
            decisions += 1
            viewing += viewed - start
            listing += listed - viewed
            applying += end - acting
    return decisions, applying, viewing, listing


def _clock_overhead() -> float:
    """Return the seconds that reading the clock takes, to be subtracted from what was measured."""
    start = perf_counter()
    for _ in range(100_000):
        perf_counter()
    return (perf_counter() - start) / 100_000


def measure() -> list[Figure]:
    """Return microseconds for each part of a decision, and rates per second."""
    runs = []
    for run in range(RUNS):
        overhead = _clock_overhead()
        games = [_play(GAMES * run + number, perf_counter) for number in range(GAMES)]
        decisions = sum(game[0] for game in games)
        applying, viewing, listing = (
            (sum(game[part] for game in games) / decisions - overhead) * 1e6 for part in (1, 2, 3)
        )
        start = perf_counter()
        played = sum(_play(GAMES * run + number, _no_clock)[0] for number in range(GAMES))
        seconds = perf_counter() - start
        runs.append((applying, viewing, listing, played / seconds, GAMES / seconds))
    apply_us, view_us, legal_us, decisions_s, games_s = zip(*runs, strict=True)
    return [
        Figure("engine: apply + to_act", "us a decision", apply_us, "<= 5"),
        Figure("engine: view", "us", view_us, "<= 10"),
        Figure("engine: views", "a second", tuple(1e6 / us for us in view_us)),
        Figure("engine: legal", "us a decision", legal_us),
        Figure("engine: random play (view, legal, choice, apply)", "decisions a second", decisions_s),
        Figure("engine: random play, 4 seats, with trades", "games a second", games_s),
    ]


def _no_clock() -> float:
    return 0.0
