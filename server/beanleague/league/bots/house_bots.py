"""Where the house bots are: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

import beanleague

_PACKAGE = Path(beanleague.__file__).parent
_INSTALLED = _PACKAGE / "_house_bots"
_CHECKOUT = _PACKAGE.parents[1] / "bots"


def house_names() -> frozenset[str]:
    """The names of the house bots; none if this installation lacks them."""
    try:
        return frozenset(folder.name for folder in house_bots())
    except FileNotFoundError:
        return frozenset()


def house_bots(game: str = "") -> tuple[Path, ...]:
    """The folders of the house bots, each a bundle, in the order of their names; with `game`, of those that play it.

    Raises:
        FileNotFoundError: if this installation has none.
    """
    for home in (_INSTALLED, _CHECKOUT):
        bundles = sorted(path.parent for path in home.glob("*/bot.toml"))
        if bundles:
            return tuple(bundle for bundle in bundles if not game or game in _games(bundle))
    raise FileNotFoundError(
        f"this installation lacks the house bots; expected them in {_INSTALLED}: install beanleague again"
    )


def _games(bundle: Path) -> Sequence[str]:
    games: Sequence[str] = tomllib.loads((bundle / "bot.toml").read_text("utf-8"))["games"]
    return games
