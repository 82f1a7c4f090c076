"""`beanleague quickstart` and `play`: a first league of house bots, and a match of a person against bots."""

import random
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from beanleague.answers import shape
from beanleague.cli.commands.bot import bundle_at, submit_bundle
from beanleague.cli.commands.match import say
from beanleague.cli.commands.options import game_option, game_options, reporting
from beanleague.cli.connection import following
from beanleague.cli.connection.completion import opponents
from beanleague.cli.connection.session import Session, connected, program, trusting
from beanleague.cli.params import FILE, CliError, Count, Stopped, failing
from beanleague.cli.streams import echo
from beanleague.cli.views.output import Output, check_place, console, quantity, save
from beanleague.cli.views.progress import run_view
from beanleague.files import STANDARD
from beanleague.games import GameError, Record, UnknownRulesetError, record_to_json, ruleset
from beanleague.house_folder import HOUSE_BOTS, playing
from beanleague.league.bots.house_bots import house_bots
from beanleague.names import format_bot
from beanleague.user_folders import expand_home
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


@click.command("play")
@game_option()
@click.option(
    "--against",
    metavar="NAME[@VERSION],...",
    shell_complete=opponents,
    default="",
    help="Opponents: house bots or submitted ones, repeated if there are more seats.",
)
@click.option("--seat", type=Count(min=0), help="Your seat; seat 0 starts. Default: random.")
@game_options
@click.option("--seed", default="", metavar="TEXT", help="Play the same cards again: any text of up to 64 bytes.")
@click.option("--interludes", is_flag=True, help="Also ask between turns, when harvesting is allowed.")
@click.option("--record", type=FILE, metavar="FILE", help="Write the record to FILE.")
@trusting
@connected
def play(
    session: Session,
    game: str,
    against: str,
    seat: int | None,
    options: tuple[pb.OptionValue, ...],
    seed: str,
    interludes: bool,
    record: Path | None,
) -> None:
    """Play a match against bots.

    You see everything that a bot in your seat would see, and have ten minutes for each decision. The match is neither
    rated nor stored. On a server that requires tokens, only authors and organisers can play.
    """
    from beanleague.cli import playing
    from beanleague.seat import GuestSeat
    from beanleague.wire import WireError

    seats = _seats(game, [name.strip() for name in against.split(",") if name.strip()], seat)
    check_place(record)
    shown = redirect_stdout(sys.stderr) if str(record) == STANDARD else nullcontext()
    with shown, session.service() as channel:
        given = {option.name: option.number if option.HasField("number") else option.text for option in options}
        try:
            with (
                failing(WireError),
                GuestSeat(channel, game, seats, options=given, seed=seed.encode(), interludes=interludes) as guest,
            ):
                played = playing.play(console(), guest, input)
        except (playing.LeftError, KeyboardInterrupt, EOFError):
            raise Stopped("You left the table; the match is over.") from None
    if played is None:
        return
    _save(played, record)
    if str(record) != STANDARD:
        _offer_analysis(played, seats.index(""))


def _offer_analysis(played: Record, seat: int) -> None:
    """At a terminal, offer an analysis of a trading game from the person's `seat`."""
    if played.ruleset not in HOUSE_BOTS["trader"] or not sys.stdin.isatty():
        return
    question = "See how it went, and your largest mistakes? This takes a few seconds (y; Enter: no) "
    if input(question).strip().lower() in {"y", "yes"}:
        say(record_to_json(played), "analyse", "-", "--seat", str(seat), as_json=False)


def _seats(game: str, against: list[str], seat: int | None) -> list[str]:
    """Return the bots by seat; "" is the person's seat.

    Raises:
        click.UsageError: if the bots do not fit the seats.
    """
    try:
        rules = ruleset(game)
    except GameError as unknown:
        raise click.UsageError(str(unknown)) from None
    if not against and rules.least_seats > 1:
        bots = playing(game)
        raise click.UsageError(
            f"name your opponents, e.g. --against {bots[0]}; house bots that play {game}, strongest first: "
            f"{', '.join(bots)}; submitted bots can be named too"
        )
    while 0 < len(against) < rules.least_seats - 1:
        against = [*against, against[len(against) % len(set(against))]]
    own = random.randint(0, len(against)) if seat is None else seat  # noqa: S311 - a seat at a table
    if own > len(against):
        raise click.UsageError(
            f"the seat must be 0 to {len(against)} in a match of {len(against) + 1} seats, not {own}"
        )
    return [*against[:own], "", *against[own:]]


