"""Prediction of fields after planting cards, and of their value.

`settle` plants greedily, which is quick; `best_future` searches all choices of harvests. Both value a planting in
dollars: the dollars of harvests on the way plus the value of the final fields.
"""

from __future__ import annotations

from functools import lru_cache

from beanbot.policies.worth import REMEMBERED, Cards, Fields, Worth, loss, may_harvest, total
from beanleague.games import Kind


def cheapest(fields: Fields, worth: Worth) -> int:
    """Return the field that loses the least value if harvested. At least one field must have cards."""
    return min(may_harvest(fields), key=lambda i: loss(fields, i, worth))


def is_full(kind: Kind, count: int, worth: Worth) -> bool:
    """Return whether one more card would add nothing to a field of `count` cards of `kind`."""
    return count > 1 and worth.of[kind][count + 1] <= worth.of[kind][count]


@lru_cache(REMEMBERED)
def settle(fields: Fields, cards: Cards, worth: Worth) -> tuple[float, Fields]:
    """Plant `cards` one by one: first cards of kinds that grow, then the others in their order.

    A card that fits nowhere replaces the field whose harvest loses the least value.

    Returns:
        Dollars of harvests plus the value of the fields; the fields.
    """
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


@lru_cache(REMEMBERED)
def best_future(fields: Fields, cards: Cards, worth: Worth) -> float:
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


def future_without(fields: Fields, i: int, cards: Cards, worth: Worth) -> float:
    """Return `best_future` if field `i` is harvested and the first of `cards` planted in its place."""
    kind, count = fields[i]
    assert kind is not None
    return worth.dollars[kind][count] + best_future(_with(fields, i, cards[0], 1), cards[1:], worth)


def _room(plots: list[tuple[Kind | None, int]], card: Kind, worth: Worth) -> int:
    """Return the field for `card`: one of its kind, else an empty one, else the cheapest to harvest."""
    empty = -1
    for i, (kind, _) in enumerate(plots):
        if kind == card:
            return i
        if kind is None:
            empty = i
    return empty if empty >= 0 else cheapest(tuple(plots), worth)


def _with(fields: Fields, i: int, kind: Kind, count: int) -> Fields:
    return (*fields[:i], (kind, count), *fields[i + 1 :])
