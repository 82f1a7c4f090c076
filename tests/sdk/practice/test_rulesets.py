"""Practice of every ruleset, and against the Bean Thief."""

from itertools import islice
from typing import Any

import pytest

from beanbot import Bot
from beanbot.practice import deals, play
from beanbot.practice.result import as_text
from beanleague.games import Action, View, rulesets
from tests.sdk.helpers import Dull, fail


class Anything(Bot[View]):
    """Does anything that is legal."""

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal())


@pytest.mark.parametrize("game", [game.id for game in rulesets()])
def test_every_ruleset_can_be_practised(game: str) -> None:
    result = play([Anything, Dull], game=game, games=4, report=fail)
    assert {row.name for row in result.rows} == {"Anything", "Dull"}
    assert all(row.faults == 0 and 0 <= row.dollars < 60 for row in result.rows)
    assert len(result.pairings) == 1
    assert game in as_text(result)


def test_every_bot_plays_the_same_deal_against_the_thief() -> None:
    bots: list[type[Bot[Any]]] = [Dull, Anything, Dull]
    first, second = islice(deals(bots, game="bean-thief-easy", report=fail), 2)
    assert [match.entrants[0].name for match in first] == ["Dull", "Anything"]
    assert len(second) == 2


def test_two_equal_bots_tie_on_every_deal_against_the_thief() -> None:
    class Same(Dull):
        pass

    result = play([Dull, Same], game="bean-thief-normal", games=6, report=fail)
    (pairing,) = result.pairings
    assert (pairing.deals, pairing.score) == (3, 0.5)
    assert result.matches == 6
