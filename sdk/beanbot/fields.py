"""Choices about one's own fields that most bots make alike."""

from __future__ import annotations

from collections.abc import Iterable

from beanleague.games.bohnanza import FieldsView


def own_kind_first(view: FieldsView, places: Iterable[int]) -> int:
    """Return the one of the own fields `places` with most cards, the first of equals."""
    fields = view.own_fields
    return max(places, key=lambda i: (fields[i].count, -i))


def least_loss(view: FieldsView) -> int:
    """Return the field to harvest when room is needed: the one where the least part of a next dollar is lost.

    Of equals, the one that earns most. There must be a field that may be harvested.
    """

    def lost(field: int) -> float:
        own = view.own_fields[field]
        assert own.kind is not None  # an empty field cannot be harvested
        return part_of_next_dollar(own.count, view.rules.kind(own.kind).beanometer)

    return min(view.harvestable, key=lambda i: (lost(i), -view.earns(i), i))


def part_of_next_dollar(count: int, beanometer: Iterable[int]) -> float:
    """Return how far `count` cards are from the last dollar to the next, from 0 to 1; 0 if there is no next one."""
    before = max((least for least in beanometer if 0 < least <= count), default=0)
    after = min((least for least in beanometer if least > count), default=0)
    return (count - before) / (after - before) if after else 0.0
