"""Copies of games share the events before the copy, and nobody notices."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from copy import copy as shallow_copy, deepcopy
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from beanleague.games import Action, Game, new_game, ruleset, rulesets
from beanleague.games.bohnanza import Answered, Call, Counter, Decision, Decline
from tests.games.helpers import chooser, do, of_type

RULESETS = [rules.id for rules in rulesets()]


@dataclass
class Line:
    """A game, or a copy of one, and all moves since its start."""

    game: Game
    moves: list[tuple[int, Action]]

    def move(self, luck: int) -> None:
        """Let one of the seats asked play something."""
        asked = self.game.to_act()
        seat = asked[luck % len(asked)]
        action = chooser(luck)(self.game.view(seat))
        self.game.apply(seat, action)
        self.moves.append((seat, action))

    def copy(self) -> Line:
        return Line(self.game.copy(), self.moves[:])


def started(name: str) -> Line:
    seats = min(ruleset(name).most_seats, 4)
    options: dict[str, Any] = {"interludes": (0,)} if ruleset(name).interludes else {}
    return Line(new_game(name, seats=seats, seed=b"copies", options=options), [])


@pytest.mark.parametrize("name", RULESETS)
@given(
    before=st.integers(0, 60),
    steps=st.lists(st.tuples(st.sampled_from(["move", "copy", "read"]), st.integers(0, 2**16)), max_size=60),
)
@settings(max_examples=12, deadline=None)
def test_games_copied_in_any_order_are_those_that_their_moves_give(
    name: str, before: int, steps: list[tuple[str, int]]
) -> None:
    """Copies of copies, too, made while some have answered an offer and others not, and whoever reads events when."""
    lines = [started(name)]
    for luck in range(before):
        if not lines[0].game.over:
            lines[0].move(luck)
    for step, luck in steps:
        line = lines[luck % len(lines)]
        if step == "copy":
            lines.append(line.copy())
        elif step == "read":
            assert line.game.events
        elif not line.game.over:
            line.move(luck)
    for line in lines:
        again = started(name).game
        for seat, action in line.moves:
            again.apply(seat, action)
        for seat in range(again.seats):
            assert line.game.view(seat) == again.view(seat)
        assert list(line.game.events) == list(again.events)
        assert line.game.outcome == again.outcome


def test_a_copy_made_between_the_answers_to_an_offer_goes_its_own_way() -> None:
    game = started("bohnanza").game
    while game.view(0).decision is not Decision.TRADE:
        game.apply(0, game.default(0))
    do(game, (0, Call((1, 2))), (1, Counter((0,))))
    copy = game.copy()
    events = len(game.events)
    do(game, (2, Decline()))
    do(copy, (2, Counter((0,))))
    assert [answer.answer for answer in of_type(game.events[events:], Answered)] == ["counter", "decline"]
    assert [answer.answer for answer in of_type(copy.events[events:], Answered)] == ["counter", "counter"]


COPIES = {"copy": shallow_copy, "deepcopy": deepcopy, "pickle": lambda game: pickle.loads(pickle.dumps(game))}


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_copies_by_the_standard_library_go_their_own_way(name: str, copied: Callable[[Game], Game]) -> None:
    line = started(name)
    for luck in range(20):
        line.move(luck)
    other = Line(copied(line.game), line.moves[:])
    events, view = list(line.game.events), line.game.view(0)
    while not other.game.over:
        other.move(len(other.moves))
    assert (list(line.game.events), line.game.view(0)) == (events, view)
    again = started(name).game
    for seat, action in other.moves:
        again.apply(seat, action)
    assert list(other.game.events) == list(again.events)
    assert other.game.outcome == again.outcome


@pytest.mark.parametrize("name", RULESETS)
def test_neither_copies_nor_what_is_played_on_them_copies_the_events(name: str) -> None:
    """Unless somebody reads them: a search that looks ahead from late in a game pays nothing for what was before."""
    line = started(name)
    while not line.game.over and (len(line.moves) < 40 or len(line.game.to_act()) > 1):
        line.move(len(line.moves))
    first = line.game.events[0]
    before = sys.getrefcount(first)
    copies = [line.copy() for _ in range(3)]
    for copy in [*copies, *[copy.copy() for copy in copies]]:
        for luck in range(3):
            if not copy.game.over:
                copy.move(luck)
        copies.append(copy)
    assert sys.getrefcount(first) == before
    assert all(copy.game.events[0] is first for copy in copies)
    assert sys.getrefcount(first) > before
