"""The flat engine of the game for two, in lockstep with the engine."""

from random import Random
from typing import Any

import pytest

from beanleague.games import Action, new_game
from beanleague.games.core import BuyField, Harvest, Pass, Plant
from beanleague.games.two import DiscardHand, DiscardOpen, PlantOpen
from beanleague.games.two.flat import FlatTwo
from tests.games.helpers import chooser
from tests.games.lockstep import both
from tests.games.wrong_actions import candidates

ACTIONS = (BuyField, DiscardHand, DiscardOpen, Harvest, Pass, Plant, PlantOpen)
LIKELY = tuple(action for action in candidates(ACTIONS) if getattr(action, "card", 0) < 4)
LATE = 6
"""Dollars at which a field is bought: so that it matters which of them pay for it."""


def lockstep(luck: int, sample: int) -> None:
    """Play a game on both, trying other actions before each move; fail at the first difference."""
    game: Any = new_game("bohnanza-two", seats=2, seed=b"flat %d" % luck)
    flat, choose, random = FlatTwo.of(game, sorted), chooser(luck), Random(luck)
    while not game.over:
        (seat,) = game.to_act()
        view = game.view(seat)
        for _ in range(sample):
            other: Action = random.choice(random.choice((LIKELY, LIKELY, candidates(ACTIONS), view.legal())))
            both(game, flat, seat if random.random() < 0.8 else 1 - seat, other)
        if view.can_buy:
            both(game, flat, seat, BuyField())
        action = choose(view)
        if isinstance(action, BuyField) and view.dollars[seat] < LATE:
            action = view.default()
        game, flat = both(game, flat, seat, action)
    assert flat.outcome == game.outcome


@pytest.mark.parametrize("luck", range(8))
def test_flat_games_for_two_go_as_the_engine_s(luck: int) -> None:
    lockstep(luck, sample=5)


@pytest.mark.slow
@pytest.mark.parametrize("luck", range(8, 40))
def test_many_flat_games_for_two_go_as_the_engine_s(luck: int) -> None:
    lockstep(luck, sample=30)
