"""The trading games in a replay: a picture of the table."""

from collections.abc import Sequence
from itertools import zip_longest

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from beanleague.cli.replay import lines
from beanleague.cli.replay.steps import ReplayTable
from beanleague.games import bohnanza
from beanleague.games.core import Harvested
from beanleague.games.core.words import kind_text

TRADES = (bohnanza.Traded,)
HARVESTS = (Harvested,)
_WIDE = 64  # columns, and more for every field, from which on names are written out
_NARROW = 64  # columns; below that the hands do not fit beside the fields
_ONE_LINE = 3  # cards of a hand, where there is so little room that a seat has one line
_FIELD = {False: 11, True: 18}  # columns of a field, by `wide`: "10 stink $4", "6 blue $2 (8: $3)"


def picture(
    table: ReplayTable[bohnanza.BohnanzaView],
    before: ReplayTable[bohnanza.BohnanzaView],
    names: Sequence[str],
    title: str,
    width: int,
    cards: int | None,
) -> RenderableType:
    """Return the table: each seat with its dollars, fields and hand, then the cards turned over and set aside.

    `before`: the table before, to mark what changed. `cards`: how many of a hand are shown; None for all.
    """
    view, past = table.public, before.public
    turned = lines.changed(lines.row, view.turned, past.turned)
    between = [Text.assemble(("turned over ", "dim"), turned)] if view.turned else []
    between += [
        Text.assemble((f"{names[seat]} has aside ", "dim"), lines.changed(lines.heap, aside, past.aside[seat]))
        for seat, aside in enumerate(view.aside)
        if aside
    ]
    heading = heading_line(title, view, sum(view.discard), view.run_outs)
    return Group(heading, seats(table, before, names, width, cards), Text("   ").join(between) or Text(" "))


def heading_line(title: str, view: bohnanza.FieldsView, discards: int, run_outs: int) -> Text:
    """Return the line above the table. `discards`: cards in the discard pile."""
    facts = f"pile {view.pile}  discards {discards}  run-outs {run_outs}/{view.rules.run_outs}"
    return Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (facts, "dim"))


def seats(
    table: ReplayTable[bohnanza.FieldsView],
    before: ReplayTable[bohnanza.FieldsView],
    names: Sequence[str],
    width: int,
    cards: int | None,
) -> RenderableType:
    """Return the seats, each with its dollars, fields and hand, what changed since `before` marked."""
    if width < _NARROW:
        return _stack(table, before, names, cards)
    wide = width >= _WIDE + _FIELD[True] * _max_fields(table.public.rules)
    return _grid(table, before, names, cards, wide=wide)


def _max_fields(rules: bohnanza.CardRules) -> int:
    """Return how many fields a player can have, including one that can be bought."""
    return rules.fields + bool(rules.field_price)


def _grid(
    table: ReplayTable[bohnanza.FieldsView],
    before: ReplayTable[bohnanza.FieldsView],
    names: Sequence[str],
    cards: int | None,
    *,
    wide: bool,
) -> Grid:
    """Return a row per seat."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, expand=True)
    grid.add_column("", width=1)
    grid.add_column("player", no_wrap=True, overflow="ellipsis", max_width=20 if wide else 14)
    grid.add_column("$", justify="right", no_wrap=True, min_width=2)
    fields_shown = _max_fields(table.public.rules)
    for field in range(fields_shown):
        grid.add_column(f"field {field}", no_wrap=True, overflow="ellipsis", width=_FIELD[wide])
    grid.add_column("hand, first to plant first" if wide else "hand", ratio=1)
    for seat, (own, past) in enumerate(zip(table.views, before.views, strict=True)):
        fields = _fields(own, past, wide=wide)
        if cards is not None and cards <= _ONE_LINE:
            fields = [field.split()[0] for field in fields]
        fields += [Text()] * (fields_shown - len(fields))
        grid.add_row(
            lines.player_mark(table, seat),
            lines.player_name(table, names, seat),
            lines.changed(_dollars, own, past),
            *fields,
            lines.hand(own, past, cards, name=kind_text if wide else lines.short_label),
        )
    return grid


def _stack(
    table: ReplayTable[bohnanza.FieldsView],
    before: ReplayTable[bohnanza.FieldsView],
    names: Sequence[str],
    cards: int | None,
) -> Text:
    """Return three lines per seat, for a narrow terminal."""
    drawn = []
    for seat, (own, past) in enumerate(zip(table.views, before.views, strict=True)):
        dollars = lines.changed(_dollars, own, past)
        drawn.append(
            Text.assemble(lines.player_mark(table, seat), " ", lines.player_name(table, names, seat), "  $", dollars)
        )
        fields = [Text(" ").join(field.split()) for field in _fields(own, past, wide=False)]
        drawn.append(Text.assemble("   ", Text(" | ").join(fields)))
        drawn.append(Text.assemble("   ", ("hand ", "dim"), lines.hand(own, past, cards, name=lines.short_label)))
    return Text("\n").join(drawn)


def _dollars(own: bohnanza.FieldsView) -> Text:
    return Text(str(own.dollars[own.seat]), "bold green")


def _fields(own: bohnanza.FieldsView, past: bohnanza.FieldsView, *, wide: bool) -> list[Text]:
    pairs = zip_longest(own.own_fields, past.own_fields, fillvalue=bohnanza.EMPTY)  # one may have been bought just now
    return [lines.changed(lambda field: _field(own.rules, field, wide=wide), *pair) for pair in pairs]


def _field(rules: bohnanza.CardRules, field: bohnanza.Field, *, wide: bool) -> Text:
    if field.kind is None:
        return Text("-", "dim")
    name = kind_text(field.kind) if wide else lines.short_label(field.kind)
    cards = Text.assemble(
        (f"{field.count} {name}", f"bold {lines.style(field.kind)}"), lines.worth(rules.kind(field.kind), field.count)
    )
    coming = lines.next_worth(rules.kind(field.kind), field.count)
    fits = cards.cell_len + coming.cell_len < _FIELD[wide]
    return Text.assemble(cards, " " if fits else "\n", coming) if coming else cards
