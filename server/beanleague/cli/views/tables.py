"""Tables of bots, leagues, standings, deals and matches. On narrow terminals minor columns are left out."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from beanleague.answers import (
    PROVISIONAL,
    RATED,
    RATED_IN_LADDER,
    RATED_IN_LEAGUE,
    STANDING,
    Kind,
    StandingColumn,
    amount,
    enum_name,
    shape,
)
from beanleague.cli.views.output import bot_name, local_time, percent, quantity, rating_parts
from beanleague.names import format_bot
from beanproto.v1 import league_pb2 as pb

_STANDINGS = {
    "rank": 0,
    "bot": 0,
    "owner": 7,
    "rating": 0,
    "moved": 5,
    "deals": 2,
    "effective": 2,
    "mean_score": 4,
    "wins": 5,
    "win_share": 1,
    "fault_share": 3,
    "best_rank": 6,
}
"""Columns of the standings in order, with their priority; see `TableColumn.lesser`."""

_MAX_GAMES = 30  # characters of a list of games that a row shows

Row = TypeVar("Row")
HEAD_LINE = box.Box(str(box.SIMPLE_HEAD), ascii=True)
"""Line below the headings. Marked as ASCII so that rich leaves it alone; the stream converts it if needed."""


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[Row]):
    """Definition of a table column."""

    title: str
    """Heading of the column."""
    cell: Callable[[Row], str | Text]
    """Returns the text of a row's cell."""
    right: bool = False
    """Whether the column is aligned to the right."""
    lesser: int = 0
    """Order of omission when a table is too wide: the highest number goes first, 0 never."""
    wraps: bool = False
    """Whether a long text is wrapped instead of cut."""
    when: Callable[[Sequence[Row]], bool] = lambda _: True
    """Whether to show the column at all for these rows."""


