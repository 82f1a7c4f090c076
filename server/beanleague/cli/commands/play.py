"""`beanleague play`: a match of a person against bots."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import click

from beanleague.cli.connection.completion import games, opponents
from beanleague.cli.connection.options import connected, trusting
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.params.game_options import GameOption
from beanleague.cli.params.options import Count
from beanleague.cli.views.output import console
from beanleague.games import GameError, Record, record_to_json, ruleset
from beanproto.v1.league_pb2 import OptionValue


@click.command("play")
@click.option(
    "--game", metavar="GAME", shell_complete=games, required=True, help="The game to play; see 'beanleague games'."
)
@click.option(
    "--against",
    metavar="NAME[@VERSION],...",
    shell_complete=opponents,
    default="",
    help="The bots to play against: house bots or submitted ones. Fewer than there are seats are repeated.",
)
@click.option("--seat", type=Count(min=0), help="Your seat; seat 0 starts. Left out: any.")
@click.option("--option", "options", multiple=True, type=GameOption(), help="An option of the game, e.g. max_rounds=3.")
@click.option("--seed", default="", metavar="TEXT", help="Play the same cards again: any text of up to 64 bytes.")
@click.option("--interludes", is_flag=True, help="Also ask between turns, when one may harvest.")
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the record to FILE."
)
@trusting
@connected
def play(
    session: Session,
    game: str,
    against: str,
    seat: int | None,
    options: tuple[OptionValue, ...],
    seed: str,
    interludes: bool,
    record: Path | None,
) -> None:
    """Play a match against bots.

    You see what a bot in your seat would see, and have all the time you want: ten minutes for each
    decision. The match is not rated, and nothing of it is stored. A server that requires tokens lets
    authors and organisers play.
    """
    from beanleague.cli.play import match
    from beanleague.seat import GuestSeat
    from beanleague.wire import WireError

    seats = _seats(game, [name.strip() for name in against.split(",") if name.strip()], seat)
    out = console()
    with session.service() as channel:
        given = {option.name: option.number if option.HasField("number") else option.text for option in options}
        try:
            with GuestSeat(channel, game, seats, options=given, seed=seed.encode(), interludes=interludes) as guest:
                played = match.play(out, guest, input)
        except (match.LeftError, KeyboardInterrupt, EOFError):
            raise Stopped("You left the table; the match is over.") from None
        except WireError as problem:
            raise CliError(str(problem)) from None
    if played is not None:
        _save(played, record)


def _seats(game: str, against: list[str], seat: int | None) -> list[str]:
    """Return who sits where; "" is the person's seat.

    Raises:
        click.UsageError: if nobody can sit like this.
    """
    context = click.get_current_context()
    try:
        rules = ruleset(game)
    except GameError as unknown:
        raise click.UsageError(str(unknown), context) from None
    if not against and rules.least_seats > 1:
        raise click.UsageError("say whom you play against, e.g. --against random", context)
    while 0 < len(against) < rules.least_seats - 1:
        against = [*against, against[len(against) % len(set(against))]]
    own = random.randint(0, len(against)) if seat is None else seat  # noqa: S311 - a seat at a table
    if own > len(against):
        raise click.UsageError(
            f"there are {len(against) + 1} seats, so yours is 0 to {len(against)}, not {own}", context
        )
    return [*against[:own], "", *against[own:]]


def _save(played: Record, file: Path | None) -> None:
    """Write the record to a file, which is asked for at a terminal."""
    if file is None and sys.stdin.isatty():
        answer = input("Save the record to a file (Enter: no)? ").strip()
        file = Path(answer).expanduser() if answer else None
    if file is None:
        return
    try:
        file.write_text(record_to_json(played), "utf-8")
    except OSError as error:
        raise CliError(f"cannot write {file}: {error.strerror}") from None
    click.echo(f"The record is in {file}; watch it: beanleague match replay {file}")
