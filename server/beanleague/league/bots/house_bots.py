"""The house bots, and which games they play."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path

from beanleague.house_folder import INSTALLED, house_folders


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
    bundles = house_folders()
    if not bundles:
        raise FileNotFoundError(
            f"this installation lacks the house bots; expected them in {INSTALLED}: install beanleague again"
        )
    return tuple(bundle for bundle in bundles if not game or game in _games(bundle))


def _games(bundle: Path) -> Sequence[str]:
    games: Sequence[str] = tomllib.loads((bundle / "bot.toml").read_text("utf-8"))["games"]
    return games