@dataclass(frozen=True, slots=True)
class FittedTable(Generic[Row]):
    """Table that drops minor columns until it fits, and names them below."""

    columns: Sequence[TableColumn[Row]]
    """All possible columns."""
    rows: Sequence[Row]
    """The rows."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [column for column in self.columns if column.when(self.rows)]
        table, dropped = self._table(columns), list[str]()
        while Measurement.get(console, options.update(width=10_000), table).maximum > options.max_width:
            minor = max(columns, key=lambda column: column.lesser)
            if not minor.lesser:
                break
            columns.remove(minor)
            dropped.append(minor.title)
            table = self._table(columns)
        yield table
        if dropped:
            yield Text(f"too narrow for: {', '.join(reversed(dropped))}", "dim")

    def _table(self, columns: Sequence[TableColumn[Row]]) -> Table:
        table = Table(box=HEAD_LINE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for column in columns:
            table.add_column(
                column.title,
                justify="right" if column.right else "left",
                no_wrap=not column.wraps,
                overflow="fold" if column.wraps else "ellipsis",
            )
        for row in self.rows:
            table.add_row(*(column.cell(row) for column in columns))
        return table


TableOf: TypeAlias = Callable[[Iterable[Row]], FittedTable[Row]]
"""Type of functions that make a table from rows."""


def table_of(*columns: TableColumn[Row]) -> TableOf[Row]:
    """Return a function that makes tables with these columns."""
    return lambda rows: FittedTable(columns, tuple(rows))


def marked_name(standing: pb.Standing) -> Text:
    """Return the name of a bot, marked if it is suspended."""
    return Text.assemble((bot_name(standing), "bold"), (" suspended" if standing.suspended else "", "red"))


def rating_note(standings: Iterable[pb.Standing]) -> str:
    """Return one line on the scope of the ratings, of a league, a ladder or both; "" without ratings."""
    of_ladders = {standing.HasField("effective") for standing in standings if standing.rank}
    if not of_ladders:
        return ""
    if len(of_ladders) > 1:
        return f"rating: {RATED}"
    return f"rating: {RATED_IN_LADDER if True in of_ladders else RATED_IN_LEAGUE}"


def _notes_on_ratings(standings: Sequence[pb.Standing]) -> list[str]:
    """Return notes on marks of ratings and, beside these or in a ladder, on the scope of ratings."""
    notes = []
    if any(standing.HasField("least") or standing.HasField("most") for standing in standings):
        notes.append("over, under: 95 % bounds where a bot or a group never lost, or never won")
    if any(standing.provisional and standing.rank for standing in standings):
        notes.append(f"? {PROVISIONAL}")
    of_ladder = any(standing.HasField("effective") for standing in standings)
    return [*notes, *filter(None, [rating_note(standings)])] if notes or of_ladder else []


def _notes_on_ladders(standings: Sequence[pb.Standing]) -> Iterator[str]:
    """Yield notes that explain the columns of ladders."""
    if any(standing.HasField("effective") for standing in standings):
        yield (
            "deals: effective deals, the number of equally weighted deals that give the same certainty "
            "(docs/ratings.md)"
        )
    if any(standing.HasField("moved") for standing in standings):
        yield "day: change of the rating since the last day ended"


def standings_table(standings: Sequence[pb.Standing]) -> RenderableType:
    """Return the standings, best first, with notes; authors are shown if any bot has one."""
    notes = [*_notes_on_ratings(standings), *_notes_on_ladders(standings)]
    if thief := next((standing for standing in standings if not standing.version), None):
        notes.append(f"wins: against the {thief.bot}; its own wins: against any bot")
    return Group(_standings(standings), *(Text(line, "dim") for line in notes))


def _figure(column: StandingColumn, standing: pb.Standing) -> str:
    value = getattr(standing, column.name)
    if column.kind is Kind.NUMBER:
        return f"{value:g}" if isinstance(value, float) else str(value)
    if not standing.matches:
        return "-"
    return percent(value) if column.kind is Kind.SHARE else f"{value:.2f}"


def _rating(standing: pb.Standing) -> Text:
    if not standing.rank:
        return Text("-")
    rating, interval = rating_parts(standing)
    return Text.assemble((rating, "bold"), (interval + (" ?" if standing.provisional else ""), "dim"))


_CELLS: dict[str, Callable[[pb.Standing], str | Text]] = {
    "rank": lambda standing: str(standing.rank or "-"),
    "bot": marked_name,
    "owner": lambda standing: standing.owner or "-",
    "rating": _rating,
    "effective": lambda standing: f"{standing.effective:.0f}" if standing.HasField("effective") else "-",
    "moved": lambda standing: f"{standing.moved:+z.0f}" if standing.HasField("moved") else "",
    "fault_share": lambda s: Text(_figure(STANDING["fault_share"], s), "red" if s.faults else "dim"),
    "best_rank": lambda s: _range(s.best_rank, s.worst_rank) if s.best_rank else "-",
}
"""Formatters for columns that are not plain figures."""
_WHEN: dict[str, Callable[[Sequence[pb.Standing]], bool]] = {
    "owner": lambda standings: any(standing.owner for standing in standings),
    "moved": lambda standings: any(standing.HasField("moved") for standing in standings),
    "deals": lambda standings: not any(standing.HasField("effective") for standing in standings),
    "effective": lambda standings: any(standing.HasField("effective") for standing in standings),
}
"""Conditions for showing columns that are rarely filled."""


def _listed(name: str, *, hidden: bool) -> Text:
    return Text.assemble((name, "bold"), " (hidden)" if hidden else "")


def _result(entry: pb.BotEntry) -> str:
    standing = entry.standing
    if not standing.rank:
        return f"{entry.league}: not played yet"
    suspended = ", suspended" if standing.suspended else ""
    return f"{entry.league}: rank {standing.rank} of {entry.entrants}, rating {rating_parts(standing)[0]}{suspended}"


def fault_line(name: str, version: int, league: str, fault: pb.FaultCount) -> str:
    """Return one line about a kind of fault of a bot version in a league."""
    kind = shape(fault)["kind"]
    last = f"last in {fault.match}: {fault.reason}" if fault.match else fault.reason
    return f"{format_bot(name, version)} in {league}: {kind} {quantity(fault.count, 'time')}, {last}"


def _token_state(token: pb.TokenInfo) -> str:
    if token.HasField("revoked"):
        return f"revoked {local_time(token.revoked)}"
    return "expired" if token.HasField("expires") and token.expires.seconds <= time.time() else "valid"


def state_name(info: pb.LeagueInfo) -> str:
    """Return the state of a league as a word."""
    return enum_name(pb.LeagueState.DESCRIPTOR, info.state)


def deals_so_far(info: pb.LeagueInfo) -> str:
    """Return the number of deals played out of all; a comparison's total is unknown until its end."""
    if info.compares and info.state != pb.LEAGUE_STATE_DONE:
        return f"{info.deals_done:,} so far"
    if info.endless:
        return f"{info.deals_done:,}"
    return f"{info.deals_done:,} of {info.deals_total:,}"


def _seed(deal: pb.Deal) -> str:
    """Return the first digits of a deal's seed, or why there is none."""
    if deal.state == pb.DEAL_STATE_DROPPED:
        return "void, not played"
    return deal.seed.hex()[:16] if deal.seed else "secret until played"


def _seats(match: pb.MatchInfo) -> Text:
    return Text("  ").join(
        Text.assemble(
            (bot_name(seat), "bold" if seat.place == 1 else ""),
            f" ${amount(seat.score, match.ruleset)}",
            (" forfeit" if seat.forfeited else "", "red"),
        )
        for seat in match.seats
    )


def _faults(*seats: pb.SeatResult, more: str = "") -> Text:
    faults = sum(seat.faults for seat in seats)
    return Text(f"{faults}{more}", "red" if faults else "dim")


