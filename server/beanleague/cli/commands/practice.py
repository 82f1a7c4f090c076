"""`beanleague practice` and `compare`: bots against each other outside of leagues."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import grpc
from rich.console import RenderableType
from rich.text import Text

from beanleague.answers import shape
from beanleague.cli.commands.bot import bundle_at, fault_lines, log_tail, submit_bundle
from beanleague.cli.commands.match import watch
from beanleague.cli.commands.options import game_option, game_options, in_flight, move_limit, reporting, workers
from beanleague.cli.connection.completion import bots, bundles
from beanleague.cli.connection.following import follow, play, wait_until_stopped
from beanleague.cli.connection.session import Session, clustered, trusting
from beanleague.cli.params import FOLDER, CliError, Count, Stopped, failing, stopping
from beanleague.cli.replay.sources import ShownMatch, fetch
from beanleague.cli.streams import echo
from beanleague.cli.views.comparison import ComparisonView, verdict_line
from beanleague.cli.views.output import Output, console, quantity, with_output, writing
from beanleague.cli.views.progress import run_view
from beanleague.cli.views.tables import standings_table
from beanleague.files import check_place, write_new
from beanleague.games import UnknownRulesetError, record_to_json, ruleset
from beanleague.names import first_traceback, format_bot, parse_bot
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_NAME = "practice"
_STRIKES = 10_000  # maximum strikes, more than any league allows


@click.command("practice")
@click.argument("bots", metavar="BOT...", nargs=-1, required=True, shell_complete=bundles)
@game_option("bohnanza", "The game")
@click.option(
    "--deals", type=Count(min=1), default=20, show_default=True, help="Number of deals, each in all rotations."
)
@click.option("--seats", type=Count(min=1), help="Seats at a table. Default: one per bot, or the fewest of the game.")
@game_options
@move_limit
@click.option("--seed", default="1", metavar="TEXT", show_default=True, help="Seed of all chance: any text.")
@workers
@click.option(
    "--record", metavar="DIR", type=FOLDER, help="Write the record of each match there, as DEAL.ROTATION.json."
)
@click.option(
    "--lenient", is_flag=True, help="Let bots play on after the fourth fault of a match, which forfeits it in leagues."
)
@click.option("--replay", is_flag=True, help="Then show the first match, like 'beanleague match replay'.")
@with_output
@trusting
@click.pass_obj
def practice(
    session: Session,
    bots: Sequence[str],
    game: str,
    deals: int,
    seats: int | None,
    options: Sequence[pb.OptionValue],
    move_ms: int | None,
    seed: str,
    workers: int | None,
    record: Path | None,
    lenient: bool,
    replay: bool,
    out: Output,
) -> None:
    """Play bots against each other as in a league; nothing is kept.

    BOT is the folder of a bot in any language, a zip file of it, or the name of a house bot. The bots are
    checked, and play in processes of their own, in the sandbox, by the clock of a league. If they are fewer
    than the seats, copies of them sit there too. 'beanbot practice' is faster, and for bots in
    Python. If a bot forfeits a match, the exit code is 1.
    """
    if session.given & {"db", "server"}:
        raise CliError("practice needs no database and no server; leave out --db and --server")
    if record:
        _make_folder(record)
    with failing(UnknownRulesetError):
        least = ruleset(game).least_seats
    with tempfile.TemporaryDirectory(prefix="beanleague-practice-") as folder:
        here = replace(session, db=str(Path(folder, "practice.db")), server=None)
        with here.league() as stub:
            names = _submit_all(stub, list(dict.fromkeys(bots)), seats or least)
            request = pb.CreateLeagueRequest(name=_NAME, ruleset=game, bots=names, deals=deals, options=options)
            # seed of all chance in the practice matches
            request.secret = hashlib.sha256(f"practice {seed}".encode()).digest()
            if seats:
                request.seats = seats
            request.limits.CopyFrom(_limits(move_ms, lenient=lenient))
            created = stub.CreateLeague(request)
            last = _play_all(here, stub, workers, out)
            if record:
                _write(stub, record, created.deals_total, created.matches_total // created.deals_total)
            first = fetch(stub, f"{_NAME}/1.0") if replay else None
            results = _results(stub, last, names[: len(set(bots))])
    out.show(shape(last), results.page())
    if first and not out.as_json:
        watch(first)
    if results.failed:
        raise SystemExit(1)


@dataclass(frozen=True, slots=True)
class _Results:
    """Results of practice, as shown to the user."""

    standings: Sequence[pb.Standing]
    """Standings of all bots, with copies."""
    logs: Mapping[str, Sequence[str]]
    """Log lines of each bot, by "name@version", without copies."""
    faults: Sequence[Text]
    """One line for each kind of fault."""

    @property
    def failed(self) -> list[pb.Standing]:
        """Standings of the bots that forfeited a match."""
        return [standing for standing in self.standings if standing.forfeits]

    def page(self) -> Iterator[RenderableType]:
        """Yield logs, standings and faults, and finally the consequences of forfeits in a league."""
        for name, lines in self.logs.items():
            yield from (*log_tail(name, lines), *[""] * bool(lines))
        yield standings_table(self.standings)
        yield from self.faults
        for standing in self.failed:
            yield from _verdict(standing, self.logs.get(format_bot(standing.bot, standing.version), ()))


def _make_folder(record: Path) -> None:
    """Create the folder for records, which may exist but must not contain any.

    Raises:
        CliError: it contains records, or cannot be written.
    """
    with writing(record, folder=True):
        record.mkdir(parents=True, exist_ok=True)
        check_place(record / "1.0.json")
    if any(record.glob("*.json")):
        raise CliError(f"{record} already contains records; choose a new folder")


def _limits(move_ms: int | None, *, lenient: bool) -> pb.Limits:
    """Return the limits of the practice league; with `lenient`, any number of faults is forgiven."""
    return pb.Limits(move_ms=move_ms, strikes=_STRIKES if lenient else None)


def _play_all(session: Session, stub: "LeagueStub", workers: int | None, out: Output) -> pb.Progress:
    """Play the practice league and show its progress; return the last report."""
    request = pb.RunLeagueRequest(name=_NAME, workers=workers or 0)
    try:
        return play(session, stub, request, run_view(_NAME, out, standings=False))
    except Stopped:
        raise Stopped("stopped; practice keeps no results") from None


def _results(stub: "LeagueStub", last: pb.Progress, bots: Sequence[str]) -> _Results:
    """Return the results of the practice league. `bots`: "name@version" of the bots whose logs and faults are shown."""
    logs = {bot: _log(stub, bot) for bot in bots}
    names = dict.fromkeys(parse_bot(bot)[0] for bot in bots)
    faults = [line for name in names for line in fault_lines(stub.ShowBot(pb.ShowBotRequest(name=name)))]
    return _Results(last.standings, logs, faults)


def _submit_all(stub: "LeagueStub", bots: Sequence[str], seats: int) -> list[str]:
    """Submit folders, zip files and house bots, with copies until there is a bot for each seat.

    Returns their names as "name@version", copies last.
    """
    from beanleague.league.bots.bundles import renamed

    bundles = [bundle_at(Path(bot)) for bot in bots]
    named = {}
    for bot, bundle in zip(bots, bundles, strict=True):
        try:
            named[_submit(stub, bundle)] = bundle
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call):
                raise
            raise CliError(f"{bot}: {error.details()}") from None
    own = list(named)
    copies = []
    for number in range(len(own), seats):
        turn, place = divmod(number, len(own))
        copied = f"{parse_bot(own[place])[0]:.29}-{turn + 1}"
        copies.append(_submit(stub, renamed(named[own[place]], copied)))
    return [*own, *copies]


def _submit(stub: "LeagueStub", bundle: bytes) -> str:
    answer = submit_bundle(stub, bundle)
    return format_bot(answer.name, answer.version)


def _log(stub: "LeagueStub", bot: str) -> Sequence[str]:
    """Return the distinct lines of a bot's log, since every process repeats its warnings."""
    name, version = parse_bot(bot)
    logs = stub.BotLogs(pb.BotLogsRequest(name=name, version=version or 1)).logs
    return list(dict.fromkeys(line for log in logs for line in log.text.splitlines()))


