"""One bot may play several games: with a class for each family, or with one class for all."""

from pathlib import Path

import pytest

from beanbot import load_bot
from beanbot.practice import play
from beanleague.games import Ruleset, rulesets
from beanleague.games.families import FAMILIES
from tests.sdk.helpers import fail

PROGRAM = f"""
from importlib import import_module
from beanbot import Bot, run

modules = [import_module("beanbot." + name) for name in {[*(family.name for family in FAMILIES), "thief"]}]
values = [(module, value) for module in modules for value in vars(module).values()]
bots = [value for module, value in values if isinstance(value, type) and issubclass(value, Bot)
        and value.__module__ == module.__name__]
run(*bots)
"""
"""A bot with the class of every family, and with the class for the Bean Thief."""


@pytest.mark.parametrize("game", rulesets(), ids=lambda game: game.id)
def test_the_classes_of_all_families_are_a_bot_for_every_ruleset(game: Ruleset, tmp_path: Path) -> None:
    """In each match the class plays whose ruleset it is, and all that it does is legal."""
    file = tmp_path / "everything.py"
    file.write_text(PROGRAM)
    bot = load_bot(file)
    (played,) = [each for each in bot.classes if game.id in each.games]
    assert bot.class_for(game.id) is played
    result = play([bot], game=game.id, games=1, report=fail)
    assert result.row("everything").faults == 0
    assert result.row("everything").decisions > 0
