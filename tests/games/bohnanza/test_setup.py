"""Setting up: what differs by table size, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from beanleague.games import SetupError
from beanleague.games.core import Dealt, TurnStarted
from tests.games.bohnanza.helpers import bohnanza
from tests.games.helpers import of_type


@pytest.mark.parametrize(("seats", "fields"), [(3, 3), (4, 2), (5, 2)])
def test_the_base_game_at_each_table_size(seats: int, fields: int) -> None:
    """Eight kinds, 104 cards, five in each hand, three drawn a turn, an end at the third run-out, also with three."""
    game = bohnanza(seats)
    rules = game.rules
    assert {kind.name: kind.cards for kind in rules.kinds} == {
        "garden": 6,
        "red": 8,
        "black_eyed": 10,
        "soy": 12,
        "green": 14,
        "stink": 16,
        "chili": 18,
        "blue": 20,
    }
    assert rules.cards == 104
    assert (rules.fields, rules.turned, rules.draws, rules.run_outs) == (fields, 2, 3, 3)
    view = game.view(0)
    assert [len(own) for own in view.fields] == [fields] * seats
    assert view.hand_sizes == (5,) * seats
    assert view.pile == 104 - 5 * seats
    assert (view.turn, view.active, game.to_act()) == (1, 0, (0,))
    assert [event.seat for event in of_type(game.events, Dealt)] == list(range(seats))
    assert game.events[-1] == TurnStarted(1, 0)


@pytest.mark.parametrize("rounds", [-1, 1001, 1.0, "3", True, None, (3,), pytest.param(10**5000, id="huge")])
def test_max_rounds_is_a_whole_number_up_to_a_thousand(rounds: Any) -> None:
    with pytest.raises(SetupError, match="max_rounds must be a whole number from 0 to 1000"):
        bohnanza(max_rounds=rounds)


@pytest.mark.parametrize("interludes", [(3,), (-1,), (1, 0), (0, 0), (True,), (0.0,), ([],), [0], "0", 2, None])
def test_interludes_are_ascending_seats(interludes: Any) -> None:
    with pytest.raises(SetupError, match="interludes must be ascending seats from 0 to 2"):
        bohnanza(interludes=interludes)


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(SetupError, match="unknown option 'rounds'; did you mean 'max_rounds'"):
        bohnanza(rounds=3)


def test_options_are_kept_with_defaults_filled_in() -> None:
    assert bohnanza().options == {"max_rounds": 6, "interludes": ()}
    assert bohnanza(interludes=(0, 2)).options == {"max_rounds": 6, "interludes": (0, 2)}
