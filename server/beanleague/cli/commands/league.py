"""`beanleague league`: create, run and inspect leagues."""

from collections.abc import Mapping
from typing import Any

import click

from beanleague.cli.commands import options
from beanleague.cli.commands.runs import run, stop, verify, watch
from beanleague.cli.commands.standings import integrity, pair
from beanleague.cli.connection.completion import bots, leagues
from beanleague.cli.connection.session import Session
from beanleague.cli.params import SIZES, Count, Group, Secret, SizeLimit, each_once
from beanleague.cli.views.league import NO_ANCHOR, league_page, league_size, owners_together, worst_case
from beanleague.cli.views.output import Output, quantity
from beanleague.cli.views.tables import deals_table, leagues_table
from beanproto.v1 import league_pb2 as pb

_LIMITS = ("move_ms", "bank_ms", "match_ms", "connect_ms", "strikes")
_PRICE = (
    "It is isolated: every match starts its bots anew, which takes 0.1 to 0.2 s of CPU for each Python bot (quick ones "
    "take about four times the CPU time), and every run first copies up to 1 GiB to memory ('beanleague doctor' says "
    "whether that works)."
)
_BLEND = (
    "Ratings count deals of the field before and after alike, though who else sits at the table matters too; a new "
    "league rates the new field alone."
)

_STAY = (
    "Ratings still count its deals, so results of others against it stay in their ratings; a new league rates the "
    "others alone."
)


@click.group("league", cls=Group)
def league() -> None:
    """Create, run and inspect leagues."""


for command in (integrity, pair, run, stop, verify, watch):
    league.add_command(command)


@league.command("create")
@click.argument("name")
@options.game_option()
@click.option(
    "--seats", type=Count(min=1), help="Bots at a table. Default: as many as the game and the number of bots allow."
)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME[@VERSION]",
    shell_complete=bots,
    help="A bot that takes part; repeatable. Default: all bots that play the game.",
)
@click.option(
    "--deals",
    type=Count(min=1),
    help="Number of deals, each played once in every rotation of the seats. Default: one for every table.",
)
@click.option("--repeats", type=Count(min=1), help="Number of deals for every table, instead of --deals.")
@options.game_options
@options.move_limit
@click.option(
    "--bank-ms", type=Count(min=0), help="Extra milliseconds per match for decisions that take longer. Default: 10000."
)
@click.option(
    "--match-ms", type=Count(min=1), help="Milliseconds per match for all decisions of a seat. Default: 60000."
)
@click.option("--connect-ms", type=Count(min=1), help="Milliseconds for a bot to start. Default: 10000.")
@click.option("--strikes", type=Count(min=0), help="Faults forgiven per match before a forfeit. Default: 3.")
@click.option(
    "--process-limit",
    "sizes",
    multiple=True,
    callback=each_once,
    type=SizeLimit(),
    help=f"Limit of a bot process: {', '.join(SIZES)}, e.g. memory_bytes=512M; repeatable.",
)
@click.option("--secret", type=Secret(), default=b"", help="Master secret that determines every deal. Default: random.")
@click.option("--show-names", is_flag=True, help="Show bots the names of their opponents.")
@options.bot_option(
    "--gauntlet",
    "Seat this bot at every table, against the field; without --deals each of these tables is played once.",
    "BOT",
)
@options.bot_option(
    "--anchor",
    "Rate this bot 1500. Default: the bot of --gauntlet, else the first of trader, duelist, gardener, dicer.",
    "BOT",
)
@click.option(
    "--all-seatings",
    is_flag=True,
    help="With three seats: play each deal in all six seat orders, not only in rotation.",
)
@click.option(
    "--isolate",
    is_flag=True,
    help="For strangers' bots: start new processes for every rotation of a deal, and keep all files that bots read in "
    "memory. This is slow.",
)
@click.option("--mix-owners", is_flag=True, help="Let bots of one owner share a table even if there are enough others.")
@click.option(
    "--one-cpu",
    is_flag=True,
    help="Play all deals on the CPU model of the first one, so that bots think equally fast in all of them.",
)
@options.reporting
def create(session: Session, out: Output, name: str, game: str, sizes: Mapping[str, int], **fields: Any) -> None:
    """Create the league NAME. Nothing is played before 'league run'."""
    if fields["deals"] and fields["repeats"]:
        raise click.UsageError("--deals and --repeats cannot be used together")
    limits = pb.Limits(**{limit: fields.pop(limit) for limit in _LIMITS}, **sizes)
    request = pb.CreateLeagueRequest(name=name, ruleset=game, limits=limits, **fields)
    info = session.call(lambda stub: stub.CreateLeague(request))

    created = f"Created {info.name}: {info.ruleset}, {league_size(info)}."
    notes = [*[_PRICE] * info.isolate, *owners_together(info.shared_owners), *filter(None, [worst_case(info)])]
    out.show(info, [created, *notes, f"Run it with: {session.command('league run', info.name)}"])


@league.command("hide")
@click.option("--show", is_flag=True, help="Show the league again.")
@options.reporting_on
def hide_league(session: Session, name: str, show: bool, out: Output) -> None:
    """Hide the league NAME from lists and the site, or show it again. Nothing is deleted.

    'league list --all' lists it, and all other commands take it by its name.
    """
    info = session.call(lambda stub: stub.HideLeague(pb.HideLeagueRequest(name=name, show=show)))
    again = f"hidden; show it again with: {session.command('league hide', name, '--show')}"
    out.show(info, [f"{name} is {'shown.' if show else again}"])


