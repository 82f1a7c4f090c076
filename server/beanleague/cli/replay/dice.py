"""Drawing of the dice games in replays."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.lines import Drawing, changed, row
from beanleague.games import Event
from beanleague.games.dice import CardHarvested, DiceView
from beanleague.model import THIEF

TRADES: tuple[type[Event], ...] = ()
HARVESTS = (CardHarvested,)
_MAX_WHOLE_SEATS = 2  # maximum seats that are shown in full; with more, orders share a line


def picture(drawing: Drawing[DiceView]) -> RenderableType:
    """Draw the table: the dice, then each player with its dollars and the orders of its top card."""
    view = drawing.table.public
    lines = [drawing.heading(f"deck {view.deck}"), _dice(drawing)]
    orders = _whole if len(drawing.names) <= _MAX_WHOLE_SEATS else _short
    for seat, own, past in drawing.seats():
        lines += [_head(drawing, seat, own, past), *map(_cut, orders(own))]
    if view.rules.thief:
        stolen = drawing.changed(lambda known: Text(f"${known.thief}", "bold green"))
        lines.append(Text.assemble("  ", THIEF, "  ", stolen))
    return Group(*lines)


def _dice(drawing: Drawing[DiceView]) -> Text:
    view = drawing.table.public
    parts = [
        Text.assemble((f"roll {view.roll} ", "dim"), drawing.changed(lambda known: _faces(known, known.rolled))),
        Text.assemble(("bean field ", "dim"), drawing.changed(lambda known: _faces(known, known.saved))),
    ]
    if view.stolen:
        parts.append(Text.assemble(("stolen ", "dim"), drawing.changed(lambda known: _faces(known, known.stolen))))
    if view.piece:
        parts.append(Text("may roll again", "dim"))
    return Text("   ").join(parts)


def _faces(view: DiceView, dice: Iterable[int]) -> Text:
    return row([kind for die in dice if (kind := view.faces[die])])


def _head(drawing: Drawing[DiceView], seat: int, own: DiceView, past: DiceView) -> Text:
    dollars = changed(lambda view: Text(f"${view.dollars[view.seat]}", "bold green"), own, past)
    boxes = changed(_boxes, own, past)
    harvest = (f"  a harvest earns ${own.earns}", "green") if own.earns else ""
    line = Text.assemble(drawing.mark(seat), " ", drawing.name(seat), "  ", dollars, "  ", boxes, harvest)
    return _cut(line)


def _boxes(own: DiceView) -> Text:
    completed = own.completed[own.seat]
    return Text.assemble(("■" * completed, "green"), "□" * (len(own.card.orders) - completed))


def _whole(own: DiceView) -> Iterable[Text]:
    """Yield a line for each order of the top card, lowest first; the next one to complete is bold."""
    completed = own.completed[own.seat]
    for number, (order, chance) in enumerate(zip(own.card.orders, own.card.percent, strict=True)):
        style = "dim" if number < completed else "bold" if number == completed else ""
        yield Text(f"   {'✓' if number < completed else ' '} {chance:2d}% {order}", style)


def _short(own: DiceView) -> Iterable[Text]:
    """Yield a line with as many uncompleted orders as fit."""
    orders = list(zip(own.card.percent, own.card.orders, strict=True))[own.completed[own.seat] :]
    yield Text(f"     {' · '.join(f'{chance}% {order}' for chance, order in orders)}")


def _cut(line: Text) -> Text:
    """Cut text to one line of the terminal."""
    line.no_wrap, line.overflow = True, "ellipsis"
    return line
