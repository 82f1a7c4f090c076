"""One bot may play several games: with a class for each family, or with one class for all."""

from __future__ import annotations

from pathlib import Path

import pytest

from beanbot import load_bot
from beanbot.practice import play
from beanleague.games import Ruleset, rulesets

PROGRAM = """
from beanbot import run
from beanbot.bohnanza import BohnanzaBot
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot

run(BohnanzaBot, BohnanzaTwoBot, DuelBot, DiceBot, ThiefBot)
"""


@pytest.mark.parametrize("game", rulesets(), ids=lambda game: game.id)
def test_five_classes_are_a_bot_for_every_ruleset(game: Ruleset, tmp_path: Path) -> None:
    """In each match the class plays whose ruleset it is, and all that it does is legal."""
    file = tmp_path / "everything.py"
    file.write_text(PROGRAM)
    bot = load_bot(file)
    (played,) = [each for each in bot.classes if game.id in each.games]
    assert bot.class_for(game.id) is played
    result = play([bot], game=game.id, games=1, report=lambda name, what: pytest.fail(f"{name}: {what}"))
    assert result.row("everything").faults == 0
    assert result.row("everything").decisions > 0
