"""Planning of plantings by a beam search that keeps the most valuable ways after each card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from worth import Worth

from beanbot.two import Field, Kind
from beanleague.games.core.floats import float_sum

Plot: TypeAlias = tuple[Kind | None, int]
"""The kind in a field and the number of its cards; (None, 0) if empty."""

Plots: TypeAlias = tuple[Plot, ...]

WIDTH = 6  # width of the beam
SMALL = 1e-6  # smaller gains in dollars are rounding errors


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a plan."""

    card: int
    """Position of the card among the cards to plan for."""
    field: int
    """Field to plant the card in."""
    harvest: bool
    """Whether to harvest the field before planting."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """A situation reached by planting."""

    value: float
    """Value in dollars, including `gain`."""
    gain: float
    """Dollars earned on the way."""
    plots: Plots
    """Fields after planting."""
    first: Step | None
    """The first step on the way; None if nothing is planted."""
    rest: tuple[int, ...]
    """Positions of the cards that are not planted."""


def fields_of(fields: tuple[Field, ...]) -> Plots:
    """Return `fields` as plots."""
    return tuple([(field.kind, field.count) for field in fields])


def total(plots: Plots, worth: Worth) -> float:
    """Return the value of `plots`."""
    return float_sum([worth.of(kind, count) for kind, count in plots if kind])


def gain_of(plots: Plots, kind: Kind, worth: Worth) -> float:
    """Return the value that a card of `kind` adds to `plots`, at least 0."""
    return max(0.0, plan_in_order(plots, (kind,), worth).value - total(plots, worth))


def plan_in_order(plots: Plots, cards: tuple[Kind, ...], worth: Worth) -> Outlook:
    """Return the best outlook after planting all `cards` in this order."""
    beam = [Outlook(total(plots, worth), 0.0, plots, None, ())]
    for card, kind in enumerate(cards):
        found: dict[Plots, Outlook] = {}
        for outlook in beam:
            for made, after, step in _ways(outlook, card, kind, worth):
                if after not in found or found[after].gain < made:
                    found[after] = Outlook(made + total(after, worth), made, after, outlook.first or step, ())
        beam = _best(found.values())
    return beam[0]


def plan_choice(plots: Plots, cards: tuple[Kind, ...], left: Mapping[Kind, float], worth: Worth) -> Outlook:
    """Return the best outlook when each of `cards` may be planted or left, in any order.

    `left[kind]`: the value of leaving a card.
    """
    start = Outlook(
        total(plots, worth) + float_sum([left[kind] for kind in cards]), 0.0, plots, None, tuple(range(len(cards)))
    )
    best, beam = start, [start]
    for _ in cards:
        found: dict[tuple[Plots, tuple[Kind, ...]], Outlook] = {}
        for outlook in beam:
            for card in {cards[card]: card for card in reversed(outlook.rest)}.values():
                rest = tuple([other for other in outlook.rest if other != card])
                kinds = tuple(sorted([cards[other] for other in rest]))
                promise = float_sum([left[kind] for kind in kinds])
                for made, after, step in _ways(outlook, card, cards[card], worth):
                    key = after, kinds
                    if key not in found or found[key].gain < made:
                        value = made + total(after, worth) + promise
                        found[key] = Outlook(value, made, after, outlook.first or step, rest)
        beam = _best(found.values())
        if beam[0].value > best.value + SMALL:
            best = beam[0]
    return best


def _best(outlooks: Iterable[Outlook]) -> list[Outlook]:
    return sorted(outlooks, key=lambda outlook: -outlook.value)[:WIDTH]


def _ways(outlook: Outlook, card: int, kind: Kind, worth: Worth) -> Iterator[tuple[float, Plots, Step]]:
    """Yield the ways to plant a card of `kind`: dollars earned so far, plots, step."""
    plots = outlook.plots
    room = False
    for i, (grows, count) in enumerate(plots):
        full = grows == kind and count >= worth.full[kind]
        if full:
            yield outlook.gain + worth.dollars[kind][count], _planted(plots, i, kind, 1), Step(card, i, harvest=True)
        elif grows == kind or (grows is None and not room):
            yield outlook.gain, _planted(plots, i, kind, count + 1), Step(card, i, harvest=False)
        room |= grows in {kind, None}
    if (None, 0) not in plots:
        # the bean protection rule: a single bean may not be harvested while a field has more
        least = 2 if max(count for _, count in plots) > 1 else 1
        for i, (grows, count) in enumerate(plots):
            if grows and grows != kind and count >= least:
                made = outlook.gain + worth.dollars[grows][count]
                yield made, _planted(plots, i, kind, 1), Step(card, i, harvest=True)


def _planted(plots: Plots, i: int, kind: Kind, count: int) -> Plots:
    return (*plots[:i], (kind, count), *plots[i + 1 :])
