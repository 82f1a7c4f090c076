"""Names of bots, as they are written on the command line."""

from __future__ import annotations

import click

from beanleague.names import NameFormatError, parse_bot


def split_version(name: str) -> tuple[str, int]:
    """Return the name and the version of "name@version"; 0 stands for the newest version.

    Raises:
        click.UsageError: it is written differently.
    """
    try:
        bare, version = parse_bot(name)
    except NameFormatError as error:
        raise click.UsageError(str(error), click.get_current_context()) from None
    return bare, version or 0
