"""The dice games in a replay: a picture of the table, and a line for each event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.changes import changed
from beanleague.cli.replay.event_lines import SHARED_FORMATTERS, Formatters, format_each
from beanleague.cli.replay.kinds import row
from beanleague.cli.replay.lines import ending, line, player_mark, player_name
from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Event
from beanleague.games.dice import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DiceView,
    DieStolen,
    DollarsDrawn,
    OrdersCompleted,
    Rolled,
    Saved,
    SoloEnded,
    SuperStealRolled,
    ThiefRolled,
)
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


def describe(step: Step[DiceView], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step`, each with its line, which shows the dice as they were at that moment."""
    table = step.before
    for entry in step.entries:
        if isinstance(entry, Rolled):
            table = _rolled(table, entry)
        yield from format_each([entry], names, table, _FORMATTERS)


def _rolled(table: ReplayTable[DiceView], event: Rolled) -> ReplayTable[DiceView]:
    view = table.public
    new = dict(zip(event.dice, event.kinds, strict=True))
    faces = tuple([new.get(die, face) for die, face in enumerate(view.faces)])
    return replace(table, views=(replace(view, faces=faces), *table.views[1:]))


def _card_drawn(event: CardDrawn, names: Sequence[str], table: ReplayTable[DiceView]) -> Text:
    orders = table.public.rules.cards[event.card].orders
    return line(names, event.seat, f"gets card {event.card}, from {orders[0]} to {orders[-1]}")


def _rolls(event: Rolled, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "repeats the roll: " if event.again else "rolls ", row(event.kinds))


def _saved(event: Saved, names: Sequence[str], table: ReplayTable[DiceView]) -> Text:
    return line(names, event.seat, "saves ", _faces(table.public, event.dice))


def _completed(event: OrdersCompleted, names: Sequence[str], _: object) -> Text:
    what = "an order" if event.orders == 1 else f"{event.orders} orders"
    return line(names, event.seat, ("completes ", "green"), what, f", now {event.completed}")


def _harvested(event: CardHarvested, names: Sequence[str], _: object) -> Text:
    earned = (f"${event.dollars}", "bold green")
    return line(names, event.seat, f"harvests its card with {event.completed} orders for ", earned)


def _dollars_drawn(event: DollarsDrawn, names: Sequence[str], _: object) -> Text:
    cards = "a card" if event.count == 1 else f"{event.count} cards"
    return line((*names, THIEF), event.seat, (f"draws {cards} as dollars", "dim"))


def _deck_renewed(event: DeckRenewed, names: Sequence[str], _: object) -> Text:
    return line((*names, THIEF), event.seat, "trades in five single dollars, which become the deck")


def _thief_rolled(event: ThiefRolled, _: Sequence[str], __: object) -> Text:
    return line([THIEF], 0, "rolls ", row(event.kinds))


def _die_stolen(event: DieStolen, _: Sequence[str], table: ReplayTable[DiceView]) -> Text:
    return line([THIEF], 0, ("steals", "red"), " ", _faces(table.public, [event.die]), " from the bean field")


def _super_steal(event: SuperStealRolled, _: Sequence[str], __: object) -> Text:
    return line([THIEF], 0, "rolls for cards ", row(event.kinds))


def _card_stolen(event: CardStolen, _: Sequence[str], __: object) -> Text:
    card = "bottom card" if event.bottom else "top card"
    order = _ORDINALS.get(event.order, f"{event.order}th")
    how = f", whose {order} order it meets," if event.order else ""
    return line([THIEF], 0, ("steals", "red"), f" the {card}{how} for ", (f"${event.dollars}", "bold green"))


def _solo_ended(event: SoloEnded, names: Sequence[str], _: object) -> Text:
    places = (1, 2) if event.won else (2, 1)
    return ending((*names, THIEF), places, (f"${event.dollars}", f"${event.thief}"))


_FORMATTERS: Formatters = {
    **SHARED_FORMATTERS,
    CardDrawn: _card_drawn,
    Rolled: _rolls,
    Saved: _saved,
    OrdersCompleted: _completed,
    CardHarvested: _harvested,
    DollarsDrawn: _dollars_drawn,
    DeckRenewed: _deck_renewed,
    ThiefRolled: _thief_rolled,
    DieStolen: _die_stolen,
    SuperStealRolled: _super_steal,
    CardStolen: _card_stolen,
    SoloEnded: _solo_ended,
}
