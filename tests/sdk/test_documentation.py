"""The code in docs/sdk.md does what the page says."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from beanbot import Bot, load_bot
from beanbot.bohnanza import BohnanzaBot, BohnanzaView
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.practice import play
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot
from beanleague.bot_settings import bot_settings
from beanleague.games import new_game, ruleset
from beanleague.league.bots.house_bots import house_bots
from tests.sdk.helpers import fail

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "sdk.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


BOTS = [code for code in blocks("python") if "\nrun(" in code]
SCRIPTS = [code for code in blocks("python") if "\nrun(" not in code]


def title(code: str) -> str:
    named = re.search(r"class (\w+)", code)
    return named[1] if named else "script"


def test_the_page_has_bots_and_scripts() -> None:
    assert len(BOTS) >= 4
    assert len(SCRIPTS) >= 2


@pytest.mark.parametrize("code", BOTS, ids=title)
def test_each_bot_plays_without_a_fault(code: str, tmp_path: Path) -> None:
    file = tmp_path / "mybot.py"
    file.write_text(code)
    bot = load_bot(file)
    for game in bot.classes[0].games:
        others = [load_bot(folder) for folder in house_bots(game) if folder.name in {"trader", "random"}]
        seats = 5 if game == "bohnanza" else ruleset(game).least_seats
        played = play([bot, *others], game=game, deals=1, seats=seats, report=fail)
        assert played.row("mybot").decisions


def rows(heading: str) -> list[str]:
    """The first cells of the table whose first heading is this."""
    table = PAGE[PAGE.index(f"| {heading} |") :].partition("\n\n")[0].splitlines()[2:]
    return [row.strip("|").partition(" | ")[0] for row in table]


def test_every_decision_of_the_trading_games_is_a_method() -> None:
    methods = [re.findall(r"`(\w+)`", row)[0] for row in rows("method")]
    defined = [name for name in vars(BohnanzaBot) if not name.startswith("_") and name not in {"games", "decide"}]
    assert sorted(methods) == sorted(defined)


def test_everything_documented_about_the_view_is_in_the_view() -> None:
    view = new_game("bohnanza", seats=3, seed=b"x").view(0)
    assert isinstance(view, BohnanzaView)
    names = [name for row in rows("in the view") for name in re.findall(r"`(\w+)", row)]
    assert names
    assert all(hasattr(view, name) for name in names)
    documented = set(names) | {"decision"}
    assert set(BohnanzaView.__dataclass_fields__) <= documented


@pytest.mark.parametrize("bot", [BohnanzaTwoBot, DuelBot, DiceBot, ThiefBot])
def test_every_decision_is_a_method_of_its_class(bot: type[Bot[Any]]) -> None:
    table = PAGE[PAGE.index(f"| `{bot.__name__}` | when |") :].partition("\n\n")[0].splitlines()[2:]
    documented = [re.findall(r"`(\w+)`", row)[0] for row in table]
    inherited = {"decide"} | ({"save"} if bot is ThiefBot else set())
    methods = [name for name, value in vars(bot).items() if callable(value) and not name.startswith("_")]
    assert sorted(documented) == sorted(set(methods) - inherited)


@pytest.mark.parametrize("code", SCRIPTS, ids=title)
def test_each_script_runs(code: str) -> None:
    exec(compile(code, "docs/sdk.md", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("name", ["Caller", "Swapper"])
def test_bots_that_trade_gain_by_it(name: str, tmp_path: Path) -> None:
    (code,) = (code for code in BOTS if title(code) == name)
    file = tmp_path / "mybot.py"
    file.write_text(code)
    alone = play([load_bot(ROOT / "bots" / "farmer")], deals=3, seats=4).row("farmer").dollars
    assert play([load_bot(file)], deals=3, seats=4).row("mybot").dollars > alone


def test_the_bot_toml_is_toml_with_the_keys_a_bundle_has() -> None:
    manifest, settings = blocks("toml")
    required = {"name", "games", "command"}
    assert set(tomllib.loads(manifest)) == required | {"description", "author", "leave_out", "environment"}
    assert set(bot_settings(tomllib.loads(settings)["settings"])) == {"depth", "weights"}