def _save(played: Record, file: Path | None) -> None:
    """Write the record to a file; at a terminal, ask for file names until one can be written."""
    asks = sys.stdin.isatty()
    while file is not None or asks:
        if file is None:
            answer = input("Save the record to a file (Enter: no)? ").strip()
            if not answer:
                return
            file = expand_home(answer)
        try:
            save(file, record_to_json(played))
        except CliError as error:
            if not asks:
                raise
            echo(f"{error}", err=True)
            file = None
            continue
        if str(file) != STANDARD:
            echo(f"The record is in {file}; watch it: {program()} match replay {shlex.quote(str(file))}")
        return


_NAME = "quickstart"
_MAX_BOTS = 4
_BOTS = (
    *("trader", "merchant", "haggler", "farmer"),
    *("gardener", "duelist", "dicer", "surveyor", "journeyman", "apprentice", "pupil", "novice", "random"),
)
"""House bots of a quickstart, best first, as far as they play the game. They are fast and of similar strength, so that
each wins sometimes."""


@click.command("quickstart")
@game_option("bohnanza")
@click.option("--deals", type=Count(min=1), default=50, show_default=True, help="Number of deals of a new league.")
@reporting
def quickstart(session: Session, game: str, deals: int, out: Output) -> None:
    """Play a small league of the house bots and show the standings.

    If a quickstart league of the game was stopped, it is continued; otherwise a new one is created.
    """
    with failing(UnknownRulesetError):
        ruleset(game)
    with session.league() as stub:
        bots = _submit_house_bots(stub, game, quiet=out.as_json)
        name = _league(stub, game, bots, deals, quiet=out.as_json)
        last = following.play(session, stub, pb.RunLeagueRequest(name=name), run_view(name, out))
    out.show({"league": name, **shape(last)}, _next_steps(session, name, game, bots))


def _next_steps(session: Session, league: str, game: str, bots: Sequence[str]) -> Iterator[str]:
    against = f" --against {bots[-1].partition('@')[0]}" if ruleset(game).most_seats > 1 else ""
    yield "\nWhat to do next:"
    for step, line in (
        ("see the standings again", session.command("standings", league)),
        ("watch a match", session.command("match replay", f"{league}/1.0")),
        ("watch in a browser", session.command("web")),
        ("play against a bot", session.command(f"play --game {game}{against}")),
        ("write a bot of your own", f"{program()} bot new mybot --game {game}"),
    ):
        yield f"  {step:24} {line}"


def _submit_house_bots(stub: "LeagueStub", game: str, *, quiet: bool) -> list[str]:
    """Submit the first of `_BOTS` that play `game` and return them as "name@version"."""
    with failing(FileNotFoundError):
        known = {folder.name: folder for folder in house_bots(game)}
    folders = [known[name] for name in _BOTS if name in known][:_MAX_BOTS]
    names = []
    for folder in folders:
        answer = submit_bundle(stub, bundle_at(folder))
        names.append(format_bot(answer.name, answer.version))
        if not quiet:
            echo(f"{'submitted' if answer.created else 'already submitted:'} {names[-1]}")
    return names


def _league(stub: "LeagueStub", game: str, bots: list[str], deals: int, *, quiet: bool) -> str:
    """Return the name of an unfinished quickstart league of `game`; create one if there is none."""
    leagues: dict[str, pb.LeagueInfo] = {
        info.name: info for info in stub.ListLeagues(pb.ListLeaguesRequest(all=True)).leagues
    }
    number, name = 1, _NAME
    while name in leagues:
        if leagues[name].ruleset == game and leagues[name].state != pb.LEAGUE_STATE_DONE:
            return name
        number += 1
        name = f"{_NAME}-{number}"
    created = stub.CreateLeague(pb.CreateLeagueRequest(name=name, ruleset=game, bots=bots, deals=deals))
    if not quiet:
        matches = quantity(created.matches_total // created.deals_total, "match", "matches")
        echo(f"created the league {name}: {quantity(deals, 'deal')} of {game}, {matches} each\n")
    return name
