"""`beanleague games`, `standings`, `league pair` and `league integrity`: games and results."""

import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.answers import enum_name, matrix_csv, standings_csv
from beanleague.cli.commands.options import reporting, reporting_on
from beanleague.cli.connection.completion import bots, leagues
from beanleague.cli.connection.session import Session
from beanleague.cli.params import CliError, Count
from beanleague.cli.streams import echo, echo_csv
from beanleague.cli.views.output import Output, console, count_of, quantity, save
from beanleague.cli.views.tables import rulesets_table, standings_table
from beanleague.extras import installation
from beanleague.files import STANDARD, is_stream
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_POLL_INTERVAL_S = 2.0
_MAX_NAMES = 10  # leagues named in an error
_TERMINAL = "-"  # value of --plot without a file name


@click.command("games")
@reporting
def games(session: Session, out: Output) -> None:
    """List the games with their number of players, source and options."""
    from beanleague.service.rulesets import list_rulesets

    request = pb.ListRulesetsRequest()
    answer = session.call(lambda stub: stub.ListRulesets(request)) if session.server else list_rulesets()

    summaries = {option.name: option.summary for game in answer.rulesets for option in game.options}
    heading = ["\nOptions, set with 'league create --option NAME=VALUE':"] if summaries else []
    lines = [Text.assemble("  ", (name, "bold"), f"  {summary}") for name, summary in summaries.items()]
    out.show(answer, [rulesets_table(answer.rulesets), *heading, *lines])


@click.command("standings")
@click.argument("name", default="", shell_complete=leagues)
@click.option("--watch", is_flag=True, help="Keep showing the standings until the league is done; Ctrl-C quits.")
@click.option("--matrix", "as_matrix", is_flag=True, help="Compare each pair of bots: which is better, which won more.")
@click.option(
    "--plot",
    is_flag=False,
    flag_value=_TERMINAL,
    metavar="[FILE.svg]",
    help="Draw ratings with their 95 % intervals; with a file, save their history as a picture.",
)
@click.option(
    "--by",
    type=click.Choice(["author"]),
    help="Show only the best bot of each author (by the submitting token), and all bots of organisers.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print the standings as CSV (with --matrix: the matrix).")
@reporting
def standings(
    session: Session,
    name: str,
    watch: bool,
    as_matrix: bool,
    plot: str | None,
    by: str | None,
    as_csv: bool,
    out: Output,
) -> None:
    """Show the standings of the league NAME: rating with 95 % interval, dollars, wins and faults.

    NAME may be left out where there is one league.
    """
    if not name and plot not in {None, _TERMINAL}:
        raise click.UsageError(
            f"--plot takes {plot!r} as its file name, so the league is missing; write: standings NAME --plot"
        )
    _check_together(by=bool(by), watch=watch, ratings=bool(as_matrix or plot), csv=as_csv, json=out.as_json)
    with session.league() as stub:
        name = name or _only_league(session, stub)
        if watch:
            _watch(stub, name, out, by=by)
        elif as_matrix or plot:
            _show_ratings(stub.Ratings(pb.RatingsRequest(league=name)), out, matrix=as_matrix, plot=plot, csv=as_csv)
        elif as_csv:
            echo_csv(standings_csv(_standings(stub, name, by=by).standings))
        else:
            answer = _standings(stub, name, by=by)
            out.show(answer, [standings_page(answer)])


def _check_together(*, by: bool, watch: bool, ratings: bool, csv: bool, json: bool) -> None:
    """Check that the given options can be used together. `ratings`: --matrix or --plot.

    Raises:
        click.UsageError: if they cannot.
    """
    if by and ratings:
        raise click.UsageError("--by cannot be used with --matrix or --plot")
    if watch and (ratings or csv):
        raise click.UsageError("--watch cannot be used with --matrix, --plot or --csv")
    if csv and json:
        raise click.UsageError("--csv and --json cannot be used together")


def _only_league(session: Session, stub: "LeagueStub") -> str:
    """Return the name of the only league.

    Raises:
        CliError: there is no league, or several.
    """
    found = [league.name for league in stub.ListLeagues(pb.ListLeaguesRequest()).leagues]
    if not found:
        raise CliError(f"no leagues yet; try: {session.command('quickstart')}\n{session.looked_in()}".rstrip())
    if len(found) > 1:
        shown = ", ".join(found[:_MAX_NAMES]) + (", ..." if len(found) > _MAX_NAMES else "")
        raise CliError(f"name one of the leagues: {shown}")
    return found[0]


def _show_ratings(rated: pb.RatingsResponse, out: Output, *, matrix: bool, plot: str | None, csv: bool) -> None:
    _check_matrix(rated)
    if plot and plot != _TERMINAL:
        if plot == STANDARD and (csv or out.as_json):
            raise CliError("--plot - writes the picture to standard output; name a file, or leave out --csv and --json")
        _write_picture(rated, Path(plot))
        if plot == STANDARD:  # "-" as a file: only the picture goes to standard output
            return
        echo(f"Wrote {plot}", err=True)
    if csv:
        echo_csv(matrix_csv(rated) if matrix else standings_csv(rated.standings))
        return

    def page() -> Iterator[RenderableType]:
        from beanleague.cli.views.ratings import matrix_tables, rating_bars

        if plot:
            yield rating_bars(rated.standings)
        if matrix:
            yield matrix_tables(rated)

    out.show(rated, page())


