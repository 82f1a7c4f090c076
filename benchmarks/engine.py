"""The rules engine in this process: random legal play, trades included; views as messages; copies; practice."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from time import perf_counter

from beanbot.bohnanza import BohnanzaBot
from beanbot.practice import play
from beanleague import wire
from beanleague.games import Game, View, new_game
from beanleague.games.bohnanza import BohnanzaView
from beanproto.v1 import referee_pb2 as pb
from benchmarks.figures import Figure

SEATS = 4
RUNS = 5
GAMES = 6
COPIES = 1_000
VIEWS = 2_000
"""Sent in a run."""
_ALL = attrgetter(*(field.name for field in fields(BohnanzaView) if field.name != "news"))


class _Trivial(BohnanzaBot):
    news = False


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


def _late_game() -> Game:
    """Return a game in its last turns."""
    game = new_game("bohnanza", seats=SEATS, seed=b"benchmark")
    generator = random.Random(1)
    before = game.copy()
    while not game.over:
        if game.moment % 100 == 0:
            before = game.copy()
        for seat in game.to_act():
            game.apply(seat, generator.choice(game.legal(seat)))
    assert before.events  # from now on it has them in one list, as a game that is played has
    return before


def _copy_us(game: Game) -> float:
    start = perf_counter()
    for _ in range(COPIES):
        game.copy()
    return (perf_counter() - start) / COPIES * 1e6


def _practice_us() -> float:
    """Return the CPU time of a decision in practice, with all that is done for a match."""
    start = time.process_time()
    result = play([_Trivial], deals=5, seats=SEATS)
    return (time.process_time() - start) / sum(row.decisions for row in result.rows) * 1e6


def _clock_overhead() -> float:
    """Return the seconds that reading the clock takes, to be subtracted from measurements."""
    start = perf_counter()
    for _ in range(100_000):
        perf_counter()
    return (perf_counter() - start) / 100_000


def measure() -> list[Figure]:
    """Return microseconds for each part of a decision, and rates per second."""
    runs = []
    late = _late_game()
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
        costs = (applying, viewing, listing, _copy_us(late), _practice_us())
        runs.append((*costs, played / seconds, GAMES / seconds))
    apply_us, view_us, legal_us, copy_us, practice_us, decisions_s, games_s = zip(*runs, strict=True)
    return [
        Figure("engine: apply + to_act", "us a decision", apply_us, "<= 5"),
        Figure("engine: view", "us", view_us, "<= 10"),
        Figure("engine: views", "a second", tuple(1e6 / us for us in view_us)),
        Figure("engine: legal", "us a decision", legal_us),
        Figure(f"engine: copy after {len(late.events):,} events", "us", copy_us, "<= 15"),
        Figure("engine: practice between trivial bots", "us of CPU a decision", practice_us, "<= 25"),
        Figure("engine: random play (view, legal, choice, apply)", "decisions a second", decisions_s),
        Figure("engine: random play, 4 seats, with trades", "games a second", games_s),
        *_measure_wire(),
    ]


def _measure_wire() -> list[Figure]:
    """Return microseconds for writing a view into a message, and for reading it from one, without news."""
    looks: dict[str, Callable[[View], object]] = {
        "looking at nothing but the decision": lambda view: view.decision,
        "default()": lambda view: view.default(),
        "looking at all fields": _ALL,
    }
    writing, reading = [], {name: [] for name in looks}  # type: tuple[list[float], dict[str, list[float]]]
    for run in range(RUNS):
        views = _views(run)
        requests = [pb.Request() for _ in views]
        start = perf_counter()
        for view, request in zip(views, requests, strict=True):
            wire.view_to_pb(view, request)
        writing.append((perf_counter() - start) / len(views) * 1e6)
        data = [request.SerializeToString() for request in requests]
        for name, look in looks.items():
            arrived = [pb.Request.FromString(each) for each in data]
            start = perf_counter()
            for view, request in zip(views, arrived, strict=True):
                look(wire.view_from_pb(request, view.rules, view.seat))
            reading[name].append((perf_counter() - start) / len(views) * 1e6)
    return [
        Figure("wire: view to message", "us", tuple(writing)),
        *(Figure(f"wire: message to view, {name}", "us", tuple(times)) for name, times in reading.items()),
    ]


def _views(run: int) -> list[View]:
    """Return views of several games, as seats are asked."""
    views: list[View] = []
    generator = random.Random(run)
    while len(views) < VIEWS:
        game = new_game("bohnanza", seats=SEATS, seed=b"wire %d %d" % (run, len(views)))
        while not game.over and len(views) < VIEWS:
            seat = game.to_act()[0]
            view = game.view(seat)
            if len(game.events) % 3 == 0:
                views.append(view)
            game.apply(seat, generator.choice(view.legal()))
    return views


def _no_clock() -> float:
    return 0.0
