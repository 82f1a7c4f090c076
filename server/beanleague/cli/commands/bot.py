"""`beanleague bot`: begin, check, submit and inspect bots."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
import grpc
from rich.console import RenderableType
from rich.text import Text

from beanleague.answers import matches, next_above, warnings
from beanleague.cli.commands.match import say
from beanleague.cli.commands.options import bot_option, game_option, reporting
from beanleague.cli.connection.completion import bots, bundles, leagues, match_ids
from beanleague.cli.connection.session import Session, program, trusting
from beanleague.cli.params import PATH, CliError, Count, Group, failing, split_version
from beanleague.cli.replay.sources import fetch
from beanleague.cli.streams import echo
from beanleague.cli.views.output import Output, console, count_of, hanging, local_time, quantity
from beanleague.cli.views.progress import can_draw
from beanleague.cli.views.tables import (
    TableColumn,
    TableOf,
    bots_table,
    fault_line,
    rating_note,
    table_of,
    versions_table,
)
from beanleague.files import STANDARD, named
from beanleague.games.core.game import UnknownRulesetError, suggestion
from beanleague.house_folder import house_folders
from beanleague.names import NAME_RULE, first_traceback, format_bot, is_new_name
from beanleague.starter import BUILDS, LANGUAGES, StarterError, starter
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_MAX_LOG_LINES = 20  # log lines shown of a bot; --json has more
_AT_ONCE = 4  # trials that the service runs or queues for one caller
_PATHS = click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=PATH, shell_complete=bundles)


@click.group("bot", cls=Group)
def bot() -> None:
    """Begin, check, submit and inspect bots.

    A bot is a folder with bot.toml and code, or a zip file of it; a house bot is given by its name. NAME
    stands for the newest version of a bot, NAME@2 for its second version.
    """


@bot.command("check")
@_PATHS
@trusting
@reporting
def check(session: Session, paths: tuple[Path, ...], out: Output) -> None:
    """Check the bots in the PATHs and play their trial matches, side by side; nothing is stored.

    With several paths and --json, each report is a line.
    """

    def page(trial: _Trial) -> Iterator[RenderableType]:
        report = trial.report
        yield from _report_page(report)
        if not report.problems:
            advice = warnings(report)
            yield from _warning_lines(report)
            doubt = f"plays, with {quantity(len(advice), 'warning')}" if advice else "is fine"
            result = _trial_faults(report) or doubt
            yield f"{report.manifest.name} {result}; submit it with: {session.command('bot submit', trial.path)}"

    _try_all(session, paths, out, page, submit=False)


@bot.command("submit")
@_PATHS
@click.option(
    "--ladder", metavar="NAME", shell_complete=leagues, default="", help="Also enter the bots into this ladder."
)
@trusting
@reporting
def submit(session: Session, paths: tuple[Path, ...], ladder: str, out: Output) -> None:
    """Check the bots in the PATHs, side by side, and store each as a new version.

    With several paths and --json, each answer is a line.
    """

    def page(trial: _Trial) -> Iterator[RenderableType]:
        answer, name = trial.submitted, trial.version
        if not name:
            yield from _report_page(trial.report)
            return
        if not answer.created:
            yield f"Already submitted as {name}: identical files (digest {answer.digest[:16]})."
            return
        yield f"Submitted {name} (digest {answer.digest[:16]})."
        yield from _warning_lines(answer.report)
        if faults := _trial_faults(answer.report):
            yield f"Warning: it {faults}; see them with: {session.command('bot check', trial.path)}"

    names = _try_all(session, paths, out, page, submit=True)
    if ladder:
        from beanleague.cli.commands.ladder import enter_into

        for name in names:
            enter_into(session, ladder, name, out)


@bot.command("list")
@click.option("--all", "every", is_flag=True, help="Include hidden bots.")
@reporting
def list_bots(session: Session, every: bool, out: Output) -> None:
    """List all bots that are not hidden, with their newest version."""
    answer = session.call(lambda stub: stub.ListBots(pb.ListBotsRequest(all=every)))
    hint = f"No bots yet; submit one with: {session.command('bot submit FOLDER')}\n{session.looked_in()}".rstrip()
    out.show(answer, [bots_table(answer.bots) if answer.bots else hint])


@bot.command("show")
@click.argument("name", shell_complete=bots)
@click.option("--all", "every", is_flag=True, help="Include results in hidden leagues.")
@reporting
def show(session: Session, name: str, every: bool, out: Output) -> None:
    """Show the bot NAME: its versions, and their results in each league."""
    answer = session.call(lambda stub: stub.ShowBot(pb.ShowBotRequest(name=name, all=every)))
    out.show(answer, _bot_page(answer))


@bot.command("logs")
@click.argument("name", metavar="NAME[@VERSION]", shell_complete=bots)
@click.option("--league", metavar="NAME", shell_complete=leagues, default="", help="Show only logs from this league.")
@click.option(
    "--match", metavar="MATCH", shell_complete=match_ids, default="", help="Show only output from this match."
)
@reporting
def logs(session: Session, out: Output, name: str, **where: str) -> None:
    """Show what a bot wrote to stdout and stderr, in every league it played in.

    Each line begins with the move that the bot was working on: [spring/12.0, move 34]. 'match replay' shows that
    move, and 'beanbot practice --at' asks a bot to decide it again.
    """
    bare, version = split_version(name)
    answer = session.call(lambda stub: stub.BotLogs(pb.BotLogsRequest(name=bare, version=version, **where)))
    out.show(answer, _logs_page(answer))


@bot.command("report")
@click.argument("name", metavar="NAME[@VERSION]", shell_complete=bots)
@click.option("--league", metavar="NAME", shell_complete=leagues, default="", help="Use only matches of this league.")
@click.option(
    "--limit", type=Count(1, 1000), default=50, show_default=True, help="Maximum number of newest matches per league."
)
@click.option("--since", type=Count(min=2), help="Compare versions from this one on with the one before.")
@bot_option("--against", "Compare with this bot, not the next better one.")
@reporting
def report(session: Session, name: str, league: str, limit: int, since: int | None, against: str, out: Output) -> None:
    """Report a bot's strengths and mistakes from its newest matches in trading games, as Markdown.

    Compares it with its opponents and with the bot ranked next above it in the league where it played most; lists
    decisions that lost dollars against those of trader, harvests that should have waited, its worst deals, and the
    first things to fix. A match takes 2 to 25 seconds of CPU; --limit sets their number.
    """
    from beanleague.games.records.lines import counted_matches, report_lines

    bare, _ = split_version(name)
    versions = [name, format_bot(bare, since - 1)] if since else [name]
    with session.league() as stub:
        played = _leagues_of(stub, bare, versions, league)
        # If there is no match at all, ask the given league, so that the service reports the mistake.
        asked = played or ([(league, name)] if league else [])
        own = [(name, list(_newest(stub, where, who, limit))) for where, who in asked]
        counts = counted_matches(own)
        if counts:
            echo(f"{quantity(len(counts), 'match', 'matches')}, a few seconds of CPU each", err=True)
            most, _ = played[0]
            against = against or next_above(stub.Standings(pb.StandingsRequest(league=most)).standings, bare)
            if against:
                counts = counted_matches([*own, (against, _newest(stub, most, against, limit))])
        text = report_lines(counts, lambda match: fetch(stub, match).record)
    words = ["--report", name, "--since", str(since or 0), "--against", against]
    say(text, "analyse", "-", *words, as_json=out.as_json)


def _leagues_of(stub: "LeagueStub", bare: str, versions: Sequence[str], league: str) -> Sequence[tuple[str, str]]:
    """Return pairs of a league and one of `versions` of a bot, the league with most deals of the bot first.

    `league`: only this one; "" for all. A version without a number stands for all versions of the bot.
    """
    shown = stub.ShowBot(pb.ShowBotRequest(name=bare)).versions
    entries = sorted((entry for one in shown for entry in one.entries), key=lambda entry: -entry.standing.deals)
    pairs = (
        (entry.league, version)
        for entry in entries
        for version in versions
        if version in {bare, format_bot(bare, entry.standing.version)} and league in {"", entry.league}
    )
    return [*dict.fromkeys(pairs)]


def _newest(stub: "LeagueStub", league: str, bot: str, limit: int) -> Iterator[str]:
    asked = pb.ListMatchesRequest(league=league, bot=bot, newest_first=True)
    return (info.match for info in islice(matches(stub, asked, limit), limit))


def bundle_at(path: Path) -> bytes:
    """Return the bot at `path`, a folder or a zip file, as the bytes of a zip file; or the house bot of this name.

    "-" is a zip file on standard input.

    Raises:
        CliError: nothing is there, it cannot be read, or it exceeds a limit.
    """
    from beanleague.league.bots.bundles import pack
    from beanleague.league.errors import BundleError

    if str(path) != STANDARD and not path.exists():
        house = {folder.name: folder for folder in house_folders()}
        if str(path) not in house:
            raise CliError(
                f"{path} does not exist; pass a bot folder (with bot.toml), a zip file of one, or the name of a "
                f"house bot; {suggestion(path, house)}"
            )
        path = house[str(path)]
    try:
        return pack(path)
    except BundleError as error:
        raise CliError(f"{named(path)} cannot be packed: {error}") from None


def submit_bundle(stub: "LeagueStub", bundle: bytes) -> pb.SubmittedBot:
    """Let the bot in `bundle` play its trials, and store it."""
    *_, known = stub.TryBot(pb.TryBotRequest(bundle=bundle, submit=True))
    return known.submitted


@dataclass(frozen=True, slots=True)
class _Trial:
    """Bot that was tried, with the outcome."""

    path: Path
    """The bot's folder or zip file."""
    report: pb.BotReport
    """Report of the service, with any problems that this command adds."""
    submitted: pb.SubmittedBot
    """The stored version; without a name if nothing was stored."""

    @property
    def version(self) -> str:
        """Stored version as "name@version"; "" if nothing was stored."""
        return format_bot(self.submitted.name, self.submitted.version) if self.submitted.name else ""

    @property
    def refused(self) -> bool:
        """Whether submission of the bot is impossible or has failed."""
        return bool(self.report.problems) and not self.submitted.name


