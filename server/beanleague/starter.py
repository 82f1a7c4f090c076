"""Files of a new bot: for Python a working program with test and README, for other languages a renamed example."""

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template

from beanleague.games import ruleset


class StarterError(Exception):
    """Raised when there is no starter for the requested bot; the message gives the reason."""


_PACKAGE = Path(__file__).parent
_IN_PYTHON = ("bot.toml", "bot.py", "test_bot.py", "README.md")


def _in_python(name: str, game: str) -> Mapping[str, str]:
    folder = _PACKAGE / "starter_files"
    families = tomllib.loads((folder / "families.toml").read_text("utf-8"))
    words = "".join(word.title() for word in name.replace("-", "_").split("_"))
    values = {
        "name": name,
        "game": game,
        "seats": ruleset(game).least_seats,
        "class_name": words if words.isidentifier() else f"Bot{words}",
        **next(family for beginning, family in families.items() if game.startswith(beginning)),
    }
    return {file: Template((folder / f"{file}.txt").read_text("utf-8")).substitute(values) for file in _IN_PYTHON}


FILES: Mapping[str, tuple[str, ...]] = {
    "typescript": ("bot.toml", "bot.ts", "table.ts", "bot.test.ts", "package.json", "tsconfig.json", "README.md"),
    "java": (
        "bot.toml",
        "Bot.java",
        "Table.java",
        "UnixChannel.java",
        "BotTest.java",
        "build.sh",
        "test.sh",
        "jars",
        "README.md",
    ),
    "cpp": ("bot.toml", "bot.cpp", "table.h", "build.sh", "README.md"),
}
"""Files of the starter bot in each language; `force-include` in pyproject.toml adds them to the package."""

BUILDS: Mapping[str, str] = {
    "typescript": "npm install --no-package-lock && npm test",
    "java": "./test.sh",
    "cpp": "./build.sh",
}
"""Command that builds a bot in its folder, and runs its test if there is one, by language."""

LANGUAGES = ("python", *FILES)
"""Languages with starter bots for every game."""

_NAMES = {"typescript": "sprout-ts", "java": "sprout-java", "cpp": "sprout-cpp"}  # folders of the example bots
_GAMES = re.compile(r"^games = .*$", re.MULTILINE)  # line in the examples' bot.toml
_HOMES = (_PACKAGE / "_examples", _PACKAGE.parents[1] / "examples")  # locations in an installation and in a checkout


def starter(name: str, game: str, language: str = "python") -> Mapping[str, str]:
    """Return the files of a new bot `name` for `game`: texts by file name. Files with "#!" are executable.

    Raises:
        UnknownRulesetError: if the game is unknown.
        StarterError: if the language is not supported, or the examples are missing.
    """
    ruleset(game)
    if language not in LANGUAGES:
        raise StarterError(f"no starter bot for {language}; choose from {', '.join(LANGUAGES)}")
    return _in_python(name, game) if language == "python" else _example(name, game, language)


def _example(name: str, game: str, language: str) -> Mapping[str, str]:
    home = next((home / language for home in _HOMES if (home / language).is_dir()), None)
    if home is None:
        raise StarterError("the examples are missing from this installation; reinstall beanleague")
    texts = {file: (home / file).read_text("utf-8").replace(_NAMES[language], name) for file in FILES[language]}
    texts["bot.toml"] = _GAMES.sub(f'games = ["{game}"]', texts["bot.toml"])
    texts["README.md"] = texts["README.md"].replace("--game bohnanza", f"--game {game}")
    texts["referee.proto"] = files("beanproto").joinpath("v1/referee.proto").read_text("utf-8")
    return texts
