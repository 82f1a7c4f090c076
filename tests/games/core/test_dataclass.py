"""`dataclass` of the games beside that of the standard library; how values are made quickly and views printed."""

import copy
import dataclasses
import pickle
import random
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from typing import Any, ClassVar

import pytest

from beanleague import wire
from beanleague.games import Game, new_game, ruleset, rulesets
from beanleague.games.core import values
from beanleague.games.core.game import quick
from beanproto.v1 import referee_pb2 as pb

Made = dict[str, Any]


def made(module: Any) -> Made:  # one of two that have the same names
    """Return classes made with what a module has."""

    @module.dataclass(frozen=True, slots=True)
    class Nothing:
        """Has no fields."""

    @module.dataclass(frozen=True, slots=True)
    class One(Nothing):
        """Has one."""

        shown: ClassVar[bool] = True
        x: int

        def doubled(self) -> int:
            """Return twice its field."""
            return 2 * self.x

    @module.dataclass(frozen=True, slots=True)
    class Many(One):
        """Inherits a field, and has some with defaults."""

        y: tuple[int, ...] = (1, 2)
        z: dict[str, int] = module.field(default_factory=dict, hash=False)
        secret: str = module.field(default_factory=str, repr=False, compare=False)

    @module.dataclass(frozen=True)
    class Open:
        """Has no slots."""

        x: int
        y: list[int] = module.field(default_factory=list)

    @module.dataclass(frozen=True, slots=True, eq=False)
    class Same:
        """Equals itself alone."""

        x: int = 1

    @module.dataclass(frozen=True, slots=True)
    class Checked:
        """Does something of its own once it is made, of which only the standard library knows."""

        x: int
        y: int = module.field(init=False, default=0)

        def __post_init__(self) -> None:
            """Set what follows from the other field."""
            object.__setattr__(self, "y", self.x + 1)

    return {cls.__name__: cls for cls in (Nothing, One, Many, Open, Same, Checked)}


OURS, THEIRS = made(values), made(dataclasses)


def outcome(look: Callable[[Made], object], classes: Made) -> object:
    """Return what is seen of classes, or the error that looking raises, in words."""
    try:
        return str(look(classes)).replace(f"{made.__name__}.<locals>.", "")
    except Exception as error:  # noqa: BLE001  # whatever it is, the other must raise it as well
        return f"{type(error).__name__}: {error}".replace(f"{made.__name__}.<locals>.", "")


LOOKS: dict[str, Callable[[Made], object]] = {
    "text": lambda c: [
        c["Nothing"](),
        c["One"](1),
        c["Many"](1, z={"a": 1}, secret="no"),
        c["Open"](2),
        c["Checked"](3),
    ],
    "hash": lambda c: [hash(c["Nothing"]()), hash(c["One"](1)), hash(c["Many"](1, (2,), {}, "s"))],
    "equal": lambda c: [c["One"](1) == other for other in (c["One"](1), c["One"](2), c["Many"](1), 1)],
    "compared": lambda c: [c["Nothing"]() == c["Nothing"](), c["Many"](1, secret="a") == c["Many"](1, secret="b")],
    "eq": lambda c: [c["Same"]() == c["Same"](), hash(c["Same"]()) == hash(c["Same"]()), c["Same"]().x],
    "match": lambda c: [cls.__match_args__ for cls in c.values()],
    "slots": lambda c: [cls.__slots__ for cls in c.values() if "__slots__" in vars(cls)],
    "fields": lambda c: [[(f.name, f.type, f.repr, f.compare) for f in dataclasses.fields(cls)] for cls in c.values()],
    "is": lambda c: [dataclasses.is_dataclass(cls) for cls in c.values()],
    "types": lambda c: [values.types_of(cls) for cls in c.values()],
    "replace": lambda c: [dataclasses.replace(c["Many"](1), x=5, y=()), dataclasses.replace(c["One"](1), x=2)],
    "as": lambda c: [dataclasses.asdict(c["Many"](1)), dataclasses.astuple(c["Open"](1, [2]))],
    "too few": lambda c: c["One"](),
    "one too many": lambda c: c["Nothing"](1),
    "too many": lambda c: c["Many"](1, 2, 3, 4, 5),
    "unknown": lambda c: c["One"](y=1),
    "set": lambda c: setattr(c["One"](1), "x", 2),
    "delete": lambda c: delattr(c["Many"](1), "y"),
    "set without slots": lambda c: setattr(c["Open"](1), "y", 2),
    "factory": lambda c: [c["Open"](1).y is c["Open"](1).y, c["Many"](1).z is c["Many"](1).z, c["Many"].shown],
    "method": lambda c: [c["One"](3).doubled(), c["Checked"](3).y],
    "names": lambda c: [(cls.__doc__, cls.__qualname__, cls.__module__) for cls in c.values()],
    "copy": lambda c: [copy.copy(c["Many"](1)), copy.deepcopy(c["Many"](1, z={"a": 1})), copy.deepcopy(c["Open"](1))],
    "subclass": lambda c: _with_field(c["One"], frozen=True)(1, 2),
    "thawed": lambda c: _with_field(c["One"], frozen=False),
    "frozen": lambda c: [c["Nothing"].__dataclass_params__.frozen, hasattr(c["One"](1), "__dict__")],
}


