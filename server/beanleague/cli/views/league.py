"""Page of one league: settings, progress, events, and the nodes that played it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil

from rich.console import RenderableType
from rich.text import Text

from beanleague.answers import options_line, shape
from beanleague.cli.params import SIZES
from beanleague.cli.views.output import bot_name, count_of, duration, enumeration, hanging, local_time, quantity
from beanleague.cli.views.tables import TableColumn, TableOf, deals_so_far, state_name, table_of
from beanproto.v1 import league_pb2 as pb

Fact = tuple[str, str]

NO_ANCHOR = "No anchor is in the field: the mean of the field is 1500."
"""Note on the scale of a ladder whose anchor has left."""

_MAX_NUMBERS = 4  # maximum deals listed that failed together


def league_page(info: pb.LeagueInfo) -> Iterator[RenderableType]:
    """Yield a heading and a line for each fact; if several nodes played, also their table."""
    yield Text.assemble((info.name, "bold"), f"  {info.ruleset}, {info.seats} seats  ", (state_name(info), "dim"))
    for label, value in (*_settings(info), *_special_settings(info), *_findings(info)):
        yield hanging(Text(f"{label:8} {value}"), 9)
    if len(info.nodes) > 1:
        yield Text()
        yield nodes_table(info.nodes)


def league_size(info: pb.LeagueInfo) -> str:
    """Return the size of a league in one line; in a solo league every bot plays each deal alone, against the Thief."""
    solo = info.seats == 1
    bots = quantity(info.entrant_count - solo, "bot")
    table = "against the Bean Thief" if solo else f"{info.seats} seats"
    if info.endless:
        return f"{bots}, {table}, without a last deal"
    matches = quantity(info.matches_total // info.deals_total, "match", "matches")
    return f"{bots}, {table}, {quantity(info.deals_total, 'deal')} of {matches}"


def owners_together(owners: Iterable[pb.SharedOwner]) -> Iterator[str]:
    """Yield a line if bots of one owner have to share tables."""
    if names := [owner.name for owner in owners if owner.together]:
        bots = f"bots of {enumeration(names)} have to share tables with others of the same owner"
        yield f"{bots}: there are too few bots of others"


def worst_case(info: pb.LeagueInfo) -> str:
    """Return the total thinking time if every seat uses all its time; "" if the server sent no limits.

    Rounded up to seconds. Counted as if all CPUs thought all the time and did nothing else: seats of all matches, times
    the time of each, by the number of workers that a run has by default, which is one per CPU.
    """
    seconds = info.limits.match_ms / 1000
    if not (info.workers and seconds):
        return ""
    matches, seats = quantity(info.matches_total, "match", "matches"), quantity(info.seats, "seat")
    longest = duration(ceil(info.matches_total * info.seats * seconds / info.workers))
    bound = f"{longest} ({matches} x {seats} x {seconds:g} s, {info.workers} at a time)"
    return (
        f"Bots that use all of their time would think for {bound}; most need far less, and a run shows the time left."
    )


def _settings(info: pb.LeagueInfo) -> list[Fact]:
    matches = count_of(info.matches_done, info.matches_total, "match", "matches")
    if info.compares:
        matches = quantity(info.matches_done, "match", "matches")
    limits = info.limits
    options = shape(info)["options"]
    assert isinstance(options, dict)
    times = f"{limits.move_ms} ms a decision, {limits.bank_ms} ms bank, {limits.connect_ms} ms to connect"
    if limits.HasField("match_ms"):  # leagues of early versions have no match limit
        times = f"{limits.match_ms} ms a match, {times}"
    # limits that are set, even if 0
    sizes = [f"{name} {getattr(limits, name):,}" for name in SIZES if limits.HasField(name)]
    return [
        ("deals", f"{deals_so_far(info)} ({matches})"),
        ("bots", ", ".join(map(bot_name, info.entrants))),
        ("names", "shown to opponents" if info.show_names else "kept from opponents"),
        ("limits", f"{times}, {quantity(limits.strikes, 'strike')}"),
        *([("sizes", ", ".join(sizes))] if sizes else []),
        ("options", options_line(options)),
        ("rules", str(info.rules)),
        ("created", local_time(info.created)),
    ]


def _special_settings(info: pb.LeagueInfo) -> list[Fact]:
    """Return the settings in which the league differs from the defaults."""
    facts = []
    if info.compares:
        a, b, *fillers = map(bot_name, info.entrants)
        beside = f", beside {', '.join(fillers)}" if fillers else ""
        facts.append(("compares", f"{a} with {b}{beside}"))
    if info.all_seatings:
        facts.append(("seatings", "each deal is played in every order of its bots"))
    if info.isolate:
        facts.append(("isolated", "no process of a bot is alive in two rotations of a deal"))
    if info.one_cpu:
        facts.append(("cpu", f"all deals are played on {info.cpu or 'the model of CPU that plays the first'}"))
    facts += [("owners", line) for line in _owners(info)]
    if info.HasField("hero"):
        facts.append(("gauntlet", f"{bot_name(info.hero)} sits at every table"))
    facts += [("anchor", line) for line in _anchor(info)]
    return facts


def _anchor(info: pb.LeagueInfo) -> Iterator[str]:
    """Yield a line on what is rated 1500, if the league says so."""
    if info.anchor:
        names, several = ", ".join(map(bot_name, info.anchor)), len(info.anchor) > 1
        anchor = f"the mean of {names}, or of those of them that results connect," if several else names
        yield f"{anchor} is rated 1500"
    elif info.endless:
        yield "none is in the field: the mean of the field is 1500"


def _owners(info: pb.LeagueInfo) -> Iterator[str]:
    """Yield lines on which bots of one owner share tables: all by the league's settings, none, or some of necessity."""
    if info.mix_owners:
        yield "bots of one owner may share a table"
    if apart := [owner.name for owner in info.shared_owners if not owner.together]:
        yield f"bots of {enumeration(apart)} never share a table with others of the same owner"
    yield from owners_together(info.shared_owners)


