"""The files of a new bot: in Python a program that plays, its test and a README; else an example by another name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from beanleague.games import ruleset


class StarterError(Exception):
    """There is no beginning of such a bot; the message says why."""


@dataclass(frozen=True, slots=True)
class _Starter:
    """What the program of a family of games begins with."""

    module: str
    """The module of `beanbot`."""
    names: str
    """What it imports from there."""
    base: str
    """The class of its bot."""
    method: str
    """A decision that the author may change first."""


_TRADING = _Starter(
    "bohnanza",
    "Accept, BohnanzaBot, BohnanzaView, Choice, Decline",
    "BohnanzaBot",
    '''\
    def answer(self, view: BohnanzaView) -> Choice:
        """Take gifts of kinds that grow in the own fields; decline everything else."""
        assert view.offer is not None
        growing = {field.kind for field in view.own_fields}
        gift = view.offer.gives and not view.offer.wants
        return Accept() if gift and growing.issuperset(view.offer.gives) else Decline()
''',
)
_TWO = _Starter(
    "two",
    "BohnanzaTwoBot, BohnanzaTwoView, Choice, Pass",
    "BohnanzaTwoBot",
    '''\
    def plant_second(self, view: BohnanzaTwoView) -> Choice:
        """Plant a second card only where its kind grows already."""
        growing = {field.kind for field in view.own_fields}
        return super().plant_second(view) if view.hand[0] in growing else Pass()
''',
)
_DUEL = _Starter(
    "duel",
    "AcceptGift, Choice, DeclineGift, DuelBot, DuelView, best_place",
    "DuelBot",
    '''\
    def answer_gift(self, view: DuelView) -> Choice:
        """Accept a gift that an own field takes."""
        assert view.offer is not None
        return DeclineGift() if best_place(view, view.offer) is None else AcceptGift()
''',
)
_SAVE = '''\
    def save(self, view: DiceView) -> Choice:
        """Save the dice that help most; if none does, the first."""
        return Save(useful_dice(view) or view.rolled[:1])
'''
_DICE = _Starter("dice", "Choice, DiceBot, DiceView, Save, useful_dice", "DiceBot", _SAVE)
_THIEF = _Starter("thief", "Choice, DiceView, Save, ThiefBot, useful_dice", "ThiefBot", _SAVE)
_PACKAGE = Path(__file__).parent
_IN_PYTHON = ("bot.toml", "bot.py", "test_bot.py", "README.md")
_BY_BEGINNING = {"bohnanza-two": _TWO, "bohnanza": _TRADING, "duel": _DUEL, "dice": _DICE, "bean-thief": _THIEF}


def _in_python(name: str, game: str) -> Mapping[str, str]:
    seats = ruleset(game).least_seats
    kind = next(kind for beginning, kind in _BY_BEGINNING.items() if game.startswith(beginning))
    words = "".join(word.title() for word in name.replace("-", "_").split("_"))
    values = {
        "name": name,
        "game": game,
        "seats": seats,
        "class_name": words if words.isidentifier() else f"Bot{words}",
        "module": kind.module,
        "names": kind.names,
        "base": kind.base,
        "method": kind.method,
    }
    texts = {file: (_PACKAGE / "starter_files" / f"{file}.txt").read_text("utf-8") for file in _IN_PYTHON}
    return {file: Template(text).substitute(values) for file, text in texts.items()}


FILES: Mapping[str, tuple[str, ...]] = {
    "typescript": ("bot.toml", "bot.ts", "bot.test.ts", "package.json", "tsconfig.json", "README.md"),
    "java": ("bot.toml", "Bot.java", "UnixChannel.java", "BotTest.java", "build.sh", "test.sh", "jars", "README.md"),
    "cpp": ("bot.toml", "bot.cpp", "build.sh", "README.md"),
}
"""The files of each language; the package has them too (`force-include` in pyproject.toml)."""

BUILDS: Mapping[str, str] = {
    "typescript": "npm install --no-package-lock && npm test",
    "java": "./test.sh",
    "cpp": "./build.sh",
}
"""The command that builds a bot and tests it where it has a test, in its folder."""

LANGUAGES = ("python", *FILES)
"""In which a bot can be begun, for every game."""

_NAMES = {"typescript": "sprout-ts", "java": "sprout-java", "cpp": "sprout-cpp"}  # of the examples
_GAMES = re.compile(r"^games = .*$", re.MULTILINE)  # in their bot.toml
_HOMES = (_PACKAGE / "_examples", _PACKAGE.parents[1] / "examples")  # installed, and in a checkout


def starter(name: str, game: str, language: str = "python") -> Mapping[str, str]:
    """Return the files of a new bot `name` for `game` in a language: their texts by name. Those with "#!" are programs.

    Raises:
        UnknownRulesetError: if there is no such game.
        StarterError: if there are no bots in this language, or the examples are not there.
    """
    ruleset(game)
    if language not in LANGUAGES:
        raise StarterError(f"a bot can be begun in {', '.join(LANGUAGES)}, not in {language}")
    return _in_python(name, game) if language == "python" else _example(name, game, language)


def _example(name: str, game: str, language: str) -> Mapping[str, str]:
    home = next((home / language for home in _HOMES if (home / language).is_dir()), None)
    if home is None:
        raise StarterError("the examples are missing from this installation; install beanleague again")
    texts = {file: (home / file).read_text("utf-8").replace(_NAMES[language], name) for file in FILES[language]}
    texts["bot.toml"] = _GAMES.sub(f'games = ["{game}"]', texts["bot.toml"])
    texts["README.md"] = texts["README.md"].replace("--game bohnanza", f"--game {game}")
    texts["referee.proto"] = files("beanproto").joinpath("v1/referee.proto").read_text("utf-8")
    return texts
