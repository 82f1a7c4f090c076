"""`beanleague league`: create leagues, run them and look at them."""

from __future__ import annotations

import click
from rich.text import Text

from beanleague.cli.connection.running import play
from beanleague.cli.connection.session import Session, connected, trusting
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.params.game_options import GameOption, options_line
from beanleague.cli.params.limits import SIZES, SizeLimit, each_once
from beanleague.cli.params.options import Count, as_json
from beanleague.cli.views.amounts import counted, part
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.progress import LiveView, PlainView, RunView
from beanleague.cli.views.shapes import shape
from beanleague.cli.views.tables import bot_name, deals_so_far, deals_table, leagues_table, moment, state_name
from beanproto.v1.league_pb2 import (
    LEAGUE_FORMAT_COMPARISON,
    LEAGUE_FORMAT_GAUNTLET,
    AddBotsRequest,
    CreateLeagueRequest,
    LeagueInfo,
    LiftSuspensionRequest,
    Limits,
    ListDealsRequest,
    ListLeaguesRequest,
    OptionValue,
    RecomputeRequest,
    RunLeagueRequest,
    ShowLeagueRequest,
)

_LEAST_SECRET = 16  # bytes
_MOST_SECRET = 64


class Secret(click.ParamType[bytes]):
    """A master secret in hexadecimal."""

    name = "HEX"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Return the secret."""
        if isinstance(value, bytes):
            return value
        try:
            secret = bytes.fromhex(str(value))
        except ValueError:
            self.fail("the secret must be hexadecimal digits", param, ctx)
        if not _LEAST_SECRET <= len(secret) <= _MOST_SECRET:
            self.fail(f"the secret must have {2 * _LEAST_SECRET} to {2 * _MOST_SECRET} hexadecimal digits", param, ctx)
        return secret


@click.group("league")
def league() -> None:
    """Create leagues, run them and look at them."""


@league.command("create")
@click.argument("name")
@click.option("--game", required=True, help="What is played; see 'beanleague games'.")
@click.option("--seats", type=Count(min=1), help="Bots at a table. Default: as many as there are.")
@click.option(
    "--bot", "bots", multiple=True, metavar="NAME[@VERSION]", help="Who plays; repeat it. Default: all that play it."
)
@click.option(
    "--deals", type=Count(min=1), help="How many deals, each played in every rotation. Default: every table once."
)
@click.option("--repeats", type=Count(min=1), help="Instead of --deals: every table so many times.")
@click.option(
    "--option",
    "options",
    multiple=True,
    type=GameOption(),
    help="Of the game, e.g. max_rounds=6 or deck=FILE; repeat it.",
)
@click.option("--move-ms", type=Count(min=1), help="Time for each decision. Default: 1000.")
@click.option("--bank-ms", type=Count(min=0), help="Time a match to overrun decisions with. Default: 10000.")
@click.option("--connect-ms", type=Count(min=1), help="Time for a bot to start. Default: 10000.")
@click.option("--strikes", type=Count(min=0), help="Faults forgiven a match before a forfeit. Default: 3.")
@click.option(
    "--limit",
    "sizes",
    multiple=True,
    callback=each_once,
    type=SizeLimit(),
    help=f"Of a bot process: {', '.join(SIZES)}, e.g. memory_bytes=512M; repeat it.",
)
@click.option("--secret", type=Secret(), default=b"", help="What decides every deal. Default: random.")
@click.option("--show-names", is_flag=True, help="Tell bots who their opponents are.")
@click.option(
    "--gauntlet",
    metavar="BOT",
    default="",
    help="Let this bot sit at every table, against the field; without --deals each of these tables is played once.",
)
@click.option(
    "--anchor", metavar="BOT", default="", help="Rate this bot 1500. Default: the mean of the house bots, else of all."
)
@click.option(
    "--all-seatings", is_flag=True, help="Of three seats: play deals in all six seatings, not three rotations."
)
@as_json
@connected
def create(
    session: Session,
    name: str,
    game: str,
    seats: int | None,
    bots: tuple[str, ...],
    deals: int | None,
    repeats: int | None,
    options: tuple[OptionValue, ...],
    move_ms: int | None,
    bank_ms: int | None,
    connect_ms: int | None,
    strikes: int | None,
    sizes: tuple[tuple[str, int], ...],
    secret: bytes,
    show_names: bool,
    gauntlet: str,
    anchor: str,
    all_seatings: bool,
    as_json: bool,
) -> None:
    """Set up the league NAME; nothing is played yet."""
    if deals and repeats:
        raise click.UsageError("--deals and --repeats exclude each other", click.get_current_context())
    request = CreateLeagueRequest(
        name=name,
        ruleset=game,
        seats=seats or 0,
        bots=bots,
        options=options,
        limits=Limits(move_ms=move_ms, bank_ms=bank_ms, strikes=strikes, connect_ms=connect_ms, **dict(sizes)),
        secret=secret,
        show_names=show_names,
        gauntlet=gauntlet,
        anchor=anchor,
        all_seatings=all_seatings,
    )
    if deals:
        request.deals = deals
    if repeats:
        request.repeats = repeats
    with session.league() as stub:
        made = stub.CreateLeague(request)
    if as_json:
        print_json(shape(made))
        return
    click.echo(
        f"Created {made.name}: {made.ruleset}, {_told(made)}.\n"
        f"Run it with: {session.command(f'league run {made.name}')}"
    )


def _told(made: LeagueInfo) -> str:
    """Return the size of a league; in a solo league every bot plays a deal by itself, against the Thief."""
    solo = made.seats == 1
    of_each = made.matches_total // made.deals_total
    bots = counted(made.entrant_count - solo, "bot")
    table = "against the Bean Thief" if solo else f"{made.seats} seats"
    return f"{bots}, {table}, {counted(made.deals_total, 'deal')} of {counted(of_each, 'match', 'matches')}"


@league.command("run")
@click.argument("name")
@click.option("--workers", type=Count(min=1), help="Processes that play. Default: one a core.")
@click.option("--in-flight", type=Count(min=1), help="Matches at once in each of them. Default: 16.")
@click.option("--fresh", is_flag=True, help="Start new bot processes for every match.")
@trusting
@as_json
@connected
def run(session: Session, name: str, workers: int | None, in_flight: int | None, fresh: bool, as_json: bool) -> None:
    """Play what is left of the league NAME. Ctrl-C stops it; run it again to go on."""
    request = RunLeagueRequest(name=name, workers=workers or 0, in_flight=in_flight or 0, fresh=fresh)
    try:
        with session.league() as stub:
            last = play(session, stub, request, run_view(name, as_json=as_json))
    except KeyboardInterrupt:  # before the run began, which knows better what to say
        raise Stopped(f"stopped; go on with: {session.command(f'league run {name}')}") from None
    if as_json:
        print_json({"league": name, **shape(last)})


def run_view(name: str, *, as_json: bool) -> RunView:
    """Return what shows a run where standard output goes."""
    screen = console()
    if screen.is_terminal and not screen.is_dumb_terminal and not as_json:
        return LiveView(screen, name)
    return PlainView(screen, name, to_stderr=as_json)


@league.command("list")
@as_json
@connected
def list_leagues(session: Session, as_json: bool) -> None:
    """List the leagues by name."""
    with session.league() as stub:
        found = stub.ListLeagues(ListLeaguesRequest())
    if as_json:
        print_json(shape(found))
    elif not found.leagues:
        click.echo(f"No leagues yet; try: {session.command('quickstart')}")
    else:
        console().print(leagues_table(found.leagues))


@league.command("show")
@click.argument("name")
@as_json
@connected
def show(session: Session, name: str, as_json: bool) -> None:
    """Show the league NAME: its game, bots, limits and how far it is."""
    with session.league() as stub:
        info = stub.ShowLeague(ShowLeagueRequest(name=name))
    if as_json:
        print_json(shape(info))
        return
    page = console()
    page.print(Text.assemble((info.name, "bold"), f"  {info.ruleset}, {info.seats} seats  ", (state_name(info), "dim")))
    for what, told in _facts(info):
        page.print(f"{what:8} {told}")


def _facts(info: LeagueInfo) -> list[tuple[str, str]]:
    limits = info.limits
    options = shape(info)["options"]
    assert isinstance(options, dict)
    times = f"{limits.move_ms} ms a decision, {limits.bank_ms} ms bank, {limits.connect_ms} ms to connect"
    return [
        ("deals", f"{deals_so_far(info)} ({_matches_so_far(info)})"),
        ("bots", ", ".join(map(bot_name, info.entrants))),
        ("names", "shown to opponents" if info.show_names else "kept from opponents"),
        ("limits", f"{times}, {counted(limits.strikes, 'strike')}"),
        *_size_facts(limits),
        ("options", options_line(options)),
        ("created", moment(info.created)),
        *_findings(info),
    ]


def _matches_so_far(info: LeagueInfo) -> str:
    if info.format == LEAGUE_FORMAT_COMPARISON:
        return counted(info.matches_done, "match", "matches")
    return part(info.matches_done, info.matches_total, "match", "matches")


def _size_facts(limits: Limits) -> list[tuple[str, str]]:
    """Return what a bot process may take, as far as the league says so: those made before it was said do not."""
    told = [f"{name} {getattr(limits, name):,}" for name in SIZES if limits.HasField(name)]
    return [("sizes", ", ".join(told))] if told else []


def _findings(info: LeagueInfo) -> list[tuple[str, str]]:
    """Return what only some leagues have to tell."""
    found = []
    if info.format == LEAGUE_FORMAT_COMPARISON:
        a, b, *fillers = map(bot_name, info.entrants)
        beside = f", beside {', '.join(fillers)}" if fillers else ""
        found.append(("compares", f"{a} with {b}{beside}"))
    if info.all_seatings:
        found.append(("seatings", "each deal is played in every order of its bots"))
    if info.format == LEAGUE_FORMAT_GAUNTLET:
        found.append(("gauntlet", f"{bot_name(info.hero)} sits at every table"))
    if info.anchor:
        which = "the mean of " if len(info.anchor) > 1 else ""
        found.append(("anchor", f"{which}{', '.join(map(bot_name, info.anchor))} is rated 1500"))
    if info.seat_effects:
        worth = (f"{seat.seat}: {seat.elo:+.0f} ± {seat.interval:.0f}" for seat in info.seat_effects)
        found.append(("seats", f"worth in Elo, {', '.join(worth)}"))
    if info.HasField("luck"):
        found.append(("luck", f"{100 * max(0.0, info.luck):.0f}% of a result is the luck of seat and deal"))
    for absent in info.absent:
        why = "retired: a newer version plays" if absent.retired else f"suspended: {absent.suspended}"
        found.append(("absent", f"{bot_name(absent)}, {why}"))
    found += [("again", f"deal {void.deal} ({moment(void.happened)}): {void.reason}") for void in info.voids]
    return found


@league.command("add")
@click.argument("name")
@click.argument("bots", nargs=-1, metavar="BOT[@VERSION]...")
@click.option("--deals", type=click.IntRange(min=1), help="How many deals the league has in all from now on.")
@as_json
@connected
def add(session: Session, name: str, bots: tuple[str, ...], deals: int | None, as_json: bool) -> None:
    """Let BOTs join the league NAME, which may have begun.

    They play at every table until they have caught up. A newer version takes the place of an older
    one of the same bot, whose results stay.
    """
    if not bots and not deals:
        raise click.UsageError("name bots that join, or the number of --deals", click.get_current_context())
    with session.league() as stub:
        info = stub.AddBots(AddBotsRequest(league=name, bots=bots, deals=deals or 0))
    if as_json:
        print_json(shape(info))
        return
    left = info.deals_total - info.deals_done
    click.echo(
        f"{name} has {counted(info.entrant_count, 'bot')} and {counted(info.deals_total, 'deal')}, {left:,} to play.\n"
        f"{_go_on(session, info)}"
    )


@league.command("lift")
@click.argument("name")
@click.argument("bot", metavar="BOT[@VERSION]")
@connected
def lift(session: Session, name: str, bot: str) -> None:
    """Lift the suspension of BOT in the league NAME; it is seated again from the next deal on."""
    with session.league() as stub:
        info = stub.LiftSuspension(LiftSuspensionRequest(league=name, bot=bot))
    click.echo(f"{bot} is seated again in {name}. {_go_on(session, info)}")


def _go_on(session: Session, info: LeagueInfo) -> str:
    """Say how a league goes on."""
    if info.deals_done < info.deals_total:
        return f"Run it with: {session.command(f'league run {info.name}')}"
    return f"Raise its deals with: {session.command(f'league add {info.name} --deals {2 * info.deals_total}')}"


@league.command("recompute")
@click.argument("name")
@as_json
@connected
def recompute(session: Session, name: str, as_json: bool) -> None:
    """Compute the league NAME again from its stored matches alone.

    Says whether ratings, totals and counters are reproduced exactly; if not, the exit code is 1.
    """
    with session.league() as stub:
        found = stub.Recompute(RecomputeRequest(league=name))
    if as_json:
        print_json(shape(found))
        if not found.reproduced:
            raise SystemExit(1)
    elif found.problems:
        raise CliError(f"{name} is not reproduced:\n  " + "\n  ".join(found.problems))
    else:
        click.echo(
            f"{name}: all {counted(found.ratings, 'rating')}, totals and counters follow exactly from its "
            f"{counted(found.matches, 'match', 'matches')} ({counted(found.deals, 'deal')})."
        )


@league.command("deals")
@click.argument("name")
@click.option("--after", type=click.IntRange(min=0), default=0, help="Begin after this deal.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="At most so many.")
@as_json
@connected
def deals(session: Session, name: str, after: int, limit: int, as_json: bool) -> None:
    """List the deals of the league NAME: tables, seed digests and, once played, seeds.

    --json gives digests and seeds whole.
    """
    with session.league() as stub:
        found = stub.ListDeals(ListDealsRequest(league=name, after=after, limit=limit))
    if as_json:
        print_json(shape(found))
        return
    if not found.deals:
        click.echo(f"No deals after {after}.")
        return
    console().print(deals_table(found.deals))
    if found.next_after:
        click.echo(f"\nMore: add --after {found.next_after}")
