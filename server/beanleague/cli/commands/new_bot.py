"""`beanleague bot new`: begin a bot."""

from __future__ import annotations

from pathlib import Path

import click

from beanleague.cli.connection.completion import games
from beanleague.cli.errors import CliError
from beanleague.cli.example_starter import BUILDS, FILES, example_starter
from beanleague.cli.starter import starter
from beanleague.games.core.errors import UnknownRulesetError
from beanleague.names import NAME, NAME_RULE


@click.command("new")
@click.argument("name")
@click.option(
    "--game", metavar="GAME", shell_complete=games, required=True, help="The game it plays; see 'beanleague games'."
)
@click.option(
    "--language",
    type=click.Choice(["python", *FILES]),
    default="python",
    show_default=True,
    help="The language it is written in; others than Python for the trading games only.",
)
def new_bot(name: str, game: str, language: str) -> None:
    """Make the folder NAME with a bot that plays GAME, a test of it and a README."""
    if not NAME.fullmatch(name):
        raise CliError(f"{name!r:.80} is not a name of a bot: {NAME_RULE}")
    try:
        files = starter(name, game) if language == "python" else example_starter(name, game, language)
    except UnknownRulesetError as unknown:
        raise CliError(str(unknown)) from None
    folder = Path(name)
    try:
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, "utf-8")
            if text.startswith("#!"):
                (folder / file).chmod(0o755)
    except FileExistsError:
        raise CliError(f"{folder} exists already; choose another name, or remove it") from None
    except OSError as error:
        raise CliError(f"{folder} cannot be written: {error.strerror}") from None
    click.echo(f"Made {folder} with {', '.join(files)}.")
    if language == "python":
        click.echo(f"Try it with: python -m beanbot.practice {name} random --game {game}")
    else:
        click.echo(f"Build and test it: cd {name} && {BUILDS[language]}")
        click.echo(f"Then try it with: beanleague practice {name} random --game {game}")
