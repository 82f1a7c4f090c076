"""House bots: names, bundles, and their trusted status."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from beanleague.house_folder import INSTALLED, house_folders
from beanleague.league.bots.bundles import digest
from beanleague.league.bots.reading import read_folder
from beanleague.league.errors import BundleError
from beanleague.referee.messages import BotSpec, Limits, Pool, PoolSettings, StartPool


def house_names() -> frozenset[str]:
    """Return the names of the house bots; empty if this installation lacks them."""
    return frozenset(folder.name for folder in house_folders())


def house_bots(game: str = "") -> tuple[Path, ...]:
    """Return the bundle folders of the house bots that play `game` ("" for any), sorted by name.

    Raises:
        FileNotFoundError: if this installation lacks them.
    """
    bundles = house_folders()
    if not bundles:
        raise FileNotFoundError(
            f"this installation lacks the house bots; expected them in {INSTALLED}: reinstall beanleague"
        )
    return tuple(
        bundle
        for bundle in bundles
        if not game or game in tomllib.loads((bundle / "bot.toml").read_text("utf-8"))["games"]
    )


@dataclass(frozen=True, slots=True)
class TrustedPools:
    """Factory of pools that trust house bots, or with `everyone` all bots."""

    start_pool: StartPool
    """Factory of pools of bots whose `trusted` is already set."""
    everyone: bool = False
    """Whether all bots are trusted, not only house bots."""

    def __call__(self, bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> Pool:
        return self.start_pool(marked(bots, everyone=self.everyone), limits, **settings)


def marked(bots: Sequence[BotSpec], *, everyone: bool = False) -> tuple[BotSpec, ...]:
    """Return the bots with `trusted` set for house bots, or with `everyone` for all."""
    house = set(map(_digest, house_folders())) - {""}
    return tuple(replace(bot, trusted=everyone or _digest(Path(bot.folder)) in house) for bot in bots)


def _digest(folder: Path) -> str:
    """Return the digest of the files in `folder`; "" if they are not a valid bundle."""
    try:
        return digest(read_folder(folder))
    except BundleError:
        return ""
