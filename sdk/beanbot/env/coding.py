"""Coding of views as vectors and of actions as numbers whose meaning is the same in every position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, TypeAlias

from beanleague.games import Action, View

Move: TypeAlias = tuple[object, ...]
"""Meaning of an action, independent of positions: ("offer", "hand", "red", "blue") offers a red hand card for a blue
one."""

PLACES = 8
"""Number of hand cards whose order is coded, from the front; of the whole hand, only counts by kind are coded."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the observation."""

    name: str
    """Name of the part."""
    labels: tuple[str, ...]
    """Label of each number; ("",) if the part is a single number."""
    values: Callable[[Any], Iterable[float]]
    """Function from a view to its numbers, one per label."""


@dataclass(frozen=True, slots=True)
class Coding:
    """Numbering of views and actions for a ruleset and a number of seats."""

    parts: tuple[Part, ...]
    """The parts of the observation."""
    moves: tuple[Move, ...]
    """Meaning of each action, by number."""
    move: Callable[[Any, Action], Move]
    """Function from a view and an action to the action's meaning."""
    _index: Mapping[Move, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {move: index for index, move in enumerate(self.moves)})

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each number of the observation, e.g. "hand.blue"."""
        return tuple(f"{part.name}.{label}".rstrip(".") for part in self.parts for label in part.labels)

    def observed(self, view: View) -> list[float]:
        """Return the observation of a view."""
        return [value for part in self.parts for value in part.values(view)]

    def actions(self, view: View) -> dict[int, Action]:
        """Return the legal actions by number; of actions with the same meaning, the first of `view.legal()`."""
        found: dict[int, Action] = {}
        for action in view.legal():
            found.setdefault(self._index[self.move(view, action)], action)
        return found


def number(name: str, value: Callable[[Any], float]) -> Part:
    """Return a part with one number."""
    return Part(name, ("",), lambda view: (value(view),))


def one_of(name: str, labels: Iterable[object], value: Callable[[Any], object]) -> Part:
    """Return a one-hot part: 1 at the label of the value, else 0; all 0 for other values."""
    known = tuple(labels)

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401 - each family has its own view
        found = value(view)
        return [float(found == each) for each in known]

    return Part(name, tuple(map(str, known)), values)


def each_of(name: str, labels: Iterable[object], value: Callable[[Any], Sequence[object]]) -> Part:
    """Return a part with the number of occurrences of each label among the values."""
    known = tuple(labels)

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        count = value(view).count
        return [count(each) for each in known]

    return Part(name, tuple(map(str, known)), values)


def per_seat(name: str, seats: int, value: Callable[[Any], Sequence[float]]) -> Part:
    """Return a part with a number per seat: first the viewing seat, then the others in the order of play."""

    def values(view: Any) -> Iterable[float]:  # noqa: ANN401
        found = value(view)
        return [found[(view.seat + i) % seats] for i in range(seats)]

    return Part(name, tuple(map(str, range(seats))), values)


def asked(decisions: type[Any]) -> Part:
    """Return the one-hot part of the decision asked for."""
    return one_of("decision", [each.name for each in decisions], lambda view: view.decision.name)


def turn_of(seats: int) -> Part:
    """Return the one-hot part of the active seat, counted from the viewing seat."""
    return one_of("active", range(seats), lambda view: (view.active - view.seat) % seats)


def hand(kinds: Sequence[str]) -> tuple[Part, ...]:
    """Return the parts of the viewing seat's hand: counts by kind, and the first cards in order."""

    def first(view: Any) -> Iterable[float]:  # noqa: ANN401
        cards = view.hand[:PLACES]
        return [float(i < len(cards) and cards[i] == kind) for i in range(PLACES) for kind in kinds]

    labels = tuple(f"{i}.{kind}" for i, kind in product(range(PLACES), kinds))
    return each_of("hand", kinds, lambda view: view.hand), Part("hand_order", labels, first)


def card_fields(kinds: Sequence[str], seats: int, fields: int) -> Part:
    """Return the part of all fields with one kind each: the number of beans, at the index of their kind."""

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