def _check_matrix(rated: pb.RatingsResponse) -> None:
    """Check that the server's matrix has a row and a column for each standing, or is absent.

    Raises:
        CliError: it has a wrong size.
    """
    bots = len(rated.standings)
    if len(rated.matrix) not in {0, bots} or any(len(row.better) != bots for row in rated.matrix):
        raise CliError("the matrix sent by the server does not match its standings")


def _write_picture(rated: pb.RatingsResponse, file: Path) -> None:
    """Write the rating history as a picture, as on the site.

    Raises:
        CliError: the file has an unknown suffix or cannot be written, there is no history, or packages of the site are
            missing.
    """
    if file.suffix.lower() != ".svg" and str(file) != STANDARD and not is_stream(file):
        raise CliError(f"{file} must end in .svg, the format of the picture")
    try:
        from beanleague.web.export import history_picture
    except ModuleNotFoundError:
        raise CliError(f"pictures need additional packages; install them with: {installation('web')}") from None
    picture = history_picture(rated)
    if picture is None:
        points = quantity(sum(past.deals > 0 for past in rated.history), "point")
        raise CliError(
            f"the history of {rated.league} has {points}, but a picture needs 2: a point is kept each time the "
            "number of deals doubles while the league is played; add deals"
        )
    save(file, picture)


def _standings(stub: "LeagueStub", name: str, *, by: str | None) -> pb.StandingsResponse:
    answer = stub.Standings(pb.StandingsRequest(league=name))
    if not by:
        return answer
    best = pb.StandingsResponse()
    best.CopyFrom(answer)
    del best.standings[:]
    best.standings.extend(best_of_each(answer.standings))
    return best


def best_of_each(standings: Sequence[pb.Standing]) -> list[pb.Standing]:
    """Return the best bot of each author, and all bots of organisers. `standings`: best first."""
    first: dict[str, pb.Standing] = {}
    for standing in standings:
        if standing.owner:
            first.setdefault(standing.owner, standing)
    return [standing for standing in standings if not standing.owner or first[standing.owner] is standing]


def _watch(stub: "LeagueStub", name: str, out: Output, *, by: str | None) -> None:
    from rich.live import Live

    screen = console()
    drawn = screen.is_terminal and not out.as_json
    with suppress(KeyboardInterrupt), Live(console=screen, auto_refresh=False) if drawn else nullcontext() as live:
        for answer in _changes(stub, name, by=by):  # Ctrl-C ends watching
            if out.as_json:
                out.show_line(answer)
            elif live:
                live.update(standings_page(answer), refresh=True)
            else:
                screen.print(standings_page(answer), end="\n\n")


def _changes(stub: "LeagueStub", name: str, *, by: str | None) -> Iterator[pb.StandingsResponse]:
    """Yield the standings after each change, until the league has ended."""
    before: pb.StandingsResponse | None = None
    while True:
        answer = _standings(stub, name, by=by)
        if answer != before:
            yield answer
        if answer.state == pb.LEAGUE_STATE_DONE:
            return
        before = answer
        time.sleep(_POLL_INTERVAL_S)


def standings_page(answer: pb.StandingsResponse) -> RenderableType:
    """Return the standings with a heading, ready to print."""
    done, total = answer.deals_done, answer.deals_total
    deals = count_of(done, total, "deal") if total else quantity(done, "deal")
    heading = Text.assemble(
        (answer.league, "bold"),
        f"  {answer.ruleset}  {deals}  ",
        (enum_name(pb.LeagueState.DESCRIPTOR, answer.state), "dim"),
    )
    return Group(heading, Text(), standings_table(answer.standings))


@click.command("integrity")
@click.option("--all", "show_all", is_flag=True, help="Show all pairs of bots, not only flagged ones.")
@reporting_on
def integrity(session: Session, name: str, show_all: bool, out: Output) -> None:
    """Find pairs of bots in the league NAME where one gives the other far more in trades than the rest do."""
    from beanleague.cli.views.ratings import integrity_page

    answer = session.call(lambda stub: stub.Integrity(pb.IntegrityRequest(league=name)))
    out.show(answer, integrity_page(answer, show_all=show_all))


@click.command("pair")
@click.argument("name", shell_complete=leagues)
@click.argument("a", metavar="A[@VERSION]", shell_complete=bots)
@click.argument("b", metavar="B[@VERSION]", shell_complete=bots)
@click.option("--by", type=click.Choice(["places", "dollars"]), help="Quantity compared by the test. Default: places.")
@click.option("--limit", type=Count(1, 100), default=5, show_default=True, help="Maximum number of deals on each side.")
@reporting
def pair(session: Session, name: str, a: str, b: str, by: str | None, limit: int, out: Output) -> None:
    """Show how bot A did against bot B in the league NAME, and the deals in which they differ most.

    Nothing is played: the sequential test of 'beanleague compare' is applied to the deals that both
    played.
    """
    from beanleague.cli.views.comparison import pair_page

    measures = {"places": pb.MEASURE_PLACES, "dollars": pb.MEASURE_DOLLARS}
    request = pb.ShowPairRequest(league=name, a=a, b=b, by=measures[by] if by else pb.MEASURE_UNSPECIFIED, limit=limit)
    answer = session.call(lambda stub: stub.ShowPair(request))
    out.show(answer, pair_page(answer))
