"""Predicting what fields become when cards are planted."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from worth import Worth

from beanbot.bohnanza import Field, Kind

Fields: TypeAlias = tuple[tuple[Kind | None, int], ...]
"""Kind and number of the cards in each field; (None, 0) if empty."""

# Weight of a hand card by its position, relative to what it adds when planted: cards far back are planted late.
POSITION_WEIGHTS = (0.9, 0.8, 0.72, 0.65, 0.58, 0.52, 0.47, 0.42, 0.38, 0.34)

REMEMBERED = 8192  # results of a function: the same fields and cards are weighed again and again in a match


def fields_of(fields: tuple[Field, ...]) -> Fields:
    """Return `fields` by kind and number."""
    return tuple([(field.kind, field.count) for field in fields])


def total(fields: Fields, worth: Worth) -> float:
    """Return the value of `fields`."""
    return sum([worth.of[kind][count] for kind, count in fields if kind])


def may_harvest(fields: Fields) -> list[int]:
    """Return the fields that the bean protection rule allows to harvest."""
    least = 2 if max([count for _, count in fields]) > 1 else 1
    return [i for i, (_, count) in enumerate(fields) if count >= least]


def loss(fields: Fields, i: int, worth: Worth) -> float:
    """Return the value lost if field `i` is harvested."""
    kind, count = fields[i]
    return worth.of[kind][count] - worth.dollars[kind][count] if kind else 0.0


def cheapest(fields: Fields, worth: Worth) -> int:
    """Return the field that loses the least value if harvested."""
    return min(may_harvest(fields), key=lambda i: loss(fields, i, worth))


def is_full(kind: Kind, count: int, worth: Worth) -> bool:
    """Return whether one more card would add nothing to a field."""
    return count > 1 and worth.of[kind][count + 1] <= worth.of[kind][count]


@lru_cache(REMEMBERED)
def settle(fields: Fields, cards: tuple[Kind, ...], worth: Worth) -> tuple[float, Fields]:
    """Plant `cards` one by one, those that fit first; return dollars plus value of the fields, and the fields."""
    plots = list(fields)
    dollars = 0
    unfit = []
    for card in cards:
        for i, (kind, count) in enumerate(plots):
            if kind == card:
                if is_full(kind, count, worth):
                    dollars += worth.dollars[kind][count]
                    count = 0  # noqa: PLW2901  # harvested
                plots[i] = (kind, count + 1)
                break
        else:
            unfit.append(card)
    for card in unfit:
        i = _room(plots, card, worth)
        kind, count = plots[i]
        if kind is None or kind == card:
            plots[i] = (card, count + 1)
        else:
            dollars += worth.dollars[kind][count]
            plots[i] = (card, 1)
    settled = tuple(plots)
    return dollars + total(settled, worth), settled


def _room(plots: list[tuple[Kind | None, int]], card: Kind, worth: Worth) -> int:
    """Return the field for `card`: one of its kind, else an empty one, else the cheapest to harvest."""
    empty = -1
    for i, (kind, _) in enumerate(plots):
        if kind == card:
            return i
        if kind is None:
            empty = i
    return empty if empty >= 0 else cheapest(tuple(plots), worth)


@lru_cache(REMEMBERED)
def hand_worth(fields: Fields, hand: tuple[Kind, ...], worth: Worth) -> float:
    """Return the expected value of the cards in `hand`. Cards that fit nowhere count 0: they can be traded away."""
    planted = dict(fields)
    empty = sum([kind is None for kind, _ in fields])
    room = min([loss(fields, i, worth) for i in may_harvest(fields)], default=0.0)
    promise = 0.0
    for card, weight in zip(hand, POSITION_WEIGHTS, strict=False):
        of = worth.of[card]
        count = planted.get(card, 0)
        adds = of[count + 1] - of[count]
        if not count:
            if empty:
                empty -= 1
            else:
                adds -= room
        planted[card] = count + 1
        if adds > 0:
            promise += adds * weight
    return promise


@lru_cache(REMEMBERED)
def best_future(fields: Fields, cards: tuple[Kind, ...], worth: Worth) -> float:
    """Return the highest possible sum of dollars and value of fields after planting `cards` in this order."""
    if not cards:
        return total(fields, worth)
    card, later = cards[0], cards[1:]
    kinds = [kind for kind, _ in fields]
    futures = []
    if card in kinds:
        i = kinds.index(card)
        count = fields[i][1]
        if is_full(card, count, worth):
            futures.append(worth.dollars[card][count] + best_future(_with(fields, i, card, 1), later, worth))
        else:
            futures.append(best_future(_with(fields, i, card, count + 1), later, worth))
    elif None in kinds:
        return best_future(_with(fields, kinds.index(None), card, 1), later, worth)
    if None not in kinds:
        for i in may_harvest(fields):
            kind, count = fields[i]
            if kind and kind != card:
                futures.append(worth.dollars[kind][count] + best_future(_with(fields, i, card, 1), later, worth))
    return max(futures)


def _with(fields: Fields, i: int, kind: Kind, count: int) -> Fields:
    return (*fields[:i], (kind, count), *fields[i + 1 :])