def _with_field(base: type, *, frozen: bool) -> Any:  # a class
    return dataclasses.dataclass(frozen=frozen)(type("Mine", (base,), {"__annotations__": {"w": "int"}}))


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_class_is_like_one_of_the_standard_library(look: Callable[[Made], object]) -> None:
    assert outcome(look, OURS) == outcome(look, THEIRS)


@values.dataclass(frozen=True, slots=True)
class Sent:
    """A value at the top of a module, where pickle finds it."""

    x: int
    y: tuple[str, ...] = ()


def test_values_can_be_sent_to_other_processes() -> None:
    for value in (Sent(1), Sent(2, ("a",))):
        assert pickle.loads(pickle.dumps(value)) == value  # our own


def test_values_are_matched_by_position() -> None:
    match Sent(1, ("a",)):
        case Sent(1, (word,)):
            assert word == "a"
        case _:
            pytest.fail("it did not match")


@dataclass(frozen=True, slots=True)
class Point:
    """A value with a default."""

    x: int
    y: int = 0


def test_a_quickly_made_value_is_of_its_class_and_equal() -> None:
    point = quick(Point)(1, 2)
    assert type(point) is Point
    assert point == Point(1, 2)
    assert quick(Point)(y=2, x=1) == point
    assert (hash(point), repr(point)) == (hash(Point(1, 2)), repr(Point(1, 2)))
    assert replace(point, x=3) == Point(3, 2)
    assert pickle.loads(pickle.dumps(point)) == point  # our own


def test_a_quickly_made_value_is_frozen() -> None:
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


def after(moves: int, game: str) -> Game:
    """Return a game at its largest table after some random moves."""
    playing, chance = new_game(game, seats=ruleset(game).most_seats, seed=b"text"), random.Random(1)
    for _ in range(moves):
        seat = playing.to_act()[0]
        playing.apply(seat, chance.choice(playing.legal(seat)))
    return playing


def test_a_printed_view_says_who_is_asked_what_and_shows_the_table() -> None:
    first, heads, *rows = str(after(0, "bohnanza").view(0)).splitlines()
    assert first == "seat 0 is asked PLANT_FIRST; turn 1, of seat 0"
    assert heads.split() == ["seat", "$", "fields[0]", "fields[1]", "hand"]
    assert rows[0].split()[:5] == [">", "0", "0", "-", "-"]
    assert [row.split()[-2:] for row in rows[1:5]] == [["5", "cards"]] * 4


@pytest.mark.parametrize("game", [game.id for game in rulesets()])
def test_every_view_is_printed_in_a_few_lines(game: str) -> None:
    playing = after(12, game)
    lines = str(playing.view(playing.to_act()[0])).splitlines()
    assert playing.seats + 2 <= len(lines) <= playing.seats + 7
    assert all(len(line) <= 110 for line in lines)


def test_a_bot_prints_its_view_as_the_game_does() -> None:
    playing = after(12, "bohnanza")
    seat = playing.to_act()[0]
    view = playing.view(seat)
    start, request = pb.MatchStart(ruleset="bohnanza", seats=5, seat=seat), pb.Request()
    wire.rules_to_pb(view, start)
    wire.view_to_pb(view, request, ())
    assert str(wire.view_from_pb(request, wire.rules_from_pb(start), seat)) == str(view)


@pytest.mark.parametrize("game", [game.id for game in rulesets()])
def test_decisions_print_by_name(game: str) -> None:
    playing = after(0, game)
    decision = playing.view(playing.to_act()[0]).decision
    assert str(decision) == f"{decision}" == decision.name
    assert int(decision) == decision.value
