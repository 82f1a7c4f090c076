"""The files of a new bot in another language than Python: those of an example under another name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from beanleague.cli.errors import CliError
from beanleague.games import ruleset

FILES: Mapping[str, tuple[str, ...]] = {
    "typescript": ("bot.toml", "bot.ts", "bot.test.ts", "package.json", "tsconfig.json", "README.md"),
    "java": ("bot.toml", "Bot.java", "UnixChannel.java", "BotTest.java", "build.sh", "test.sh", "jars", "README.md"),
}
"""The files of each language; the package has them too (`force-include` in pyproject.toml)."""

BUILDS: Mapping[str, str] = {"typescript": "npm install --no-package-lock && npm test", "java": "./test.sh"}
"""The command that builds a bot and tests it, in its folder."""

_NAMES = {"typescript": "sprout-ts", "java": "sprout-java"}  # of the examples
_GAMES = ("bohnanza", "bohnanza-extended", "bohnanza-classic")  # that they know
_PACKAGE = Path(__file__).parents[1]
_HOMES = (_PACKAGE / "_examples", _PACKAGE.parents[1] / "examples")  # installed, and in a checkout


def example_starter(name: str, game: str, language: str) -> Mapping[str, str]:
    """Return the files of a new bot `name` for `game` in `language`, one of `FILES`: their texts by name.

    Raises:
        UnknownRulesetError: if there is no such game.
        CliError: if the examples do not play it, or are not there.
    """
    ruleset(game)
    if game not in _GAMES:
        raise CliError(f"in {language} a bot can be begun for {', '.join(_GAMES)}; for {game} in Python only")
    home = next((home / language for home in _HOMES if (home / language).is_dir()), None)
    if home is None:
        raise CliError("the examples are missing from this installation; install beanleague again")
    texts = {file: (home / file).read_text("utf-8").replace(_NAMES[language], name) for file in FILES[language]}
    texts["bot.toml"] = texts["bot.toml"].replace('games = ["bohnanza"]', f'games = ["{game}"]')
    texts["referee.proto"] = files("beanproto").joinpath("v1/referee.proto").read_text("utf-8")
    return texts
