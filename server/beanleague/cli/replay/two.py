"""Bohnanza for two in a replay: a picture of the table."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.bohnanza import heading_line, seats
from beanleague.cli.replay.lines import changed, row
from beanleague.cli.replay.steps import ReplayTable
from beanleague.games import Event
from beanleague.games.core import Harvested
from beanleague.games.two import BohnanzaTwoView

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
