"""How values of games are made quickly, and how views are printed."""

import pickle
import random
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from beanleague import wire
from beanleague.games import Game, new_game, ruleset, rulesets
from beanleague.games.core.game import quick
from beanproto.v1 import referee_pb2 as pb


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


def after(moves: int, game: str) -> Game:
    """Return a game at its largest table after some random moves."""
    playing, chance = new_game(game, seats=ruleset(game).most_seats, seed=b"text"), random.Random(1)
    for _ in range(moves):
        seat = playing.to_act()[0]
        playing.apply(seat, chance.choice(playing.legal(seat)))
    return playing


def test_a_printed_view_says_who_is_asked_what_and_shows_the_table() -> None:
    first, *table = str(after(0, "bohnanza").view(0)).splitlines()
    assert first == "seat 0 is asked PLANT_FIRST; turn 1, of seat 0"
    text = " ".join(line.strip() for line in table)
    assert text.startswith("hand: ")
    assert "hand_sizes: 5 5 5 5 5; fields: [[- 0] [- 0]] [[- 0] [- 0]]" in text


@pytest.mark.parametrize("game", [game.id for game in rulesets()])
def test_every_view_is_printed_in_a_few_lines(game: str) -> None:
    playing = after(12, game)
    lines = str(playing.view(playing.to_act()[0])).splitlines()
    assert 2 <= len(lines) <= 9
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