def _try_all(
    session: Session,
    paths: Sequence[Path],
    out: Output,
    page: Callable[[_Trial], Iterator[RenderableType]],
    *,
    submit: bool,
) -> list[str]:
    """Run trials of bots, some at once, and show the outcomes in the order of `paths`.

    Returns the versions that were submitted.

    Raises:
        CliError: a bot was rejected or cannot be read; other bots are tried nevertheless.
        grpc.RpcError: the call for a single bot failed.
    """
    several = len(paths) > 1
    screen = console()
    trials: list[_Trial] = []
    with session.league() as stub, ExitStack() as ending:
        drawn = not out.as_json and can_draw(screen)
        status = ending.enter_context(screen.status("Reading the bundle")) if drawn else None

        def seen(known: pb.TryBotProgress) -> None:
            if status and not several:
                status.update(_how_far(known))

        pool = ThreadPoolExecutor(_AT_ONCE)
        ending.callback(pool.shutdown, cancel_futures=True)
        tries = [pool.submit(_run_trials, stub, path, submit=submit, seen=seen, alone=not several) for path in paths]
        for number, trial in enumerate(tries):
            if status and several:
                status.update(f"{count_of(number, len(paths), 'bot')} tried")
            trials.append(trial.result())
            _show(trials[-1], out, page, submit=submit, several=several)
    _check_refused(trials)
    return [trial.version for trial in trials if trial.version]


