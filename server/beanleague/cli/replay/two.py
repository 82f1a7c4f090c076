"""Bohnanza for two in a replay: a picture of the table, and a line for each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.bohnanza import heading_line, ran_out, seats
from beanleague.cli.replay.changes import changed
from beanleague.cli.replay.event_lines import SHARED_FORMATTERS, Formatters, format_each
from beanleague.cli.replay.kinds import heap, row
from beanleague.cli.replay.lines import line
from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Event
from beanleague.games.core import Harvested, Passed, RanOut
from beanleague.games.two import BohnanzaTwoView, HandDiscarded, Joined, OpenDiscarded

TRADES: tuple[type[Event], ...] = ()
HARVESTS = (Harvested,)


def picture(
    table: ReplayTable[BohnanzaTwoView],
    before: ReplayTable[BohnanzaTwoView],
    names: Sequence[str],
    title: str,
    width: int,
    cards: int | None,
) -> RenderableType:
    """Return the table: both seats with their dollars, fields and hands, then the open cards.

    `before`: the table before, to mark what changed. `cards`: how many of a hand are shown; None for all.
    """
    view = table.public
    heading = heading_line(title, view, len(view.discard), run_outs=int(not view.pile))
    cards_open = changed(row, view.open, before.public.open)
    open_cards = Text.assemble(("open ", "dim"), cards_open) if view.open else Text(" ")
    return Group(heading, seats(table, before, names, width, cards), open_cards)


def describe(step: Step[BohnanzaTwoView], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step`, each with its line."""
    return format_each(step.entries, names, step.table, _FORMATTERS)


def _passed(event: Passed, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "goes on")


def _joined(event: Joined, _: Sequence[str], __: object) -> Text:
    return Text.assemble("  From the discard pile come ", row(event.cards))


def _open_discarded(event: OpenDiscarded, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from the open cards")


def _hand_discarded(event: HandDiscarded, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from hand")


_FORMATTERS: Formatters = {
    **SHARED_FORMATTERS,
    RanOut: ran_out,
    Passed: _passed,
    Joined: _joined,
    OpenDiscarded: _open_discarded,
    HandDiscarded: _hand_discarded,
}
