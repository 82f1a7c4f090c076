"""`beanleague bot new`: begin a bot."""

from __future__ import annotations

from pathlib import Path

import click

from beanleague.cli.connection.completion import games
from beanleague.cli.errors import CliError
from beanleague.cli.starter import starter
from beanleague.games import UnknownRulesetError
from beanleague.names import NAME, NAME_RULE


@click.command("new")
@click.argument("name")
@click.option(
    "--game", metavar="GAME", shell_complete=games, required=True, help="The game it plays; see 'beanleague games'."
)
def new_bot(name: str, game: str) -> None:
    """Make the folder NAME with a bot in Python that plays GAME, a test of it and a README."""
    if not NAME.fullmatch(name):
        raise CliError(f"{name!r:.80} is not a name of a bot: {NAME_RULE}")
    try:
        files = starter(name, game)
    except UnknownRulesetError as unknown:
        raise CliError(str(unknown)) from None
    folder = Path(name)
    try:
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, "utf-8")
    except FileExistsError:
        raise CliError(f"{folder} exists already; choose another name, or remove it") from None
    except OSError as error:
        raise CliError(f"{folder} cannot be written: {error.strerror}") from None
    click.echo(f"Made {folder} with {', '.join(files)}.")
    click.echo(f"Try it with: python -m beanbot.practice {name} random --game {game}")