def _show(
    trial: _Trial, out: Output, page: Callable[[_Trial], Iterator[RenderableType]], *, submit: bool, several: bool
) -> None:
    data = trial.submitted if submit else trial.report
    if several and out.as_json:
        out.show_line(data)
    else:
        out.show(data, [Text(str(trial.path), "bold"), *page(trial), ""] if several else page(trial))


def _check_refused(trials: Sequence[_Trial]) -> None:
    """Check that all bots can be submitted.

    Raises:
        CliError: if one cannot.
    """
    refused = [trial for trial in trials if trial.refused]
    if refused and len(trials) == 1:
        problems = quantity(len(refused[0].report.problems), "problem")
        raise CliError(f"{refused[0].path} cannot be submitted; fix the {problems} listed above")
    if refused:
        names = ", ".join(str(trial.path) for trial in refused)
        raise CliError(f"{quantity(len(refused), 'bot')} of {len(trials)} cannot be submitted: {names}")


def _run_trials(
    stub: "LeagueStub", path: Path, *, submit: bool, seen: Callable[[pb.TryBotProgress], None], alone: bool
) -> _Trial:
    """Run the trials of the bot at `path`.

    `alone`: raise errors; otherwise an error is reported as a problem, unless the report has others.

    Raises:
        CliError: if the bot cannot be read.
        grpc.RpcError: if the call failed.
    """
    known, report = pb.TryBotProgress(), pb.BotReport()
    try:
        for known in stub.TryBot(pb.TryBotRequest(bundle=bundle_at(path), submit=submit)):
            seen(known)
        report.CopyFrom(known.report)
    except (grpc.RpcError, CliError) as error:
        report.CopyFrom(known.report)
        if not report.problems:
            if alone:
                raise
            report.problems.add(what=error.message if isinstance(error, CliError) else error.details())
    return _Trial(path, report, known.submitted if known.submitted.name else pb.SubmittedBot(report=report))


