"""Drawing of Bohnanza for two in replays."""

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.bohnanza import facts, seats
from beanleague.cli.replay.lines import Drawing, row
from beanleague.games import Event
from beanleague.games.core import Harvested
from beanleague.games.two import BohnanzaTwoView

TRADES: tuple[type[Event], ...] = ()
HARVESTS = (Harvested,)


def picture(drawing: Drawing[BohnanzaTwoView]) -> RenderableType:
    """Draw the table: both seats with their dollars, fields and hands, then the open cards."""
    view = drawing.table.public
    heading = drawing.heading(facts(view, len(view.discard), run_outs=int(not view.pile)))
    cards = drawing.changed(lambda known: row(known.open))
    return Group(heading, seats(drawing), Text.assemble(("open ", "dim"), cards) if view.open else Text(" "))
