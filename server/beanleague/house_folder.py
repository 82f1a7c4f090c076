"""The house bots: their games, and the folders of their bundles, in an installed package or a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).parent
INSTALLED = _PACKAGE / "_house_bots"
CHECKOUT = _PACKAGE.parents[1] / "bots"

TRADING = ("bohnanza", "bohnanza-extended", "bohnanza-classic")
"""The games with trading, by their ids."""
_OTHERS = ("bohnanza-two", "duel", "dice", "dice-2012")

HOUSE_BOTS = {
    "trader": TRADING,
    "grandmaster": (*TRADING, "duel"),
    "merchant": TRADING,
    "haggler": TRADING,
    "farmer": TRADING,
    "beginner": TRADING,
    "gardener": ("bohnanza-two",),
    "duelist": ("duel",),
    "surveyor": ("duel",),
    "dicer": ("dice", "dice-2012"),
    "journeyman": _OTHERS,
    "apprentice": _OTHERS,
    "pupil": ("duel", "dice", "dice-2012"),
    "novice": _OTHERS,
    "random": (*TRADING, *_OTHERS),
}
"""House bots, best first, with the games that they play; they are built in and need not be submitted."""

STRENGTH = {
    "trader": "very strong",
    "grandmaster": "very strong",
    "merchant": "medium",
    "haggler": "medium",
    "farmer": "easy",
    "beginner": "very easy",
    "gardener": "strong",
    "duelist": "very strong",
    "surveyor": "strong",
    "dicer": "very strong",
    "journeyman": "medium",
    "apprentice": "easy",
    "pupil": "very easy",
    "novice": "very easy",
    "random": "random moves",
}
"""A word for people on the strength of each house bot among those that play the same games (docs/bots.md)."""


def playing(game: str) -> tuple[str, ...]:
    """Return the house bots that play a game, best first."""
    return tuple(name for name, games in HOUSE_BOTS.items() if game in games)


def house_folders() -> tuple[Path, ...]:
    """Return the bundle folders of the house bots, sorted by name; empty if they are missing."""
    for home in (INSTALLED, CHECKOUT):
        bundles = sorted(path.parent for path in home.glob("*/bot.toml"))
        if bundles:
            return tuple(bundles)
    return ()


def house_folder(name: str) -> Path | None:
    """Return the bundle folder of the house bot `name`; None if it is missing."""
    return next((folder for folder in house_folders() if folder.name == name), None)