def _how_far(known: pb.TryBotProgress) -> str:
    if known.ahead:
        return f"Waiting for its turn, in place {known.ahead} of the queue"
    report = known.report
    over = f", {len(report.trials)} over" if report.trials else ""
    return f"{report.manifest.name} plays its trial matches{over}"


def _bot_page(answer: pb.ShowBotResponse) -> Iterator[RenderableType]:
    manifest = answer.versions[0].manifest
    author = f"  by {name}" if (name := answer.owner or manifest.author) else ""
    hidden = "  (hidden)" if answer.hidden else ""
    yield Text.assemble((answer.name, "bold"), f"{hidden}{author}  plays {', '.join(manifest.games)}")
    if manifest.description:
        yield Text(manifest.description)
    yield ""
    yield versions_table(answer.versions)
    if note := rating_note(entry.standing for version in answer.versions for entry in version.entries):
        yield Text(note, "dim")
    yield from fault_lines(answer)


def fault_lines(answer: pb.ShowBotResponse) -> Iterator[Text]:
    """Yield a line for each kind of fault of each version of a bot."""
    for version in answer.versions:
        for entry in version.entries:
            for fault in entry.faults:
                yield Text(fault_line(answer.name, version.version, entry.league, fault), "red")


def _logs_page(answer: pb.BotLogsResponse) -> Iterator[RenderableType]:
    name = format_bot(answer.name, answer.version)
    if not any(log.text for log in answer.logs):
        yield f"{name} wrote nothing."
        return
    for log in answer.logs:
        cut = ", older text was dropped" if log.truncated else ""
        yield Text(f"--- {name} in {log.league}, until {local_time(log.updated)}{cut}", "bold")
        yield log.text.removesuffix("\n")


def _trial_faults(report: pb.BotReport) -> str:
    """Return a warning about faults in the trial matches, "" if there were none."""
    faults = sum(trial.fault_count for trial in report.trials)
    return f"had {quantity(faults, 'fault')} in its trial matches" if faults else ""


def _warning_lines(report: pb.BotReport) -> Iterator[Text]:
    return (Text(f"warning: {sentence}", "yellow") for sentence in warnings(report))


def _report_page(report: pb.BotReport) -> Iterator[RenderableType]:
    if report.HasField("manifest"):
        manifest = report.manifest
        yield Text.assemble((manifest.name, "bold"), f"  plays {', '.join(manifest.games)}")
        yield Text(f"{quantity(report.files, 'file')}, {report.unpacked_bytes:,} bytes, digest {report.digest[:16]}")
    failed = [trial for trial in report.trials if trial.fault_count]
    tracebacks = dict.fromkeys(tuple(first_traceback(trial.log.splitlines())) for trial in failed)
    for traceback in filter(None, tracebacks):
        yield from (Text(line) for line in traceback)
        yield ""
    for trial in report.trials:
        yield from _trial_page(trial)
    if failed and not any(tracebacks):
        yield from log_tail("it", failed[0].log.splitlines())
    for problem in report.problems:
        where = f"{problem.where}: " if problem.where else ""
        yield hanging(Text.assemble(("problem  ", "bold red"), f"{where}{problem.what}"), 9)


def _trial_page(trial: pb.Trial) -> Iterator[RenderableType]:
    line = (
        f"trial match of {trial.ruleset}, {quantity(trial.seats, 'seat')}: {quantity(trial.decisions, 'decision')}, "
        f"{quantity(trial.fault_count, 'fault')}"
    )
    yield Text(line, "red" if trial.fault_count else "")
    for mistake in trial.distinct:
        asked = f", asked {mistake.decision}" if mistake.decision else ""
        times = f" ({quantity(mistake.count, 'time')})" if mistake.count > 1 else ""
        where = f"  move {mistake.fault.move}, seat {mistake.fault.seat}{asked}"
        yield hanging(Text(f"{where}: {mistake.fault.reason}{times}", "red"), 4)
    if trial.forfeited_seats:
        yield Text(f"  forfeited: seat {', '.join(map(str, trial.forfeited_seats))}", "red")


