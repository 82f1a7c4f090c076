"""Frozen dataclasses that are made quickly are like any others."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from beanleague.games.core.quick import quick


@dataclass(frozen=True, slots=True)
class Point:
    """A value with a default."""

    x: int
    y: int = 0


def test_what_is_made_quickly_is_of_the_class_and_equal() -> None:
    point = quick(Point)(1, 2)
    assert type(point) is Point
    assert point == Point(1, 2)
    assert quick(Point)(y=2, x=1) == point
    assert (hash(point), repr(point)) == (hash(Point(1, 2)), repr(Point(1, 2)))
    assert replace(point, x=3) == Point(3, 2)
    assert pickle.loads(pickle.dumps(point)) == point  # our own


def test_what_is_made_quickly_is_frozen() -> None:
    point = quick(Point)(1, 2)
    for name in [*(field.name for field in fields(point)), "z"]:
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            setattr(point, name, 5)
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            delattr(point, name)
    assert point == Point(1, 2)


def test_no_field_is_set_by_the_slow_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Point, "__init__", slow)
    assert quick(Point)(1, 2).x == 1


def test_all_fields_must_be_given() -> None:
    with pytest.raises(TypeError, match="y"):
        quick(Point)(1)
