"""Steps of environments for reinforcement learning, compared with OpenSpiel and RLCard where installed.

Every seat plays at random. In a step a seat gets its observation as a vector, with its legal actions, and acts.
OpenSpiel and RLCard are optional: `pip install open_spiel rlcard`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from random import Random
from time import process_time
from typing import Any

from beanbot.env import aec
from benchmarks.figures import Figure

TABLES = (("bohnanza", 4), ("bohnanza-two", 2), ("duel", 2), ("dice", 4), ("bean-thief-hard", 1))
SPIEL = ("gin_rummy", "leduc_poker", "hearts")
RLCARD = ("gin-rummy", "leduc-holdem", "uno")
STEPS = 4000
RUNS = 3


def measure() -> list[Figure]:
    """Return steps a second of CPU time; the environments take turns."""
    playing = {**_own(), **_if_installed("pyspiel", _spiel), **_if_installed("rlcard", _rlcard)}
    values: dict[str, list[float]] = {name: [] for name in playing}
    for run in range(RUNS):
        for name, play in playing.items():
            values[name].append(_rate(play, Random(run)))
    return [Figure(f"environments: {name}", "steps/s of CPU", tuple(rates)) for name, rates in values.items()]


def _rate(play: Callable[[Random], Iterator[None]], random: Random) -> float:
    """Return the steps a second of games that are played one after another."""
    steps = 0
    start = process_time()
    while steps < STEPS:
        for _ in play(random):
            steps += 1
    return steps / (process_time() - start)


def _own() -> dict[str, Callable[[Random], Iterator[None]]]:
    return {f"{ruleset} at {seats} seats": _own_game(aec(ruleset, seats)) for ruleset, seats in TABLES}


def _own_game(env: Any) -> Callable[[Random], Iterator[None]]:  # noqa: ANN401 - none of these libraries has types
    def play(random: Random) -> Iterator[None]:
        env.reset(seed=random.randrange(1 << 30))
        for _ in env.agent_iter():
            observed, _, over, _, _ = env.last()
            env.step(None if over else random.choice(observed["action_mask"].nonzero()[0].tolist()))
            if not over:
                yield

    return play


def _if_installed(
    module: str, games: Callable[[], dict[str, Callable[[Random], Iterator[None]]]]
) -> dict[str, Callable[[Random], Iterator[None]]]:
    try:
        importlib.import_module(module)
    except ImportError:
        print(f"environments: {module} is not installed, so it is left out", file=sys.stderr)
        return {}
    return games()


def _spiel() -> dict[str, Callable[[Random], Iterator[None]]]:
    made = importlib.import_module("open_spiel.python.rl_environment").Environment
    return {f"OpenSpiel's {name}": _spiel_game(made(name)) for name in SPIEL}


def _spiel_game(env: Any) -> Callable[[Random], Iterator[None]]:  # noqa: ANN401
    def play(random: Random) -> Iterator[None]:
        moment = env.reset()
        while not moment.last():
            seat = moment.observations["current_player"]
            moment = env.step([random.choice(moment.observations["legal_actions"][seat])])
            yield

    return play


def _rlcard() -> dict[str, Callable[[Random], Iterator[None]]]:
    make = importlib.import_module("rlcard").make
    return {f"RLCard's {name}": _rlcard_game(make(name)) for name in RLCARD}


def _rlcard_game(env: Any) -> Callable[[Random], Iterator[None]]:  # noqa: ANN401
    def play(random: Random) -> Iterator[None]:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            yield

    return play
