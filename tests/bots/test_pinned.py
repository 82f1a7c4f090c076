"""House bots that share code decide what they decided before: changes of what they share are seen here."""

import pytest

from beanleague.games import rulesets
from beanleague.league.bots.house_bots import house_bots
from tests.bots.pinning import BOTS, HOME, SHORT, digests, long_matches, pinned, short_matches


@pytest.mark.parametrize(
    "match", [*short_matches(), *(pytest.param(name, marks=pytest.mark.slow) for name in long_matches())]
)
def test_their_actions_and_the_events_are_as_pinned(match: str) -> None:
    assert digests(match) == pinned()[match]


def test_each_bot_is_pinned_in_each_of_its_games() -> None:
    """Grandmaster thinks for seconds in the duel, so that is among the long matches."""
    plays = {(game.id, name) for game in rulesets() for name in BOTS if HOME / name in house_bots(game.id)}
    assert plays - {(game, name) for game, bots in SHORT for name in bots} == {("duel", "grandmaster")}


def test_no_match_is_pinned_that_is_not_played() -> None:
    assert set(pinned()) == {*short_matches(), *long_matches()}
