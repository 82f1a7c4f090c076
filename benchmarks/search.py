"""Search: games that could be the one a view shows, copies of them, and play-outs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from time import process_time

from beanbot.search import Memory, Policy, by_default, determinise, farmer, play_out
from beanleague.games import Action, Game, View, new_game
from benchmarks.figures import Figure

TABLES = (("bohnanza", 4), ("bohnanza-extended", 5), ("bohnanza-two", 2), ("duel", 2), ("dice", 4))
RUNS = 3
MOMENTS = 60
"""Looked at in a game that is played at random, trades included."""
TIMES = 5
"""At each moment."""
SEATS = 4
GAMES = 5
PLAY_OUTS = 100
OTHERS = (
    ("bohnanza-two", 2),
    ("duel", 2),
    ("dice", 4),
    ("dice-2012", 4),
    ("bean-thief-normal", 1),
    ("bean-thief-hard", 1),
)
"""Games in which play-outs by default are measured, too."""


def _moments(ruleset: str, seats: int, run: int) -> list[tuple[View, Memory]]:
    """Return views of one game, each with its seat's memory at that moment; the seat sees no more views."""
    return [_moment(ruleset, seats, run * MOMENTS + number) for number in range(MOMENTS)]


def _moment(ruleset: str, seats: int, number: int) -> tuple[View, Memory]:
    """Play a game until some moment of it."""
    game, random = new_game(ruleset, seats=seats, seed=b"search %d" % number), Random(number)
    memories = [Memory() for _ in range(seats)]
    while True:
        seat = game.to_act()[0]
        view = game.view(seat)
        memories[seat].see(view)
        if random.random() < 1 / 150:
            return view, memories[seat]
        game.apply(seat, random.choice(view.legal()))
        if game.over:
            return view, memories[seat]


def _us(do: Callable[[], object], times: int = TIMES) -> float:
    """Return the CPU time that `do` takes, in microseconds."""
    start = process_time()
    for _ in range(times):
        do()
    return (process_time() - start) / times * 1e6


def measure() -> list[Figure]:
    """Return microseconds of CPU for a determinised game and for a copy of it, and numbers of play-outs."""
    return [*(figure for ruleset, seats in TABLES for figure in _measure(ruleset, seats)), *_measure_play_outs()]


def _measure(ruleset: str, seats: int) -> list[Figure]:
    determinising, copying = [], []
    for run in range(RUNS):
        moments, random = _moments(ruleset, seats, run), Random(run)
        games: list[Game] = [determinise(view, memory, random) for view, memory in moments]
        times = [_us(partial(determinise, view, memory, random)) for view, memory in moments]
        determinising.append(sum(times) / MOMENTS)
        copying.append(sum(_us(game.copy) for game in games) / MOMENTS)
    table = f"search: {ruleset} at {seats} seats"
    return [
        Figure(f"{table}, determinise", "us of CPU", tuple(determinising), "<= 150"),
        Figure(f"{table}, copy", "us of CPU", tuple(copying), "<= 50"),
    ]


def _measure_play_outs() -> list[Figure]:
    """Return how many play-outs 100 ms of CPU are enough for, from the middle of games that farmers play."""
    random = Random(1)
    games = [_middle(number) for number in range(GAMES)]
    policies = {"farmers": [farmer] * SEATS, "the default": [by_default] * SEATS}
    figures = [
        Figure(
            f"search: bohnanza at {SEATS} seats, play-outs by {name} from the middle",
            "in 100 ms of CPU",
            tuple(1e5 / _us(partial(play_out, game, players, random), PLAY_OUTS) for game in games),
            ">= 200",
        )
        for name, players in policies.items()
    ]
    slow = tuple(1e5 / _us(partial(play_out, game, [_on_views] * SEATS, random), PLAY_OUTS // 5) for game in games)
    engine = Figure("search: the same on the engine, by farmers", "in 100 ms of CPU", slow)
    return [*figures, engine, *(_measure_default(ruleset, seats, random) for ruleset, seats in OTHERS)]


def _measure_default(ruleset: str, seats: int, random: Random) -> Figure:
    """Return how many play-outs by default from the middle of such games fit into 100 ms of CPU."""
    games = [_middle(number, ruleset, seats, by_default) for number in range(GAMES)]
    return Figure(
        f"search: {ruleset} at {seats} seats, play-outs by the default from the middle",
        "in 100 ms of CPU",
        tuple(1e5 / _us(partial(play_out, game, [by_default] * seats, random), PLAY_OUTS // 5) for game in games),
    )


def _on_views(view: View) -> Action:
    return farmer(view)


def _middle(number: int, ruleset: str = "bohnanza", seats: int = SEATS, policy: Policy = farmer) -> Game:
    """Return a game that is played by `policy`, after half of its moves."""
    seed = b"middle %d" % number
    game, moves = new_game(ruleset, seats=seats, seed=seed), []
    while not game.over:
        seat = game.to_act()[0]
        moves.append((seat, policy(game.view(seat))))
        game.apply(*moves[-1])
    game = new_game(ruleset, seats=seats, seed=seed)
    for move in moves[: len(moves) // 2]:
        game.apply(*move)
    return game