def _stopped_early(info: pb.LeagueInfo) -> bool:
    """Return whether 'league run' can continue the league; comparisons and ladders have their own commands."""
    return info.state == pb.LEAGUE_STATE_STOPPED and info.has_standings and not info.endless


def _findings(info: pb.LeagueInfo) -> list[Fact]:
    """Return facts about the players and the results so far."""
    facts = [("run by", info.run_by)] if info.run_by else []
    if info.run_error:
        facts.append(("failed", f"the last run: {info.run_error}"))
    if _stopped_early(info):
        facts.append(("stopped", f"the last run ended before the last deal; go on with 'league run {info.name}'"))
    if info.weak_layers:
        layers = enumeration(info.weak_layers)
        facts.append(("sandbox", f"some deals were played under {layers}, where bots can signal to each other"))
    if info.seat_effects:
        effects = (f"{seat.seat}: {seat.elo:+z.0f} ± {seat.interval:.0f}" for seat in info.seat_effects)
        facts.append(("seats", f"worth in Elo, {', '.join(effects)}"))
    if info.HasField("luck"):
        facts.append(("luck", f"{100 * max(0.0, info.luck):.0f}% of a result is the luck of seat and deal"))
    for absent in info.absent:
        retired = f"retired: {absent.why or 'a newer version plays'}"
        why = retired if absent.retired else f"suspended: {absent.suspended}"
        facts.append(("absent", f"{bot_name(absent)}, {why}"))
    facts += [("void", line) for line in _voids(info)]
    return facts


def _voids(info: pb.LeagueInfo) -> Iterator[str]:
    """Yield a line for each group of deals that failed together: time, node if there are several, and reason."""

    def what(void: pb.Void) -> tuple[str, str]:
        at = f", on {void.node.name}" if len(info.nodes) > 1 and void.HasField("node") else ""
        return f"{local_time(void.happened)}{at}", void.reason

    for (where, reason), together in groupby(info.voids, what):
        numbers = sorted(void.deal for void in together)
        some = [f"{number:,}" for number in numbers[:_MAX_NUMBERS]]
        others = ["others"] if len(numbers) > _MAX_NUMBERS else []
        yield f"deal{'s' * (len(numbers) > 1)} {enumeration([*some, *others])} ({where}): {reason}"


def nodes_line(nodes: Sequence[pb.NodeProgress]) -> list[str]:
    """Return one line with the numbers of playing nodes and workers; empty if no node plays."""
    there, workers = sum(node.workers > 0 for node in nodes), sum(node.workers for node in nodes)
    return [f"{quantity(there, 'node')} with {quantity(workers, 'worker')}"] if there else []


def waits(progress: pb.Progress) -> bool:
    """Return whether a run is waiting for nodes."""
    return bool(progress.remarks) and not any(node.workers for node in progress.nodes)


playing_table: TableOf[pb.NodeProgress] = table_of(
    TableColumn("node", lambda each: each.node.name),
    TableColumn("workers", lambda each: f"{each.workers:,}" if each.workers else "gone", right=True),
    TableColumn("deals/s", lambda each: f"{each.deals_per_second:,.1f}", right=True),
    TableColumn("deals", lambda each: f"{each.deals:,}", right=True),
    TableColumn("CPU", lambda each: each.node.cpu, lesser=1),
)
"""Table of the nodes that are playing in a run."""


nodes_table: TableOf[pb.NodeTotals] = table_of(
    TableColumn("node", lambda totals: totals.node.name),
    TableColumn("CPU", lambda totals: totals.node.cpu, lesser=2),
    TableColumn("Beanleague", lambda totals: totals.node.beanleague, lesser=3),
    TableColumn("Python", lambda totals: totals.node.python, lesser=4),
    TableColumn("deals", lambda totals: f"{totals.deals:,}", right=True),
    TableColumn("faults", lambda totals: f"{totals.faults:,}", right=True),
    TableColumn("late", lambda totals: f"{totals.timeouts:,}", right=True, lesser=1),
    TableColumn("again", lambda totals: f"{totals.voids:,}", right=True),
)
"""Table of the totals of each node of a league."""
