"""Arguments and options shared by several commands."""

from collections.abc import Callable
from typing import Any

import click

from beanleague.cli.connection.completion import bots, games, leagues
from beanleague.cli.connection.session import connected
from beanleague.cli.params import Command, Count, GameOption
from beanleague.cli.views.output import with_output


def reporting(command: Command) -> Command:
    """Add the global options and --json to a command, which is passed its `Session`, and its `Output` as `out`."""
    return with_output(connected(command))


def reporting_on(command: Command) -> Command:
    """Add the name of a league or ladder to a command, and the options of `reporting`."""
    return click.argument("name", shell_complete=leagues)(reporting(command))


def reporting_on_entry(command: Command) -> Command:
    """Add the names of a league or ladder and of a bot in it to a command, and the options of `reporting`."""
    return click.argument("name", shell_complete=leagues)(
        click.argument("bot", metavar="BOT[@VERSION]", shell_complete=bots)(reporting(command))
    )


def bot_option(name: str, meaning: str, metavar: str = "NAME[@VERSION]") -> Callable[[Command], Command]:
    """Return an option for a bot."""
    return click.option(name, metavar=metavar, shell_complete=bots, default="", help=meaning)


def game_option(default: str = "", what: str = "The game to play") -> Callable[[Command], Command]:
    """Return the option --game, which is required without a `default`."""
    settings: dict[str, Any] = {"default": default, "show_default": True} if default else {"required": True}
    return click.option(
        "--game", metavar="GAME", shell_complete=games, help=f"{what}; see 'beanleague games'.", **settings
    )


game_options = click.option(
    "--option",
    "options",
    multiple=True,
    type=GameOption(),
    help="Option of the game, e.g. max_rounds=6 or deck=FILE; repeatable.",
)
move_limit = click.option("--move-ms", type=Count(min=1), help="Milliseconds for each decision. Default: 1000.")
workers = click.option("--workers", type=Count(min=1), help="Number of worker processes. Default: one per core.")


def in_flight(default: str = "16 to 128, depending on the bots") -> Callable[[Command], Command]:
    """Return the option --in-flight."""
    return click.option(
        "--in-flight", type=Count(min=1), help=f"Number of matches that each worker plays at once. Default: {default}."
    )


keep_days = click.option(
    "--keep-days",
    type=Count(0),
    default=30,
    show_default=True,
    help="Days until records of a ladder are stored without events, and replayed when opened. 0: never.",
)
