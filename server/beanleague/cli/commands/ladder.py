"""`beanleague ladder`: leagues without a last deal, into which bots are entered while they run."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import click
from rich.console import RenderableType
from rich.text import Text

from beanleague.answers import RATED_IN_LADDER, enum_name, shape
from beanleague.cli.commands import options
from beanleague.cli.commands.runs import play_or_watch, verify
from beanleague.cli.connection.completion import bots, leagues
from beanleague.cli.connection.session import Session, clustered, trusting
from beanleague.cli.params import Command, Count, Group, stopping
from beanleague.cli.views.league import NO_ANCHOR
from beanleague.cli.views.output import Output, bot_name, duration, local_time, quantity
from beanleague.cli.views.tables import FittedTable, TableColumn, fault_line
from beanproto.v1 import league_pb2 as pb

_SHOWN = 12  # maximum rows shown of how an entry's certainty grew


@click.group("ladder", cls=Group)
def ladder() -> None:
    """Create, enter and run ladders: leagues without a last deal."""


ladder.add_command(verify)


def _bound(option: str, default: int, says: str) -> Callable[[Command], Command]:
    return click.option(option, type=Count(1, 1000), default=default, show_default=True, help=says)


@ladder.command("create")
@click.argument("name")
@options.game_option()
@click.option("--seats", type=Count(min=1), help="Bots at a table. Default: 4, or as many as the game allows.")
@_bound("--per-owner", 2, "Maximum number of bots of an author that play.")
@_bound("--versions-a-day", 3, "Maximum number of versions that an author may enter within 24 hours.")
@_bound("--cpu-hours", 8, "Maximum thinking time of an author's bots per day, in hours.")
@_bound("--megabytes", 100, "Maximum total size of an author's bundles, in MiB.")
@_bound("--share", 1, "Share of the server's cores, relative to the shares of other ladders.")
@click.option("--isolate", is_flag=True, help="For strangers' bots: see 'league create'.")
@click.option("--one-cpu", is_flag=True, help="Play all deals on the CPU model of the first one.")
@options.bot_option("--anchor", "Rate this bot 1500. Default: a house bot.", "BOT")
@click.option("--without-house-bots", is_flag=True, help="Do not enter the house bots of the game.")
@options.reporting
def create(session: Session, out: Output, name: str, game: str, **fields: Any) -> None:
    """Create the ladder NAME, with the house bots of its game as its first entries."""
    request = pb.CreateLadderRequest(name=name, ruleset=game, **fields)
    info = session.call(lambda stub: stub.CreateLadder(request))
    made = f"Created the ladder {name}: {game}, {info.seats} seats, {quantity(len(info.entries), 'bot')}."
    local = f"Play it with: {session.command('ladder run', name)}"
    out.show(info, [made, "The server plays it." if session.server else local])


@ladder.command("list")
@options.reporting
def list_ladders(session: Session, out: Output) -> None:
    """List all ladders."""
    answer = session.call(lambda stub: stub.ListLadders(pb.ListLaddersRequest()))
    table: FittedTable[pb.LadderInfo] = FittedTable(
        [
            TableColumn("ladder", lambda info: info.name),
            TableColumn("game", lambda info: info.ruleset),
            TableColumn("seats", lambda info: str(info.seats), right=True, lesser=1),
            TableColumn("deals", lambda info: f"{info.deals_done:,}", right=True),
            TableColumn("state", _state),
            TableColumn("created", lambda info: local_time(info.created), lesser=2),
        ],
        answer.ladders,
    )
    hint = f"No ladders yet; try: {session.command('ladder create NAME --game GAME')}"
    out.show(answer, [table if answer.ladders else hint])


def _state(info: pb.LadderInfo) -> str:
    state = enum_name(pb.LadderState.DESCRIPTOR, info.state)
    return "running" if info.running and info.state == pb.LADDER_STATE_OPEN else state


@ladder.command("show")
@options.reporting_on
def show(session: Session, name: str, out: Output) -> None:
    """Show the ladder NAME: its entries with their states and reasons, and its latest days.

    For the standings see 'beanleague standings NAME'.
    """
    info = session.call(lambda stub: stub.ShowLadder(pb.ShowLadderRequest(name=name)))
    out.show(info, _page(info))


def _page(info: pb.LadderInfo) -> Iterator[RenderableType]:
    why = f": {info.reason}" if info.reason else ""
    yield f"{info.name}  {info.ruleset}  {info.seats} seats  {info.deals_done:,} deals  {_state(info)}{why}"
    yield ""
    yield FittedTable(_ENTRY, info.entries)
    for entry in info.entries:
        if entry.same_files:
            yield f"{bot_name(entry)}: same files as {', '.join(entry.same_files)}"
    for day in info.days:
        secret = f"secret {day.secret.hex()}" if day.secret else f"SHA-256 of its secret {day.digest.hex()}"
        secret += f"\n  checkpoint at its end {day.checkpoint.hex()}" if day.checkpoint else ""
        yield f"day {day.number}, from {local_time(day.began)}: {secret}"
    if info.HasField("newest_block"):
        block = info.newest_block
        blocks = quantity(block.number, "block")
        yield f"records up to deal {block.last:,} are packed, in {blocks}: {block.digest.hex()}"


@ladder.command("status")
@click.argument("bot", metavar="[BOT[@VERSION]]", shell_complete=bots, default="")
@click.option("--ladder", "name", metavar="NAME", shell_complete=leagues, default="", help="Show only this ladder.")
@options.reporting
def status(session: Session, bot: str, name: str, out: Output) -> None:
    """Show the ladder entries of your bots; of BOT also its rating progress, worst deals and faults."""
    with session.league() as stub:
        answer = stub.LadderStatus(pb.LadderStatusRequest(bot=bot, ladder=name))
    enter_it = session.command("ladder enter NAME", bot or "BOT")
    none = f"No ladder has {bot or 'a bot of yours'}; enter with: {enter_it}"
    page = (line for entry in answer.entries for line in _status_page(session, entry)) if bot else _overview(answer)
    out.show(answer, page if answer.entries else [none])


def _overview(answer: pb.LadderStatusResponse) -> Iterator[RenderableType]:
    for name, statuses in groupby(answer.entries, lambda status: status.ladder):
        yield name
        yield FittedTable(_ENTRY, [status.entry for status in statuses])
    for quota in answer.quotas:
        yield (
            f"{answer.owner} in {quota.ladder}: {quota.entered} of {quota.versions_a_day} versions entered within 24 "
            f"hours, {quota.playing} of {quota.per_owner} bots play, which thought for {quota.thought_hours:.2f} of "
            f"{quota.cpu_hours} hours today; {quota.bundle_bytes / 2**20:.1f} of {quota.megabytes} MiB"
        )


def _status_page(session: Session, status: pb.EntryStatus) -> Iterator[RenderableType]:
    entry, name = status.entry, bot_name(status.entry)
    state = enum_name(pb.EntryState.DESCRIPTOR, entry.state)
    yield f"{name} in {status.ladder}  {state}  {quantity(entry.deals, 'deal')}  {_why(entry)}"
    if status.certainty:
        shown = status.certainty[:: -(-len(status.certainty) // _SHOWN)]
        known = (f"{each.half_width} after {each.deals} ({each.rating})" for each in shown)
        yield f"known to Elo, after deals (rating): {', '.join(known)}"
        yield Text(f"rating: {RATED_IN_LADDER}", "dim")
    for deal in status.worst_deals:
        faults = f", {quantity(deal.faults, 'fault')}" if deal.faults else ""
        yield f"worst deal {status.ladder}/{deal.deal}: mean place {deal.mean_place:.1f} of its matches{faults}"
    if status.worst_deals:
        first = f"{status.ladder}/{status.worst_deals[0].deal}"
        yield f"what other bots earned with the same cards: {session.command('match rotations', first, '--bot', name)}"
    for fault in status.faults:
        yield fault_line(entry.bot, entry.version, status.ladder, fault)
    for change in status.changes:
        yield f"{local_time(change.happened)}  {change.kind}{f': {change.reason}' if change.reason else ''}"
    yield f"what it wrote: {session.command('bot logs', name, '--league', status.ladder)}"
    yield ""


def _why(entry: pb.LadderEntry) -> str:
    return _forecast(entry) if entry.HasField("forecast") else entry.reason


_ENTRY: Sequence[TableColumn[pb.LadderEntry]] = (
    TableColumn("bot", bot_name),
    TableColumn("owner", lambda entry: entry.owner, lesser=2),
    TableColumn("state", lambda entry: enum_name(pb.EntryState.DESCRIPTOR, entry.state)),
    TableColumn("deals", lambda entry: f"{entry.deals:,}", right=True),
    TableColumn("known to", lambda entry: f"{entry.half_width} Elo" if entry.half_width else "-", right=True),
    TableColumn("why", _why, lesser=1, wraps=True),
    TableColumn("since", lambda entry: local_time(entry.since), lesser=3),
)


def _forecast(entry: pb.LadderEntry) -> str:
    """Return one line that forecasts when an entry in placement will be rated."""
    forecast = entry.forecast
    parts = [f"placing: about {quantity(forecast.deals, 'deal')}"]
    if forecast.rated_seconds:
        first = f"first result in {duration(forecast.first_seconds)}, " if forecast.first_seconds else ""
        parts.append(f"{first}rated in {duration(forecast.rated_seconds)}")
    else:
        parts.append("how long that takes is known once deals are played")
    if forecast.before:
        parts.append(f"{forecast.before:,} before it")
    return "; ".join(parts)


@ladder.command("enter")
@options.reporting_on_entry
def enter(session: Session, name: str, bot: str, out: Output) -> None:
    """Enter BOT into the ladder NAME, even while it is being run."""
    enter_into(session, name, bot, out)


def enter_into(session: Session, name: str, bot: str, out: Output) -> None:
    """Enter a bot into a ladder, and print the forecast of its rating."""
    entry = session.call(lambda stub: stub.EnterLadder(pb.EnterLadderRequest(name=name, bot=bot)))
    out.show(entry, [f"{bot_name(entry)} is in {name}. {_forecast(entry)}"])


@ladder.command("leave")
@options.reporting_on_entry
def leave(session: Session, name: str, bot: str, out: Output) -> None:
    """Withdraw BOT from the ladder NAME; its results stay."""
    with session.league() as stub:
        anchor = [bot_name(each) for each in stub.ShowLeague(pb.ShowLeagueRequest(name=name)).anchor]
        entry = stub.LeaveLadder(pb.LeaveLadderRequest(name=name, bot=bot))
    out.show(entry, [f"{bot_name(entry)} has left {name}.", *([NO_ANCHOR] if bot_name(entry) in anchor else [])])


@ladder.command("pause")
@click.option("--reason", default="an organiser paused it", show_default=True, help="Reason, shown to everybody.")
@options.reporting_on
def pause(session: Session, name: str, reason: str, out: Output) -> None:
    """Plan no more deals of the ladder NAME for now; planned deals are played."""
    _set(session, pb.SetLadderRequest(name=name, state=pb.LADDER_STATE_PAUSED, reason=reason), out)


@ladder.command("resume")
@options.reporting_on
def resume(session: Session, name: str, out: Output) -> None:
    """Resume the ladder NAME."""
    _set(session, pb.SetLadderRequest(name=name, state=pb.LADDER_STATE_OPEN), out)


@ladder.command("close")
@click.option("--reason", default="an organiser closed it", show_default=True, help="Reason, shown to everybody.")
@options.reporting_on
def close(session: Session, name: str, reason: str, out: Output) -> None:
    """Close the ladder NAME for good. Its results stay."""
    _set(session, pb.SetLadderRequest(name=name, state=pb.LADDER_STATE_CLOSED, reason=reason), out)


@ladder.command("share")
@click.argument("name", shell_complete=leagues)
@click.argument("share", metavar="N", type=Count(1, 1000))
@options.reporting
def share(session: Session, name: str, share: int, out: Output) -> None:
    """Set the share of the ladder NAME in the cores of a server to N, relative to the shares of other open ladders.

    A run adjusts its number of workers once its planned deals are played.
    """
    request = pb.SetLadderRequest(name=name, share=share)
    out.show(session.call(lambda stub: stub.SetLadder(request)), [f"The share of {name} is {share}."])


def _set(session: Session, request: pb.SetLadderRequest, out: Output) -> None:
    info = session.call(lambda stub: stub.SetLadder(request))
    out.show(info, [f"{info.name} is {enum_name(pb.LadderState.DESCRIPTOR, info.state)}."])


@ladder.command("run")
@options.workers
@options.in_flight()
@options.keep_days
@trusting
@options.reporting_on
@clustered
def run(session: Session, out: Output, name: str, keep_days: int, **limits: Any) -> None:
    """Play the ladder NAME until Ctrl-C. Another terminal can enter bots while it runs.

    With --server, --keep-days of 'beanleague serve' applies.
    """
    request = pb.RunLeagueRequest(name=name, keep_days=0 if session.server else keep_days, **limits)
    with stopping(f"stopped; continue with: {session.run_command(name, 'ladder run')}"), session.league() as stub:
        last = play_or_watch(session, stub, request, out, "ladder run")
    out.show({"league": name, **shape(last)}, [])
