"""Drawing of the trading games in replays."""

from itertools import zip_longest
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from beanleague.cli.replay import lines
from beanleague.cli.replay.lines import Drawing
from beanleague.cli.views.tables import HEAD_LINE
from beanleague.games import bohnanza
from beanleague.games.core import Harvested
from beanleague.games.core.words import kind_text

TRADES = (bohnanza.Traded,)
HARVESTS = (Harvested,)
_WIDE = 64  # terminal width (plus some columns per field) from which names are not abbreviated
_NARROW = 64  # terminal width below which hands do not fit next to the fields
_ONE_LINE = 3  # cards shown of a hand if a seat has a single line
_FIELD = {False: 11, True: 18}  # width of a field in columns, by `wide`: "10 stink $4", "6 blue $2 (8: $3)"


def picture(drawing: Drawing[bohnanza.BohnanzaView]) -> RenderableType:
    """Draw the table: each seat with its dollars, fields and hand, then the cards turned over and set aside."""
    view, past = drawing.table.public, drawing.before.public
    between = []
    if view.turned:
        between.append(Text.assemble(("turned over ", "dim"), lines.changed(lines.row, view.turned, past.turned)))
    for name, now, before in zip(drawing.names, view.aside, past.aside, strict=True):
        if now:
            between.append(Text.assemble((f"{name} has aside ", "dim"), lines.changed(lines.heap, now, before)))
    heading = drawing.heading(facts(view, sum(view.discard), view.run_outs))
    return Group(heading, seats(drawing), Text("   ").join(between) or Text(" "))


def facts(view: bohnanza.FieldsView, discards: int, run_outs: int) -> str:
    """Return the part of the heading about the piles. `discards`: cards in the discard pile."""
    return f"pile {view.pile}  discards {discards}  run-outs {run_outs}/{view.rules.run_outs}"


def seats(drawing: Drawing[Any]) -> RenderableType:
    """Draw the seats with dollars, fields and hand, changes marked. Views are of `FieldsView` classes."""
    if drawing.width < _NARROW:
        return _stack(drawing)
    rules = drawing.table.public.rules
    columns = rules.fields + bool(rules.field_price)  # count the field that can still be bought
    return _grid(drawing, columns, wide=drawing.width >= _WIDE + _FIELD[True] * columns)


def _grid(drawing: Drawing[Any], columns: int, *, wide: bool) -> Grid:
    """Draw one row per seat, for a wide terminal."""
    grid = Grid(box=HEAD_LINE, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, expand=True)
    grid.add_column("", width=1)
    grid.add_column("player", no_wrap=True, overflow="ellipsis", max_width=20 if wide else 14)
    grid.add_column("$", justify="right", no_wrap=True, min_width=2)
    for field in range(columns):
        grid.add_column(f"field {field + 1}", no_wrap=True, overflow="ellipsis", width=_FIELD[wide])
    grid.add_column("hand, first to plant first" if wide else "hand", ratio=1)
    name = kind_text if wide else lines.short_label
    for seat, own, past in drawing.seats():
        fields = _fields(own, past, wide=wide)
        if drawing.cards is not None and drawing.cards <= _ONE_LINE:
            fields = [field.split()[0] for field in fields]
        fields += [Text()] * (columns - len(fields))
        hand = lines.hand(own, past, drawing.cards, name=name)
        grid.add_row(drawing.mark(seat), drawing.name(seat), lines.changed(_dollars, own, past), *fields, hand)
    return grid


def _stack(drawing: Drawing[Any]) -> Text:
    """Draw three lines per seat, for a narrow terminal."""
    drawn = []
    for seat, own, past in drawing.seats():
        dollars = lines.changed(_dollars, own, past)
        drawn.append(Text.assemble(drawing.mark(seat), " ", drawing.name(seat), "  $", dollars))
        fields = [Text(" ").join(field.split()) for field in _fields(own, past, wide=False)]
        drawn.append(Text.assemble("   ", Text(" | ").join(fields)))
        hand = lines.hand(own, past, drawing.cards, name=lines.short_label)
        drawn.append(Text.assemble("   ", ("hand ", "dim"), hand))
    return Text("\n").join(drawn)


def _dollars(own: bohnanza.FieldsView) -> Text:
    return Text(str(own.dollars[own.seat]), "bold green")


def _fields(own: bohnanza.FieldsView, past: bohnanza.FieldsView, *, wide: bool) -> list[Text]:
    # the own side may have just bought a field
    pairs = zip_longest(own.own_fields, past.own_fields, fillvalue=bohnanza.EMPTY)
    return [lines.changed(lambda field: _field(own.rules, field, wide=wide), *pair) for pair in pairs]


def _field(rules: bohnanza.CardRules, field: bohnanza.Field, *, wide: bool) -> Text:
    if field.kind is None:
        return Text("-", "dim")
    name = kind_text(field.kind) if wide else lines.short_label(field.kind)
    kind = rules.kind(field.kind)
    cards = Text.assemble((f"{field.count} {name}", f"bold {lines.style(field.kind)}"), lines.worth(kind, field.count))
    coming = lines.next_worth(kind, field.count)
    fits = cards.cell_len + coming.cell_len < _FIELD[wide]
    return Text.assemble(cards, " " if fits else "\n", coming) if coming else cards
