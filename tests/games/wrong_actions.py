"""Candidate actions, legal or not, made from the classes of the actions alone, and which of them a game accepts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import Field, fields, replace
from functools import cache
from itertools import chain, combinations, product
from math import prod
from random import Random
from typing import Any

from beanleague.games import Action, Game, IllegalActionError
from beanleague.games.core import BuyField, Harvest, Pass, Plant
from beanleague.games.core.kinds import all_kinds

KINDS = tuple(kind.name for kind in all_kinds())
CORE = (BuyField, Harvest, Pass, Plant)
MAX_COMBINATIONS = 3000
"""Of a class with more combinations of fields, `SAMPLE` are tried."""
SAMPLE = 100

NUMBERS = {"field": range(-1, 5), "owner": range(-1, 3), "seat": range(-1, 8)}
"""By the name of the field; any other is a position or the number of a card."""
POSITIONS = range(-1, 61)
SOURCES = ("hand", "turned", "field")
TUPLES: tuple[tuple[int, ...], ...] = (
    *chain.from_iterable(combinations(range(7), count) for count in range(8)),
    *((1, 0), (0, 0), (-1,), (0, 7)),
)
WANTS = ((), *((kind,) for kind in KINDS), *product(KINDS[:3], repeat=2), ("red",) * 9, ("meat",))


class _Odd:
    """A value that fails when it is looked at."""

    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


ODD: Any = _Odd()
HUGE = 10**5000
ODD_VALUES: dict[str, tuple[Any, ...]] = {
    "number": (True, 1.0, float("nan"), "0", "", None, -1, HUGE, (0,), [0], ODD),
    "text": (0, None, True, "RED", "", b"red", ("red",), ["red"], ODD),
    "numbers": (
        *(None, True, 0, 1.5, [], [0], {}, {0: 1}, range(2), "", "0", b"", ODD),
        *((True,), (0.0,), ("0",), (None,), (ODD,), (0, ODD), (-1,), (1, 0), (0, 0), (HUGE,), (0,) * 1000),
    ),
    "texts": (
        *(None, True, 0, 1.5, [], ["red"], {}, "", "red", b"red", ODD),
        *(("RED",), (0,), (None,), (["red"],), ("red", ODD), ("red",) * 1000),
    ),
}
"""Values that no field of this shape may have."""

NO_ACTIONS: tuple[Any, ...] = (Action(), None, 0, "pass", Pass, object(), ODD)


@cache
def candidates(classes: tuple[type[Action], ...]) -> tuple[Action, ...]:
    """Return actions of `classes` with fields of the right types: a sample if there are over `MAX_COMBINATIONS`."""
    found: list[Any] = []
    for cls in classes:
        pools = [_pool(field) for field in fields(cls)]
        if prod(map(len, pools)) <= MAX_COMBINATIONS:
            found += [cls(*values) for values in product(*pools)]
        else:
            random = Random(cls.__name__)
            found += [cls(*map(random.choice, pools)) for _ in range(SAMPLE)]
    return tuple(dict.fromkeys(found))


def malformed(examples: Sequence[Action]) -> Iterator[Any]:
    """Yield `examples` with each field in turn of a wrong type, negative, endless, or failing when looked at."""
    yield from NO_ACTIONS
    for example in examples:
        for field in fields(example):
            for value in ODD_VALUES[_shape(field)]:
                yield replace(example, **{field.name: value})


def refusal(game: Game, seat: int, action: Any) -> str:
    """Return why `action` is refused, which it must be, in a sentence."""
    try:
        game.apply(seat, action)
    except IllegalActionError as error:
        message = str(error)
        assert 0 < len(message) < 400
        assert "\n" not in message
        return message
    raise AssertionError(f"seat {seat} may do {action!r:.200}, which is not legal")


def accepted(game: Game, seat: int, actions: Iterable[Action]) -> set[Action]:
    """Return those of `actions` that `seat` may do now."""
    accepted = set()
    copy = game.copy()
    for action in actions:
        with suppress(IllegalActionError):
            copy.apply(seat, action)
            accepted.add(action)
            copy = game.copy()
    return accepted


def _shape(field: Field[Any]) -> str:
    kind = field.type.__name__ if isinstance(field.type, type) else str(field.type)
    kind = re.sub(r"(typing\.)?Literal\[[^\]]*\]|Kind", "str", kind)
    return {"int": "number", "str": "text", "tuple[int, ...]": "numbers", "tuple[str, ...]": "texts"}[kind]


def _pool(field: Field[Any]) -> Sequence[Any]:
    match _shape(field):
        case "number":
            return NUMBERS.get(field.name, POSITIONS)
        case "text":
            return SOURCES if field.name == "source" else (*KINDS, "meat")
        case "numbers":
            return TUPLES
        case _:
            return WANTS
