"""Views and values for the tests of the policies."""

from dataclasses import replace
from typing import Any

from beanbot.policies.worth import Worth, worth_of
from beanleague.games import new_game
from beanleague.games.bohnanza import BohnanzaView


def view_of(seats: int = 4, **changed: Any) -> BohnanzaView:
    """Return what seat 0 sees first in a game, with some of it `changed`."""
    view = new_game("bohnanza", seats=seats, seed=b"policies").view(0)
    assert isinstance(view, BohnanzaView)
    return replace(view, **changed)


def values(*, trading: bool = True, hope: float = 1.0) -> Worth:
    """Return the values of fields at a table of four."""
    return worth_of(view_of().rules, hope, trading=trading)
