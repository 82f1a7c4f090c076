"""`beanleague bot`: submit bots and look at them."""

from __future__ import annotations

from pathlib import Path

import click
import grpc
from rich.console import Console
from rich.text import Text

from beanleague.cli.connection.bundle import packed
from beanleague.cli.connection.session import Session, connected, trusting
from beanleague.cli.errors import CliError
from beanleague.cli.params.options import as_json
from beanleague.cli.views.amounts import counted
from beanleague.cli.views.output import console, print_json
from beanleague.cli.views.safe_text import harmless
from beanleague.cli.views.shapes import shape
from beanleague.cli.views.tables import bots_table, moment, versions_table
from beanproto.v1.league_pb2 import (
    BotLogsRequest,
    BotReport,
    CheckBotRequest,
    FaultCount,
    ListBotsRequest,
    ShowBotRequest,
    SubmitBotRequest,
    Trial,
)

_LOG_LINES = 20  # shown of a trial; --json has more
_FOLDER = click.argument("path", type=click.Path(path_type=Path))


@click.group("bot")
def bot() -> None:
    """Submit bots and look at them.

    A bot is a folder, or a zip file of one, with bot.toml and code. NAME means its newest version,
    NAME@2 the second one.
    """


@bot.command("check")
@_FOLDER
@trusting
@as_json
@connected
def check(session: Session, path: Path, as_json: bool) -> None:
    """Examine the bot in PATH and let it play a trial match; keep nothing."""
    bundle = packed(path)
    with session.league() as stub:
        report = stub.CheckBot(CheckBotRequest(bundle=bundle))
    if as_json:
        print_json(shape(report))
    else:
        _print_report(console(), report)
    if report.problems:
        raise CliError(
            f"{path} cannot be submitted; mend what is told above ({counted(len(report.problems), 'problem')})"
        )
    if not as_json:
        how = _faults_told(report) or "is fine"
        click.echo(f"{report.manifest.name} {how}; submit it with: {session.command(f'bot submit {path}')}")


@bot.command("submit")
@_FOLDER
@trusting
@as_json
@connected
def submit(session: Session, path: Path, as_json: bool) -> None:
    """Check the bot in PATH and keep it as a new version."""
    bundle = packed(path)
    with session.league() as stub:
        try:
            answer = stub.SubmitBot(SubmitBotRequest(bundle=bundle))
        except grpc.RpcError as error:
            if isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.INVALID_ARGUMENT:
                hint = f"for all about it: {session.command(f'bot check {path}')}"
                raise CliError(f"{path} cannot be submitted: {error.details()}\n{hint}") from None
            raise
    if as_json:
        print_json(shape(answer))
        return
    name = f"{answer.name}@{answer.version}"
    if answer.created:
        click.echo(f"Submitted {name} (digest {answer.digest[:16]}).")
        if faults := _faults_told(answer.report):
            click.echo(f"But it {faults}; see them with: {session.command(f'bot check {path}')}")
    else:
        click.echo(f"These very files are {name} already (digest {answer.digest[:16]}).")


@bot.command("list")
@as_json
@connected
def list_bots(session: Session, as_json: bool) -> None:
    """List the bots by name, each with its newest version."""
    with session.league() as stub:
        found = stub.ListBots(ListBotsRequest())
    if as_json:
        print_json(shape(found))
    elif not found.bots:
        click.echo(f"No bots yet; submit one with: {session.command('bot submit FOLDER')}")
    else:
        console().print(bots_table(found.bots))


@bot.command("show")
@click.argument("name")
@as_json
@connected
def show(session: Session, name: str, as_json: bool) -> None:
    """Show the bot NAME, all its versions, and how each did in its leagues."""
    with session.league() as stub:
        found = stub.ShowBot(ShowBotRequest(name=name))
    if as_json:
        print_json(shape(found))
        return
    page = console()
    manifest = found.versions[0].manifest
    by = f"  by {manifest.author}" if manifest.author else ""
    whose = f"  belongs to {found.owner}" if found.owner else ""
    page.print(Text.assemble((found.name, "bold"), f"{by}{whose}  plays {', '.join(manifest.games)}"))
    if manifest.description:
        page.print(manifest.description)
    page.print()
    page.print(versions_table(found.versions))
    for version in found.versions:
        for entry in version.entries:
            for fault in entry.faults:
                page.print(Text(fault_line(found.name, version.version, entry.league, fault), "red"))