def _verdict(standing: pb.Standing, log: Sequence[str]) -> Iterator[RenderableType]:
    """Yield the consequences of a bot's forfeits in a league, and its first traceback."""
    bot = format_bot(standing.bot, standing.version)
    forfeits = f"forfeited {standing.forfeits:,} of {quantity(standing.matches, 'match', 'matches')}"
    yield ""
    yield Text(f"{bot} had {quantity(standing.faults, 'fault')} and {forfeits}, as it would in a league.", "red")
    yield from (Text(f"    {line}") for line in first_traceback(log))


def _write(stub: "LeagueStub", folder: Path, deals: int, rotations: int) -> None:
    """Write the record of each match into `folder`; existing files are never overwritten."""
    with writing(folder, folder=True):
        for name in (f"{deal}.{rotation}" for deal in range(1, deals + 1) for rotation in range(rotations)):
            found: ShownMatch = fetch(stub, f"{_NAME}/{name}")
            write_new(folder / f"{name}.json", record_to_json(found.record))


_CONTINUE = "run the same command again to continue"


@click.command("compare")
@click.argument("a", metavar="A[@VERSION]", shell_complete=bots)
@click.argument("b", metavar="B[@VERSION]", shell_complete=bots)
@game_option()
@click.option("--elo0", type=float, default=0.0, show_default=True, help="Elo lead that counts as not better.")
@click.option("--elo1", type=float, default=20.0, show_default=True, help="Elo lead that counts as better.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Risk of a wrong verdict 'better'.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Risk of a wrong verdict 'not better'.")
@click.option(
    "--by",
    type=click.Choice(["places", "dollars"]),
    default="places",
    show_default=True,
    help="Quantity compared: places, or dollars.",
)
@click.option("--seats", type=Count(min=2), help="Seats at the table. Default: 4, or the nearest number allowed.")
@click.option(
    "--filler",
    "fillers",
    multiple=True,
    metavar="BOT",
    shell_complete=bots,
    help="A third bot to take a seat; repeatable.",
)
@workers
@in_flight("16")
@trusting
@reporting
@clustered
def compare(session: Session, out: Output, game: str, by: str, **fields: Any) -> None:
    """Test whether bot A is better than bot B.

    Both play the same deals, sharing the seats of a table. The test stops by itself when the
    answer is known: after 30 deals or more, or earlier if it is obvious. Ctrl-C stops it; the same
    command continues it.
    """
    measure = pb.MEASURE_DOLLARS if by == "dollars" else pb.MEASURE_PLACES
    request = pb.CompareRequest(ruleset=game, by=measure, **fields)
    with stopping(f"stopped; {_CONTINUE}"), session.league() as stub:
        last = _play(stub, request, ComparisonView(console(), to_stderr=out.as_json))
    out.show(last, [verdict_line(last)])


def _play(stub: "LeagueStub", request: pb.CompareRequest, view: ComparisonView) -> pb.ComparisonProgress:
    """Show a comparison until it ends; return the last report."""
    last = pb.ComparisonProgress()

    def show(progress: pb.ComparisonProgress) -> None:
        last.CopyFrom(progress)
        view.show(progress)

    def stopped(_: pb.ComparisonProgress | None) -> Stopped:
        wait_until_stopped(stub, last.league)
        so_far = f" at {verdict_line(last)}" if last.deals else " before the first deal was finished"
        return Stopped(f"stopped{so_far}\n{_CONTINUE}")

    try:
        with view:
            follow(lambda: stub.Compare(request), show, stopped)
    except grpc.RpcError:
        if last.deals:
            echo(f"the deals played so far are kept; {_CONTINUE}", err=True)
        raise
    if last.verdict == pb.VERDICT_OPEN:
        raise CliError(f"the comparison ended early after {quantity(last.deals, 'deal')}; {_CONTINUE}")
    return last
