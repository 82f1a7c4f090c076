"""The policies as players: as bots to derive from, and in play-outs."""

import subprocess
import sys
from random import Random
from typing import Any, ClassVar

import pytest

from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice
from beanbot.bot import Bot, seat_bot
from beanbot.policies import policy
from beanbot.policies.barter import Haggler, Merchant
from beanbot.policies.farmer import Farmer
from beanbot.policies.mistakes import ByDefault, Mistaken
from beanbot.policies.trader import Trader
from beanbot.practice import play
from beanbot.search import farmer, play_out
from beanleague.games import Game, new_game
from tests.choices import first


def no_report(name: str, what: str) -> None:
    """What practice calls for a fault, where there should be none."""
    pytest.fail(f"{name}: {what}")


class Timid(Trader):
    """Believes that the partner's gain is worth nothing."""

    generosity: ClassVar[float] = 0.0


@pytest.mark.parametrize("game", ["bohnanza", "bohnanza-extended", "bohnanza-classic"])
def test_players_and_what_derives_from_them_play_without_a_fault(game: str) -> None:
    play([Trader, Timid, Merchant, Haggler, Farmer], game=game, games=1, options={"max_rounds": 2}, report=no_report)


@pytest.mark.parametrize("player", [Trader, Merchant, Haggler, Farmer, ByDefault])
def test_in_a_play_out_each_seat_plays_by_its_policy(player: type[Bot[Any]]) -> None:
    game = new_game("bohnanza", seats=3, seed=b"play-out", options={"max_rounds": 2})
    policies = [policy(player, ruleset="bohnanza", seat=seat, seats=3) for seat in range(3)]
    outcome = play_out(game, policies, Random(1))
    assert len(outcome.scores) == 3
    assert not game.over


def test_a_farmer_plays_as_its_quick_form_in_play_outs() -> None:
    game: Game = new_game("bohnanza", seats=4, seed=b"farmers")
    players = [seat_bot(Farmer, ruleset="bohnanza", seat=seat, seats=4, luck=b"") for seat in range(4)]
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            action = first(players[seat].decide(view))
            if view.decision.name.startswith("PLANT"):
                assert action == farmer(view)
            game.apply(seat, action)


class Always(Mistaken, BohnanzaBot):
    """Makes the mistakes that its settings say."""

    def plant_first(self, view: BohnanzaView) -> Choice:
        raise AssertionError(view)


def test_mistakes_are_as_frequent_as_the_setting_says() -> None:
    view = new_game("bohnanza", seats=3, seed=b"mistakes").view(0)
    assert isinstance(view, BohnanzaView)
    always, never = (
        seat_bot(Always, ruleset="bohnanza", seat=0, seats=3, luck=b"any", settings={"mistakes": often})
        for often in (1.0, 0.0)
    )
    assert always.decide(view) in view.legal()
    with pytest.raises(AssertionError):
        never.decide(view)


IMPORTS = """
import sys
{imports}
print(*(name for name in sys.modules if name.startswith(("beanbot.policies", "numpy"))))
"""


@pytest.mark.parametrize(
    ("imports", "loaded"),
    [
        (
            "from beanbot import bohnanza, dice, duel, practice, search; practice.play([duel.DuelBot], game='duel')",
            set(),
        ),
        ("import beanbot.policies.mistakes", {"", ".mistakes"}),
        ("import beanbot.policies.trader", {"", ".worth", ".planting", ".scales", ".trading", ".trader"}),
    ],
)
def test_only_what_is_needed_is_loaded_and_no_numpy(imports: str, loaded: set[str]) -> None:
    script = IMPORTS.format(imports=imports)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) == {f"beanbot.policies{name}" for name in loaded}