def results_table(match: pb.MatchInfo) -> FittedTable[tuple[int, pb.SeatResult]]:
    """Return a table of the seats of one match."""
    return FittedTable(
        [
            TableColumn("seat", lambda row: str(row[0]), right=True),
            TableColumn("bot", lambda row: Text(bot_name(row[1]), "bold")),
            TableColumn("dollars", lambda row: amount(row[1].score, match.ruleset), right=True),
            TableColumn("place", lambda row: str(row[1].place), right=True),
            TableColumn("decisions", lambda row: str(row[1].decisions), right=True, lesser=1),
            TableColumn("faults", lambda row: _faults(row[1], more=" forfeit" if row[1].forfeited else "")),
        ],
        list(enumerate(match.seats)),
    )


def _range(least: int, most: int) -> str:
    return str(least) if least == most else f"{least}-{most}"


_standings: TableOf[pb.Standing] = table_of(
    *(
        TableColumn(
            STANDING[name].title,
            _CELLS.get(name, partial(_figure, STANDING[name])),
            right=STANDING[name].kind is not Kind.OTHER,
            lesser=lesser,
            when=_WHEN.get(name, lambda _: True),
        )
        for name, lesser in _STANDINGS.items()
    )
)


def _games(names: Sequence[str]) -> str:
    """Return the games of a bot, or the first and the number of others."""
    listed = ", ".join(names)
    return listed if len(listed) <= _MAX_GAMES else f"{names[0]} and {len(names) - 1} more"


bots_table: TableOf[pb.BotInfo] = table_of(
    TableColumn("bot", lambda b: _listed(format_bot(b.name, b.version), hidden=b.hidden)),
    TableColumn("games", lambda b: _games(b.games)),
    TableColumn("author", lambda b: b.owner or b.author or "-"),
    TableColumn("submitted", lambda b: local_time(b.submitted), lesser=1),
    TableColumn("description", lambda b: b.description, lesser=4),
)
"""Table of bots. The author is the holder of the token that submitted the bot, else the one named in its files."""

versions_table: TableOf[pb.BotVersion] = table_of(
    TableColumn("version", lambda v: str(v.version), right=True),
    TableColumn("submitted", lambda v: local_time(v.submitted)),
    TableColumn(
        "environment",
        lambda v: f"{v.manifest.environment} {v.packages[:16]}".strip(),
        lesser=1,
        when=lambda versions: any(v.packages for v in versions),
    ),
    TableColumn("size", lambda v: f"{v.bundle_bytes / 1024:.1f} KiB", right=True, lesser=2),
    TableColumn("digest", lambda v: v.digest[:16], lesser=1),
    TableColumn("leagues", lambda v: "\n".join(map(_result, v.entries)) or "-", wraps=True),
)

tokens_table: TableOf[pb.TokenInfo] = table_of(
    TableColumn("name", lambda t: Text(t.name, "bold")),
    TableColumn("role", lambda t: enum_name(pb.Role.DESCRIPTOR, t.role)),
    TableColumn("state", _token_state),
    TableColumn("made", lambda t: local_time(t.created), lesser=2),
    TableColumn("expires", lambda t: local_time(t.expires) if t.HasField("expires") else "never", lesser=1),
)

leagues_table: TableOf[pb.LeagueInfo] = table_of(
    TableColumn("league", lambda info: _listed(info.name, hidden=info.hidden)),
    TableColumn("game", lambda info: info.ruleset),
    TableColumn("seats", lambda info: str(info.seats), right=True, lesser=1),
    TableColumn("bots", lambda info: str(info.entrant_count), right=True, lesser=2),
    TableColumn("deals", deals_so_far, right=True),
    TableColumn("state", state_name),
    TableColumn("created", lambda info: local_time(info.created), lesser=3),
)

deals_table: TableOf[pb.Deal] = table_of(
    TableColumn("deal", lambda deal: str(deal.number), right=True),
    TableColumn("table", lambda deal: ", ".join(map(bot_name, deal.table)), wraps=True),
    TableColumn("seed digest (SHA-256)", lambda deal: deal.seed_digest.hex()[:16], lesser=1),
    TableColumn("seed", _seed, lesser=2),
    TableColumn("played", lambda deal: local_time(deal.played), lesser=3),
    TableColumn(
        "node", lambda deal: deal.node.name, lesser=1, when=lambda deals: len({d.node.name for d in deals} - {""}) > 1
    ),
)
"""Table of deals: digests of seeds, and nodes if these differ."""

matches_table: TableOf[pb.MatchInfo] = table_of(
    TableColumn("match", lambda match: match.match),
    TableColumn("seats in order, dollars", _seats, wraps=True),
    TableColumn("faults", lambda match: _faults(*match.seats), right=True, lesser=1),
    TableColumn("played", lambda match: local_time(match.played), lesser=2),
)
"""Table of matches: bots in seat order with dollars, the winner in bold."""

rulesets_table: TableOf[pb.RulesetInfo] = table_of(
    TableColumn("game", lambda game: Text(game.id, "bold")),
    TableColumn("players", lambda game: _range(game.least_seats, game.most_seats)),
    TableColumn("source", lambda game: game.source, lesser=2, wraps=True),
    TableColumn("summary", lambda game: game.summary, lesser=3, wraps=True),
    TableColumn("options", lambda game: ", ".join(option.name for option in game.options), lesser=1, wraps=True),
)
