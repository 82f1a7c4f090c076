"""The pairs of bots whose trades are far from what the rest do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from beanleague.cli.views.tables import FittedTable, TableColumn
from beanleague.cli.views.text import bot_name, counted
from beanproto.v1.league_pb2 import IntegrityResponse, PairFlow

_MAX_DEALS = 6  # of a pair that are listed


def integrity_page(answer: IntegrityResponse, *, show_all: bool) -> Iterator[RenderableType]:
    """Yield the pairs found (or all), and what the columns mean."""
    pairs = [pair for pair in answer.pairs if pair.found or show_all]
    found = sum(pair.found for pair in answer.pairs)
    yield Text.assemble(
        (answer.league, "bold"),
        f"  {counted(answer.deals, 'deal')} with trades, {counted(len(answer.pairs), 'pair')} compared, {found} found",
    )
    if not answer.pairs:
        yield Text("No pair can be compared with others: each of the two must have traded with two bots more.")
    if not pairs:
        return
    yield Text()
    yield pairs_table(pairs)
    yield Text(
        "excess: dollars' worth a match that went from giver to receiver and did not come back, beyond what is "
        "expected of the two by their trades with others; odd deals: those with $1.50 or more\n"
        "A pair found (!) is a reason to look at its matches, no proof: 'beanleague match list --deal', 'match show'.",
        "dim",
    )


def pairs_table(pairs: Sequence[PairFlow]) -> FittedTable[PairFlow]:
    """Return a table of pairs."""
    return FittedTable(
        [
            TableColumn("", lambda p: Text("!" if p.found else "", "red")),
            TableColumn("giver", lambda p: Text(bot_name(p.giver), "bold")),
            TableColumn("receiver", lambda p: Text(bot_name(p.receiver), "bold")),
            TableColumn("excess $", _excess, right=True),
            TableColumn("given $", lambda p: f"{p.given.dollars:.2f}", right=True, lesser=2),
            TableColumn("back $", lambda p: f"{p.received.dollars:.2f}", right=True, lesser=2),
            TableColumn("cards", lambda p: f"{p.given.cards}:{p.received.cards}", right=True, lesser=4),
            TableColumn("gifts", lambda p: f"{p.given.gifts}:{p.received.gifts}", right=True, lesser=5),
            TableColumn("trades", lambda p: str(p.trades), right=True, lesser=6),
            TableColumn("odd deals", lambda p: f"{len(p.conspicuous)} of {p.deals}", right=True),
            TableColumn("look at", _deals, lesser=3),
        ],
        pairs,
    )


def _excess(pair: PairFlow) -> str:
    interval = f" ± {pair.interval:.2f}" if pair.HasField("interval") else ""
    return f"{pair.excess:.2f}{interval}"


def _deals(pair: PairFlow) -> str:
    more = ", ..." if len(pair.conspicuous) > _MAX_DEALS else ""
    return ", ".join(map(str, pair.conspicuous[:_MAX_DEALS])) + more
