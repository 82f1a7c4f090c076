"""Views as vectors of numbers, and actions as numbers, of which each has the same meaning in every position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from beanleague.games import Action, View

Move: TypeAlias = tuple[object, ...]
"""What an action means, without positions: ("offer", "hand", "red", "blue") is a red bean of the hand for blue."""

PLACES = 8
"""The first cards of a hand are given in their order; of all there are the numbers of each kind."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the observation."""

    name: str
    """What it is."""
    labels: tuple[str, ...]
    """What each of its numbers is; ("",) for a part of one number."""
    values: Callable[[Any], Iterable[float]]
    """Returns its numbers in a view, as many as labels."""


@dataclass(frozen=True, slots=True)
class Coding:
    """How the views and actions of a ruleset at a table are numbered."""

    parts: tuple[Part, ...]
    """The parts of the observation."""
    moves: tuple[Move, ...]
    """What each action means."""
    move: Callable[[Any, Action], Move]
    """Returns what an action means in a view."""
    _index: Mapping[Move, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {move: index for index, move in enumerate(self.moves)})

    @property
    def names(self) -> tuple[str, ...]:
        """What each number of the observation is, e.g. "hand.blue"."""
        return tuple(f"{part.name}.{label}".rstrip(".") for part in self.parts for label in part.labels)

    def observed(self, view: View) -> list[float]:
        """Return the numbers of a view."""
        return [value for part in self.parts for value in part.values(view)]

    def actions(self, view: View) -> dict[int, Action]:
        """Return the legal actions by their numbers; of several that mean the same, the first of `view.legal()`."""
        found: dict[int, Action] = {}
        for action in view.legal():
            found.setdefault(self._index[self.move(view, action)], action)
        return found


def number(name: str, value: Callable[[Any], float]) -> Part:
    """Return a part of one number."""
    return Part(name, ("",), lambda view: (value(view),))


def one_of(name: str, labels: Iterable[object], value: Callable[[Any], object]) -> Part:
    """Return a part with a 1 where the value is, else 0; all 0 if it is not among the labels."""
    known = tuple(labels)

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401 - each family has its own view
        found = value(view)
        return [float(found == each) for each in known]

    return Part(name, tuple(map(str, known)), values)


def each_of(name: str, labels: Iterable[object], value: Callable[[Any], Sequence[object]]) -> Part:
    """Return a part that says how often each occurs among the values."""
    known = tuple(labels)

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        count = value(view).count
        return [count(each) for each in known]

    return Part(name, tuple(map(str, known)), values)


def per_seat(name: str, seats: int, value: Callable[[Any], Sequence[float]]) -> Part:
    """Return a part with a number for each seat, the own one first, then in the order of play."""

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        found = value(view)
        return [found[(view.seat + i) % seats] for i in range(seats)]

    return Part(name, tuple(map(str, range(seats))), values)


def asked(decisions: type[Any]) -> Part:
    """Return a part that says what the seat is asked."""
    return one_of("decision", [each.name for each in decisions], lambda view: view.decision.name)


def turn_of(seats: int) -> Part:
    """Return a part that says whose turn it is, counted from the own seat."""
    return one_of("active", range(seats), lambda view: (view.active - view.seat) % seats)


def hand(kinds: Sequence[str]) -> tuple[Part, ...]:
    """Return the parts of the own hand: how many of each kind, and the first cards in their order."""

    def first(view: Any) -> Iterable[float]:  # noqa: ANN401
        cards = view.hand[:PLACES]
        return [float(i < len(cards) and cards[i] == kind) for i in range(PLACES) for kind in kinds]

    labels = tuple(f"{i}.{kind}" for i, kind in product(range(PLACES), kinds))
    return each_of("hand", kinds, lambda view: view.hand), Part("hand_order", labels, first)


def card_fields(kinds: Sequence[str], seats: int, fields: int) -> Part:
    """Return the part of all fields that hold one kind each: the number of beans, at their kind."""

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        found = []
        for i in range(seats):
            own = view.fields[(view.seat + i) % seats]
            for j in range(fields):
                planted, count = (own[j].kind, own[j].count) if j < len(own) else (None, 0)
                found += [count if kind == planted else 0 for kind in kinds]
        return found

    labels = tuple(f"{i}.{j}.{kind}" for i, j, kind in product(range(seats), range(fields), kinds))
    return Part("fields", labels, values)
