"""`bot new`: what it makes plays."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from beanbot import load_bot
from beanbot.practice import play
from beanleague.cli.example_starter import BUILDS, FILES
from beanleague.games import ruleset, rulesets
from beanleague.league.bots.manifest import parse_manifest
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[3] / "examples"
NOT_IN_GIT = ("referee.proto", "node_modules", "types", "bot.js", "bot.test.js", "generated", "classes", "bot.jar")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which is empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("game", [game.id for game in rulesets()])
def test_a_new_bot_of_every_game_plays_without_a_fault(run: Run, here: Path, game: str) -> None:
    assert run("bot", "new", "my-bot", "--game", game).exit_code == 0
    files = [file.name for file in (here / "my-bot").iterdir()]
    assert parse_manifest((here / "my-bot/bot.toml").read_bytes(), files).games == (game,)
    faults: list[str] = []
    seats = ruleset(game).least_seats
    play([load_bot(here / "my-bot")], game=game, games=1, seats=seats, report=lambda _, what: faults.append(what))
    assert faults == []


def test_its_test_passes(run: Run, here: Path) -> None:
    assert run("bot", "new", "my-bot", "--game", "dice").exit_code == 0
    result = subprocess.run(  # our own program
        [sys.executable, "-m", "unittest"], cwd=here / "my-bot", capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "Ran 1 test" in result.stderr


def test_what_is_there_is_not_overwritten(run: Run, here: Path) -> None:
    run("bot", "new", "my-bot", "--game", "duel")
    (here / "my-bot/bot.py").write_text("mine")
    result = run("bot", "new", "my-bot", "--game", "duel")
    assert result.exit_code == 1
    assert "my-bot exists already; choose another name, or remove it" in result.output
    assert (here / "my-bot/bot.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("../mine", "--game", "duel"), "'../mine' is not a name of a bot: a name is 1 to 32 of"),
        (("mine", "--game", "duell"), "unknown ruleset 'duell'; did you mean 'duel'?"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_bad_name_or_game_makes_nothing(run: Run, here: Path, words: tuple[str, ...], why: str) -> None:
    result = run("bot", "new", *words)
    assert result.exit_code == 1
    assert why in result.output
    assert list(here.iterdir()) == []


def test_the_class_has_a_name_that_python_takes(run: Run, here: Path) -> None:
    run("bot", "new", "2nd-bean", "--game", "duel")
    assert "class Bot2NdBean(DuelBot):" in (here / "2nd-bean/bot.py").read_text()


@pytest.mark.parametrize("language", ["typescript", "java"])
@pytest.mark.parametrize("game", ["bohnanza", "bohnanza-classic"])
def test_one_in_another_language_is_the_example_under_its_name(run: Run, here: Path, language: str, game: str) -> None:
    """The examples are built and played by their own tests."""
    result = run("bot", "new", "my-bot", "--game", game, "--language", language)
    assert result.exit_code == 0, result.output
    made = here / "my-bot"
    names = {file.name for file in made.iterdir()}
    manifest = parse_manifest((made / "bot.toml").read_bytes(), {*names, "bot.js", "bot.jar"})
    assert (manifest.name, manifest.games) == ("my-bot", (game,))
    assert {"README.md", "referee.proto"} < names
    assert not any("sprout" in (made / name).read_text("utf-8") for name in names)
    assert {name for name in names if os.access(made / name, os.X_OK)} == {
        name for name in names if name.endswith(".sh")
    }
    built = f"cd my-bot && {BUILDS[language]}"
    assert built in result.output
    example = {file.name for file in (EXAMPLES / language).iterdir()} - set(NOT_IN_GIT)
    assert names - {"referee.proto"} == example


def test_other_languages_have_the_trading_games_only(run: Run, here: Path) -> None:
    result = run("bot", "new", "my-bot", "--game", "dice", "--language", "java")
    assert result.exit_code == 1
    assert "in java a bot can be begun for bohnanza, bohnanza-extended, bohnanza-classic; for dice" in result.output
    assert list(here.iterdir()) == []


def test_the_package_has_what_bots_in_other_languages_begin_with() -> None:
    config = tomllib.loads((EXAMPLES.parent / "pyproject.toml").read_text("utf-8"))
    included = config["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wanted = {f"{language}/{file}" for language, files in FILES.items() for file in files}
    assert {f"examples/{file}": f"beanleague/_examples/{file}" for file in wanted}.items() <= included.items()