@bot.command("logs")
@click.argument("name", metavar="NAME[@VERSION]")
@click.option("--league", default="", help="Only of this league.")
@as_json
@connected
def logs(session: Session, name: str, league: str, as_json: bool) -> None:
    """Show what a bot wrote to stderr, in every league it played in."""
    bare, version = split_version(name)
    with session.league() as stub:
        found = stub.BotLogs(BotLogsRequest(name=bare, version=version, league=league))
    if as_json:
        print_json(shape(found))
        return
    if not any(log.text for log in found.logs):
        click.echo(f"{found.name}@{found.version} wrote nothing to stderr.")
        return
    page = console()
    for log in found.logs:
        cut = ", older text was dropped" if log.truncated else ""
        page.print(Text(f"--- {found.name}@{found.version} in {log.league}, until {moment(log.updated)}{cut}", "bold"))
        click.echo(harmless(log.text), nl=not log.text.endswith("\n"))


def split_version(name: str) -> tuple[str, int]:
    """Return the name and the version of "name@version", 0 for the newest.

    Raises:
        click.UsageError: the version is no number.
    """
    bare, at, version = name.partition("@")
    if at and not (version.isascii() and version.isdecimal() and int(version)):
        raise click.UsageError(
            f"{name!r}: after the @ there must be a version, e.g. {bare}@2", click.get_current_context()
        )
    return bare, int(version or 0)


def fault_line(name: str, version: int, league: str, fault: FaultCount) -> str:
    """Return what is known about one kind of fault of a version in a league."""
    kind = shape(fault)["kind"]
    last = f"last in {fault.match}: {fault.reason}" if fault.match else fault.reason
    return f"{name}@{version} in {league}: {kind} {counted(fault.count, 'time')}, {last}"


def _faults_told(report: BotReport) -> str:
    """Return what to say of faults in the trial matches, "" if there were none."""
    faults = sum(trial.fault_count for trial in report.trials)
    return f"had {counted(faults, 'fault')} in its trial match" if faults else ""


def _print_report(page: Console, report: BotReport) -> None:
    if report.HasField("manifest"):
        manifest = report.manifest
        page.print(Text.assemble((manifest.name, "bold"), f"  plays {', '.join(manifest.games)}"))
        page.print(f"{counted(report.files, 'file')}, {report.unpacked_bytes:,} bytes, digest {report.digest[:16]}")
    for trial in report.trials:
        _print_trial(page, trial)
    for problem in report.problems:
        page.print(
            Text.assemble(("problem  ", "bold red"), f"{problem.where}: " if problem.where else "", problem.what)
        )


def _print_trial(page: Console, trial: Trial) -> None:
    told = (
        f"trial match of {trial.ruleset}, {counted(trial.seats, 'seat')}: {counted(trial.decisions, 'decision')}, "
        f"{counted(trial.fault_count, 'fault')}"
    )
    page.print(Text(told, "red" if trial.fault_count else ""))
    for fault in trial.faults:
        page.print(Text(f"  move {fault.move}, seat {fault.seat}: {fault.reason}", "red"))
    if trial.forfeited_seats:
        page.print(Text(f"  forfeited: seat {', '.join(map(str, trial.forfeited_seats))}", "red"))
    if trial.fault_count and trial.log:
        lines = trial.log.splitlines()
        page.print("  it wrote to stderr:" if len(lines) <= _LOG_LINES else "  the end of what it wrote to stderr:")
        for line in lines[-_LOG_LINES:]:
            click.echo(f"    {harmless(line)}")