def log_tail(bot: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    """Yield the last lines of a bot's stdout and stderr."""
    if lines:
        yield f"{bot} wrote:" if len(lines) <= _MAX_LOG_LINES else f"the end of what {bot} wrote:"
        yield from (Text(f"    {line}") for line in lines[-_MAX_LOG_LINES:])


def _make(folder: Path, files: Mapping[str, str]) -> None:
    """Create a folder with files, or nothing at all; files whose first line begins with #! become executable.

    Raises:
        OSError: the folder cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix=".bot-", dir=folder.absolute().parent) as beside:
        made = Path(beside, "made")
        made.mkdir()
        for file, text in files.items():
            (made / file).write_text(text, "utf-8")
            if text.startswith("#!"):
                (made / file).chmod(0o755)
        made.rename(folder)


@bot.command("new")
@click.argument("name")
@game_option(what="The game it plays")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default="python",
    show_default=True,
    help="Language of the bot.",
)
def new_bot(name: str, game: str, language: str) -> None:
    """Make the folder NAME with a bot that plays GAME, a test of it and a README."""
    if not is_new_name(name):
        raise CliError(f"{name!r:.80} is not a valid bot name: {NAME_RULE}")
    with failing(UnknownRulesetError, StarterError):
        files = starter(name, game, language)
    folder = Path(name)
    if folder.exists() or folder.is_symlink():
        raise CliError(f"{folder} already exists; choose another name, or remove it")
    try:
        _make(folder, files)
    except OSError as error:
        raise CliError(f"{folder} cannot be written: {error.strerror}") from None
    echo(f"Created {folder} with {', '.join(files)}.")
    if language == "python":
        echo(f"Try it with: {program('beanbot')} practice {name} random --game {game}")
    else:
        echo(f"Build it: cd {name} && {BUILDS[language]}")
        echo(f"Then try it with: {program()} practice {name} random --game {game}")
    echo(f"Submit it with: {program()} bot submit {name}")


@bot.command("times")
@click.argument("name", metavar="NAME[@VERSION]", shell_complete=bots)
@click.option("--league", metavar="NAME", shell_complete=leagues, default="", help="Use only matches of this league.")
@reporting
def times(session: Session, name: str, league: str, out: Output) -> None:
    """Show how long a bot thought about its decisions, in its newest matches of every league."""
    bare, version = split_version(name)
    request = pb.ThinkingTimesRequest(name=bare, version=version, league=league)
    answer = session.call(lambda stub: stub.ThinkingTimes(request))
    label = format_bot(answer.name, answer.version)
    out.show(answer, [times_table(answer.times) if answer.times else f"{label} has no match with times."])


times_table: TableOf[pb.ThinkingTime] = table_of(
    TableColumn("league", lambda t: t.league),
    TableColumn("newest matches", lambda t: str(t.matches), right=True, lesser=2),
    TableColumn("decisions", lambda t: f"{t.decisions:,}", right=True, lesser=1),
    TableColumn("mean ms", lambda t: f"{t.mean_ms:.2f}", right=True),
    TableColumn("95 % ms", lambda t: str(t.slow_ms), right=True),
    TableColumn("longest ms", lambda t: str(t.most_ms), right=True),
)


@bot.command("hide")
@click.argument("name", shell_complete=bots)
@click.option("--show", is_flag=True, help="Show the bot again.")
@reporting
def hide_bot(session: Session, name: str, show: bool, out: Output) -> None:
    """Leave the bot NAME out of lists and of the site, or show it again. Nothing is deleted.

    A new league seats it only if it is named. 'bot list --all' lists it, and all other commands take it by
    its name.
    """
    info = session.call(lambda stub: stub.HideBot(pb.HideBotRequest(name=name, show=show)))
    again = f"hidden; show it again with: {session.command('bot hide', name, '--show')}"
    out.show(info, [f"{name} is {'shown.' if show else again}"])
