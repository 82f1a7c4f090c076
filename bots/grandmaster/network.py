"""A small network that values fields and hand in a situation, fitted by `tools/fit_grandmaster.py` to self-play.

It was fitted for `bohnanza` at four seats. Its parameters are in `weights.npz`: a matrix and a vector per layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from beanbot.bohnanza import BohnanzaView, CardRules, Kind
from beanbot.policies.worth import Cards, Fields

Vector: TypeAlias = Any  # numpy arrays of float32, which types cannot express

GAME, SEATS = "bohnanza", 4
FIRST_CARDS = 4  # number of hand cards coded in order
SCALE = 5.0  # dollars for an output of 1
WEIGHTS = Path(__file__).with_name("weights.npz")


class Layout:
    """Positions of the network's inputs."""

    def __init__(self, rules: CardRules) -> None:
        kinds = rules.kinds
        self.kinds: dict[Kind, int] = {kind.name: i for i, kind in enumerate(kinds)}
        self.cards = [kind.cards for kind in kinds]
        self.full = [max(kind.beanometer) for kind in kinds]
        # first position of each kind's fields, which follow by number of cards
        self.own_fields = [sum(self.full[:i]) for i in range(len(kinds))]
        self.empty = sum(self.full)
        self.hand = self.empty + 1  # first cards by position, then all others
        self.known_hand = self.hand + (FIRST_CARDS + 1) * len(kinds)
        self.hand_size = self.known_hand + 1
        self.others = self.hand_size + 1  # fields of the other seats by kind
        self.hand_sizes = self.others + (SEATS - 1) * len(kinds)
        self.unseen = self.hand_sizes + SEATS - 1  # unseen cards by kind
        self.time = self.unseen + len(kinds)
        self.since = self.time + 3  # number of turns until this seat's turn, one-hot
        self.dollars = self.since + SEATS
        self.size = self.dollars + 3


class Situation:
    """The view, except the bot's fields and hand, as inputs of a network that values these."""

    def __init__(self, view: BohnanzaView, settled: list[Fields], coins: Mapping[Kind, int], turns: float) -> None:
        """Compute the inputs of the situation.

        `settled`: the fields of each seat at the end of this turn. `coins`: cards of each kind that became dollars.
        `turns`: estimated turns left for each player.
        """
        at = self._at = layout(view.rules)
        others = [(view.seat + i) % SEATS for i in range(1, SEATS)]
        row = self._row = np.zeros(at.size, np.float32)
        row[at.known_hand] = 1
        for i, seat in enumerate(others):
            for kind, count in settled[seat]:
                if kind:
                    row[at.others + i * len(at.kinds) + at.kinds[kind]] += count / 6
            row[at.hand_sizes + i] = view.hand_sizes[seat] / 6
        for kind, seen in _visible_cards(view, coins).items():
            i = at.kinds[kind]
            row[at.unseen + i] = (at.cards[i] - seen) / at.cards[i]
        row[at.time : at.time + 3] = turns / 8, 1 / (1 + turns), turns < 2
        row[at.since + (view.seat - view.active) % SEATS] = 1
        self._dollars = view.dollars[view.seat]
        self._most = max(view.dollars[seat] for seat in others)
        self._mean = sum(view.dollars[seat] for seat in others) / len(others)

    def promise(self, fields: Fields, hand: Cards, dollars: int) -> float:
        """Return the dollars expected from the bot's `fields` and `hand`, after earning `dollars` this turn."""
        return SCALE * float(output(self.inputs(fields, hand, dollars))[0])

    def inputs(self, fields: Fields, hand: Cards, dollars: int) -> Vector:
        """Return the inputs of the network."""
        at, row = self._at, self._row.copy()
        for kind, count in fields:
            if kind:
                i = at.kinds[kind]
                row[at.own_fields[i] + min(count, at.full[i]) - 1] += 1
            else:
                row[at.empty] += 1
        for position, card in enumerate(hand):
            row[at.hand + min(position, FIRST_CARDS) * len(at.kinds) + at.kinds[card]] += 1
        row[at.hand_size] = len(hand) / 6
        own = self._dollars + dollars
        row[at.dollars : at.dollars + 3] = own / 10, (own - self._most) / 5, (own - self._mean) / 5
        return row


def applies(rules: CardRules) -> bool:
    """Return whether the network was fitted for tables with these rules."""
    return rules.ruleset == GAME and rules.seats == SEATS


def output(inputs: Vector, layers: tuple[Vector, ...] | None = None) -> Vector:
    """Return the network's output for one or many rows of inputs. `layers`: replacement for the fitted layers."""
    layers = layers or weights()
    for matrix, shift in zip(layers[:-2:2], layers[1:-2:2], strict=True):
        inputs = np.maximum(inputs @ matrix + shift, 0)
    return inputs @ layers[-2] + layers[-1]


@cache
def layout(rules: CardRules) -> Layout:
    """Return the positions of the inputs."""
    return Layout(rules)


@cache
def weights() -> tuple[Vector, ...]:
    """Return a matrix and a vector for each layer."""
    with np.load(WEIGHTS) as file:
        return tuple(file[name].astype(np.float32) for name in file.files)


def _visible_cards(view: BohnanzaView, coins: Mapping[Kind, int]) -> dict[Kind, int]:
    """Return the number of cards of each kind known to be neither in the pile nor in another hand."""
    seen = {rule.name: view.discard[i] + coins.get(rule.name, 0) for i, rule in enumerate(view.rules.kinds)}
    for fields in view.fields:
        for field in fields:
            if field.kind:
                seen[field.kind] += field.count
    for cards in (*view.aside, view.turned, view.hand):
        for kind in cards:
            seen[kind] += 1
    return seen
