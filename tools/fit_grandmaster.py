"""Fit the network of the house bot grandmaster to its own games, and write its weights.

    python tools/fit_grandmaster.py --out bots/grandmaster/weights.npz

In the first round three traders and a merchant play, in each later one three of the grandmasters fitted so far and a
trader. At the end of each turn every seat gives an example: what it sees, and the dollars that it earns from then on.
These depend on much that happens later, so the network is fitted several times, each time to the dollars of the next
few turns plus the previous network's prediction for the rest. The same arguments give the same weights on the same
machine, whatever --workers is.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import islice, pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beanbot import load_bot
from beanbot.bohnanza import BohnanzaView, Harvested, Kind
from beanbot.policies.worth import fields_of, turns_left
from beanbot.practice import deals
from beanleague.games import Record, new_game
from beanleague.games.core import TurnStarted

Matrix = NDArray[np.float32]

BOTS = Path(__file__).parents[1] / "bots"
GAME, SEATS = "bohnanza", 4
HIDDEN = (96, 32)
"""Units of the layers between."""
NEXT_TURNS = 3
"""Turns whose dollars are an example's own; the network predicts the rest."""
BATCH = 512
"""Examples of each step of the fit."""
DEALS_AT_ONCE = 25
"""Played by one process before the next begins; decides nothing but the order of examples."""


@dataclass(frozen=True, slots=True)
class Examples:
    """Observations of seats at the ends of turns: four rows per turn, in order of turns."""

    inputs: Matrix
    """The inputs of the network."""
    dollars: Matrix
    """Dollars earned by the seat from then on."""
    game: NDArray[np.int32]
    """The number of the game."""


def play(bundles: Sequence[Path], seed: int, number: int) -> Examples:
    """Return the examples of some deals between these bots."""
    bots = [load_bot(bundle) for bundle in bundles]
    records: list[Record] = []
    for _ in islice(deals(bots, game=GAME, seats=SEATS, seed=seed, keep=records.append), number):
        pass
    grandmaster = load_bot(BOTS / "grandmaster")
    assert grandmaster.home
    with grandmaster.home.entered():
        found = [list(examples(record)) for record in records]
    rows = [example for game in found for example in game]
    return Examples(
        np.array([inputs for inputs, _ in rows], np.float32),
        np.array([dollars for _, dollars in rows], np.float32),
        np.repeat(np.arange(len(found), dtype=np.int32), [len(game) for game in found]),
    )


def examples(record: Record) -> Iterator[tuple[Matrix, float]]:
    """Yield the observation of each seat at the end of each turn, and the dollars it earns from then on."""
    game = new_game(record.ruleset, seats=record.seats, seed=record.seed, options=record.options)
    coins: Counter[Kind] = Counter()
    read = len(game.events)
    for move in record.moves:
        game.apply(move.seat, move.action)
        news, read = game.events[read:], len(game.events)
        for event in news:
            if isinstance(event, Harvested):
                coins[event.kind] += event.dollars
        if game.over or not any(isinstance(event, TurnStarted) for event in news):
            continue
        for seat in range(SEATS):
            view = game.view(seat, news=False)
            assert isinstance(view, BohnanzaView)
            yield inputs(view, coins), record.scores[seat] - view.dollars[seat]


def inputs(view: BohnanzaView, coins: Counter[Kind]) -> Matrix:
    """Return the inputs of the network at the end of the turn before, when its player had not drawn yet."""
    network = import_module("network")
    active, draws = (view.active - 1) % SEATS, view.rules.draws
    sizes = tuple(size - draws * (seat == active) for seat, size in enumerate(view.hand_sizes))
    before = replace(view, active=active, hand_sizes=sizes, hand=view.hand[: sizes[view.seat]], pile=view.pile + draws)
    fields = [fields_of(view.fields[seat]) for seat in range(SEATS)]
    row: Matrix = network.Situation(before, fields, coins, turns_left(before)).inputs(fields[view.seat], before.hand, 0)
    return row


def play_all(bundles: Sequence[Path], number: int, seed: int, jobs: int) -> Examples:
    """Return the examples of `number` deals."""
    starts = range(0, number, DEALS_AT_ONCE)
    parts = [(bundles, seed * 1_000_000 + first, min(DEALS_AT_ONCE, number - first)) for first in starts]
    if jobs == 1:
        found = [play(*part) for part in parts]
    else:
        with get_context("spawn").Pool(jobs) as pool:
            found = pool.starmap(play, parts, chunksize=1)
    games = np.cumsum([0, *(int(part.game[-1]) + 1 for part in found)])
    return Examples(
        np.concatenate([part.inputs for part in found]),
        np.concatenate([part.dollars for part in found]),
        np.concatenate([part.game + first for part, first in zip(found, games[:-1], strict=True)]),
    )