@league.command("list")
@click.option("--all", "every", is_flag=True, help="Include hidden leagues.")
@options.reporting
def list_leagues(session: Session, every: bool, out: Output) -> None:
    """List all leagues that are not hidden."""
    answer = session.call(lambda stub: stub.ListLeagues(pb.ListLeaguesRequest(all=every)))
    hint = f"No leagues yet; try: {session.command('quickstart')}\n{session.looked_in()}".rstrip()
    out.show(answer, [leagues_table(answer.leagues) if answer.leagues else hint])


@league.command("show")
@options.reporting_on
def show(session: Session, name: str, out: Output) -> None:
    """Show the league NAME: game, bots, limits, progress, and the effects of seats and luck."""
    info = session.call(lambda stub: stub.ShowLeague(pb.ShowLeagueRequest(name=name, nodes=True)))
    out.show(info, league_page(info))


@league.command("add")
@click.argument("name", shell_complete=leagues)
@click.argument("bots", nargs=-1, metavar="BOT[@VERSION]...", shell_complete=bots)
@click.option("--deals", type=Count(min=1), help="The new total number of deals.")
@options.reporting
def add(session: Session, out: Output, name: str, bots: tuple[str, ...], deals: int | None) -> None:
    """Add BOTs to the league NAME, or deals, even while it is being run.

    New bots play at every table until they have caught up. A newer version replaces an older one of
    the same bot, whose results stay. Ratings count earlier and later deals alike,
    although they also depend on the other bots at the table.
    """
    if not bots and not deals:
        raise click.UsageError("nothing to add; name bots, or set --deals")
    info = session.call(lambda stub: stub.AddBots(pb.AddBotsRequest(league=name, bots=bots, deals=deals or 0)))
    left = info.deals_total - info.deals_done
    bot_count, deal_count = quantity(info.entrant_count, "bot"), quantity(info.deals_total, "deal")
    size = f"{name} has {bot_count} and {deal_count}, {left:,} to play."
    blend = [_BLEND] if bots and info.deals_done and not info.endless else []
    out.show(info, [size, *blend, *owners_together(info.shared_owners), _next_step(session, info)])


@league.command("suspend")
@click.option("--reason", required=True, metavar="TEXT", help="Reason, shown in the standings and on the bot's page.")
@options.reporting_on_entry
def suspend(session: Session, name: str, bot: str, reason: str, out: Output) -> None:
    """Suspend BOT in the league NAME, even while it is being run: it plays in no new deal.

    Its results stay. Published deals with it that have not started are void, with this reason, and replaced by others.
    'league lift' lets it play again.
    """
    info = session.call(lambda stub: stub.SuspendBot(pb.SuspendBotRequest(league=name, bot=bot, reason=reason)))
    lift_it = session.command("league lift", name, bot)
    out.show(info, [f"{bot} is suspended in {name}. Lift it with: {lift_it}", *_effects(info)])


@league.command("remove")
@click.option(
    "--reason", required=True, metavar="TEXT", help="Reason, shown by 'league show' and on the standings page."
)
@options.reporting_on_entry
def remove(session: Session, name: str, bot: str, reason: str, out: Output) -> None:
    """Remove BOT from the league or ladder NAME for good, even while it is being run.

    It plays in no new deal, and its results stay. Published deals with it that have not started are void, with this
    reason. A newer version may be added; in a ladder its author may also enter the same version again.
    """
    request = pb.SuspendBotRequest(league=name, bot=bot, reason=reason, for_good=True)
    info = session.call(lambda stub: stub.SuspendBot(request))
    out.show(info, [f"{bot} plays no more in {name}; its results stay.", *_effects(info)])


def _effects(info: pb.LeagueInfo) -> list[str]:
    """Return what the absence of a bot means for the ratings of the others."""
    if info.endless:
        return [] if info.anchor else [NO_ANCHOR]
    return [_STAY] if info.deals_done else []


@league.command("lift")
@options.reporting_on_entry
def lift(session: Session, name: str, bot: str, out: Output) -> None:
    """Lift the suspension of BOT in the league NAME, even while it is being run: it plays in deals that start later."""
    info = session.call(lambda stub: stub.LiftSuspension(pb.LiftSuspensionRequest(league=name, bot=bot)))
    out.show(info, [f"{bot} plays in {name} again. {_next_step(session, info)}"])


def _next_step(session: Session, info: pb.LeagueInfo) -> str:
    """Return a hint at the next command."""
    if info.state == pb.LEAGUE_STATE_RUNNING:
        return f"It is being run; watch it with: {session.command('league watch', info.name)}"
    if info.has_entries:
        return f"Run the ladder with: {session.command('ladder run', info.name)}"
    if info.deals_done < info.deals_total:
        return f"Run the league with: {session.command('league run', info.name)}"
    return f"Add deals with: {session.command('league add', info.name, '--deals', 2 * info.deals_total)}"


@league.command("deals")
@click.option("--after", type=Count(min=0), default=0, help="Start after the deal with this number.")
@click.option("--limit", type=Count(1, 1000), default=20, show_default=True, help="Maximum number of rows.")
@options.reporting_on
def deals(session: Session, name: str, after: int, limit: int, out: Output) -> None:
    """List the deals of the league NAME: tables, seed digests and, once played, seeds.

    --json shows digests and seeds in full.
    """
    answer = session.call(lambda stub: stub.ListDeals(pb.ListDealsRequest(league=name, after=after, limit=limit)))
    more = [f"\nMore: add --after {answer.next_after}"] if answer.next_after else []
    out.show(answer, [deals_table(answer.deals), *more] if answer.deals else [f"No deals after {after}."])
