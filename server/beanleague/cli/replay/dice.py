"""The dice games in a replay: a picture of the table."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.lines import changed, player_mark, player_name, row
from beanleague.cli.replay.steps import ReplayTable
from beanleague.games import Event
from beanleague.games.dice import CardHarvested, DiceView
from beanleague.model import THIEF

TRADES: tuple[type[Event], ...] = ()
HARVESTS = (CardHarvested,)
_MAX_WHOLE_SEATS = 2  # with more seats, orders share a line
_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def picture(
    table: ReplayTable[DiceView],
    before: ReplayTable[DiceView],
    names: Sequence[str],
    title: str,
    width: int,
    cards: int | None,
) -> RenderableType:
    """Return the table: the dice, then each player with its dollars and the orders of its top card.

    `before`: the table before, to mark what changed.
    """
    del width, cards
    view = table.public
    heading = Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (f"deck {view.deck}", "dim"))
    block = _whole if len(table.views) <= _MAX_WHOLE_SEATS else _short
    lines = [line for seat in range(len(table.views)) for line in block(table, before.views[seat], names, seat)]
    if view.rules.thief:
        stolen = changed(lambda known: Text(f"${known.thief}", "bold green"), view, before.public)
        lines.append(Text.assemble("  ", THIEF, "  ", stolen))
    return Group(heading, _dice(view, before.public), *lines)


def _dice(view: DiceView, past: DiceView) -> Text:
    parts = [
        Text.assemble((f"roll {view.roll} ", "dim"), changed(lambda known: _faces(known, known.rolled), view, past)),
        Text.assemble(("bean field ", "dim"), changed(lambda known: _faces(known, known.saved), view, past)),
    ]
    if view.stolen:
        stolen = changed(lambda known: _faces(known, known.stolen), view, past)
        parts.append(Text.assemble(("stolen ", "dim"), stolen))
    if view.piece:
        parts.append(Text("may roll again", "dim"))
    return Text("   ").join(parts)


def _faces(view: DiceView, dice: Iterable[int]) -> Text:
    return row([kind for die in dice if (kind := view.faces[die])])


def _orders(own: DiceView) -> Text:
    completed = own.completed[own.seat]
    return Text.assemble(("■" * completed, "green"), "□" * (len(own.card.orders) - completed))


def _dollars(own: DiceView) -> Text:
    return Text(f"${own.dollars[own.seat]}", "bold green")


def _head(table: ReplayTable[DiceView], past: DiceView, names: Sequence[str], seat: int) -> Text:
    own = table.views[seat]
    return Text.assemble(
        player_mark(table, seat),
        " ",
        player_name(table, names, seat),
        "  ",
        changed(_dollars, own, past),
        "  ",
        changed(_orders, own, past),
        (f"  a harvest earns ${own.earns}", "green") if own.earns else "",
        no_wrap=True,
        overflow="ellipsis",
    )


def _whole(table: ReplayTable[DiceView], past: DiceView, names: Sequence[str], seat: int) -> list[Text]:
    """Return a line for each order of the top card, the lowest first; the next to complete is bold."""
    own = table.views[seat]
    card, completed = own.card, own.completed[seat]
    lines = [_head(table, past, names, seat)]
    for number, (order, chance) in enumerate(zip(card.orders, card.percent, strict=True)):
        done = number < completed
        text_style = "dim" if done else "bold" if number == completed else ""
        lines.append(_cut(f"   {'✓' if done else ' '} {chance:2d}% {order}", text_style))
    return lines


def _short(table: ReplayTable[DiceView], past: DiceView, names: Sequence[str], seat: int) -> list[Text]:
    """Return a line for the player and one for the orders not yet completed, as many as there is room for."""
    own = table.views[seat]
    card = own.card
    todo = [f"{card.percent[i]}% {card.orders[i]}" for i in range(own.completed[seat], len(card.orders))]
    return [_head(table, past, names, seat), _cut(f"     {' · '.join(todo)}", "")]


def _cut(text: str, text_style: str) -> Text:
    return Text(text, text_style, no_wrap=True, overflow="ellipsis")