def fit(data: Examples, output: Any, scale: float, seed: int, *, rounds: int, epochs: int) -> list[Matrix]:  # noqa: ANN401
    """Return the layers of a network. `output`: computes it; `scale`: dollars for an output of 1."""
    earned = (data.dollars / scale)[:, None]
    layers, targets = _first_layers(data.inputs.shape[1], np.random.default_rng(seed)), earned
    later = np.arange(len(earned)) + NEXT_TURNS * SEATS
    inside = later < len(earned)
    inside[inside] = data.game[later[inside]] == data.game[inside]
    for number in range(rounds + 1):
        _descend(layers, data.inputs, targets, np.random.default_rng([seed, number]), epochs, 5e-4 if number else 1e-3)
        targets = earned.copy()
        if inside.any():
            rest = later[inside]
            targets[inside] += output(data.inputs[rest], tuple(layers)) - earned[rest]
    return layers


def _first_layers(width: int, random: np.random.Generator) -> list[Matrix]:
    layers = []
    for rows, columns in pairwise((width, *HIDDEN, 1)):
        layers.append((random.standard_normal((rows, columns)) * np.sqrt(2 / rows)).astype(np.float32))
        layers.append(np.zeros(columns, np.float32))
    return layers


def _descend(
    layers: list[Matrix], rows: Matrix, targets: Matrix, random: np.random.Generator, epochs: int, rate: float
) -> None:
    """Change the layers to fit the targets better, by Adam with a rate that falls to nothing."""
    batch = min(BATCH, len(rows))
    steps = epochs * (len(rows) // batch)
    first, second = [np.zeros_like(layer) for layer in layers], [np.zeros_like(layer) for layer in layers]
    step = 0
    for _ in range(epochs):
        order = random.permutation(len(rows))
        for start in range(0, len(rows) - batch + 1, batch):
            chosen = order[start : start + batch]
            step += 1
            pace = rate * (1 - step / steps) + 1e-5
            for i, slope in enumerate(_slopes(layers, rows[chosen], targets[chosen])):
                first[i] += 0.1 * (slope - first[i])
                second[i] += 0.001 * (slope**2 - second[i])
                layers[i] -= pace * (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)


def _slopes(layers: list[Matrix], rows: Matrix, targets: Matrix) -> list[Matrix]:
    """Return how the mean squared error changes with each layer."""
    seen = [rows]
    for matrix, shift in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        seen.append(np.maximum(seen[-1] @ matrix + shift, 0))
    error = (seen[-1] @ layers[-2] + layers[-1] - targets) * np.float32(2 / len(rows))
    slopes = []
    for i in range(len(layers) - 2, -1, -2):
        slopes[:0] = [seen[i // 2].T @ error + np.float32(1e-5) * layers[i], error.sum(0)]
        if i:
            error = (error @ layers[i].T) * (seen[i // 2] > 0)
    return slopes


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=1500, help="in each round of play, each of 4 matches (1500)")
    parser.add_argument("--rounds", type=int, default=2, help="rounds of play (2)")
    parser.add_argument("--fits", type=int, default=3, help="times that the network is fitted to its own values (3)")
    parser.add_argument("--epochs", type=int, default=6, help="times that each fit sees all examples (6)")
    parser.add_argument("--seed", type=int, default=1, help="decides all chance (1)")
    parser.add_argument("--workers", type=int, default=1, help="processes that play (1)")
    parser.add_argument("--out", type=Path, required=True, help="file for the weights")
    chosen = parser.parse_args(arguments)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(shutil.copytree(BOTS / "grandmaster", Path(folder, "grandmaster")))
        trader, merchant = BOTS / "trader", BOTS / "merchant"
        data: list[Examples] = []
        for number in range(chosen.rounds):
            players = [bundle, bundle, bundle, trader] if number else [trader, trader, trader, merchant]
            data.append(play_all(players, chosen.deals, chosen.seed * 100 + number, chosen.workers))
            bot = load_bot(bundle)
            assert bot.home
            with bot.home.entered():
                network = import_module("network")
                layers = fit(
                    data[-1], network.output, network.SCALE, chosen.seed, rounds=chosen.fits, epochs=chosen.epochs
                )
            _write(layers, bundle / "weights.npz")
            seconds = time.monotonic() - started
            print(f"round {number + 1}: {len(data[-1].dollars)} examples, {seconds:.0f} s so far", flush=True)
        shutil.copyfile(bundle / "weights.npz", chosen.out)


def _write(layers: list[Matrix], file: Path) -> None:
    names = (f"layer{i // 2}_{('matrix', 'shift')[i % 2]}" for i in range(len(layers)))
    np.savez(file, **{name: layer.astype(np.float16) for name, layer in zip(names, layers, strict=True)})  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
