"""Reading a bot from disk to send it."""

from __future__ import annotations

from pathlib import Path

from beanleague.cli.errors import CliError


def packed(path: Path) -> bytes:
    """Return the bot at `path`, a folder or a zip file, as a zip file.

    Raises:
        CliError: there is none, it cannot be read, or it breaks a limit.
    """
    from beanleague.league.bots.bundles import pack
    from beanleague.league.errors import BundleError

    if not path.exists():
        raise CliError(f"there is no {path}; give the folder of a bot (with bot.toml), or a zip file of one")
    try:
        return pack(path)
    except BundleError as error:
        raise CliError(f"{path} cannot be packed: {error}") from None
