"""Where the bundles of the house bots are: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
INSTALLED = _PACKAGE / "_house_bots"
CHECKOUT = _PACKAGE.parents[1] / "bots"


def house_folders() -> tuple[Path, ...]:
    """Return the folders of the house bots, each a bundle, in the order of their names; none if they are not there."""
    for home in (INSTALLED, CHECKOUT):
        bundles = sorted(path.parent for path in home.glob("*/bot.toml"))
        if bundles:
            return tuple(bundles)
    return ()
