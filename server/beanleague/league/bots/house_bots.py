"""The house bots, and which games they play."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

from beanleague.house_folder import INSTALLED, house_folders
from beanleague.league.bots.bundles import digest, read_folder
from beanleague.league.errors import BundleError
from beanleague.referee.messages import BotSpec, Limits, Pool, PoolSettings, StartPool


def house_names() -> frozenset[str]:
    """The names of the house bots; none if this installation lacks them."""
    return frozenset(folder.name for folder in house_folders())


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
    return tuple(
        bundle
        for bundle in bundles
        if not game or game in tomllib.loads((bundle / "bot.toml").read_text("utf-8"))["games"]
    )


@dataclass(frozen=True, slots=True)
class TrustedPools:
    """Starts pools in which the house bots are trusted, or with `everyone` all bots."""

    start_pool: StartPool
    """Starts a pool for bots of which it is known whether they are trusted."""
    everyone: bool = False
    """Whether all bots are trusted."""

    def __call__(self, bots: Sequence[BotSpec], limits: Limits, **settings: Unpack[PoolSettings]) -> Pool:
        return self.start_pool(marked(bots, everyone=self.everyone), limits, **settings)


def marked(bots: Sequence[BotSpec], *, everyone: bool = False) -> tuple[BotSpec, ...]:
    """Return the bots with those marked that are trusted: the house bots, or everyone."""
    house = set(map(_digest, house_folders())) - {""}
    return tuple(replace(bot, trusted=everyone or _digest(Path(bot.folder)) in house) for bot in bots)


def _digest(folder: Path) -> str:
    """Return the digest of the files in `folder`, "" if they are no bundle."""
    try:
        return digest(read_folder(folder))
    except BundleError:
        return ""
