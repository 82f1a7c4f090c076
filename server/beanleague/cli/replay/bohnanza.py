"""The trading games in a replay: a picture of the table, and a line for each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from beanleague.cli.replay.event_lines import SHARED_FORMATTERS, Formatters, format_each
from beanleague.cli.replay.kinds import heap, label, row, short_label, style
from beanleague.cli.replay.lines import Part, line, player_mark, player_name
from beanleague.cli.replay.steps import Entry, Step, Table
from beanleague.games import Kind
from beanleague.games.bohnanza import (
    Answered,
    BohnanzaView,
    CardRules,
    Field,
    FieldsView,
    Offered,
    Refused,
    Traded,
    TradingEnded,
)
from beanleague.games.core import RanOut

_WIDE = 68  # columns, and more for every field, from which on names are written out
_NARROW = 64  # columns; below that the hands do not fit beside the fields
_FIELD = {False: 11, True: 16}  # columns of a field, by `wide`: "10 stink $4", "10 black-eyed $4"


def picture(
    table: Table[BohnanzaView], names: Sequence[str], title: str, width: int, cards: int | None
) -> RenderableType:
    """Return the table: each seat with its dollars, fields and hand, then the cards turned over and set aside.

    `cards`: how many of a hand are shown; None for all.
    """
    view = table.public
    between = [Text.assemble(("turned over ", "dim"), row(view.turned))] if view.turned else []
    between += [
        Text.assemble((f"{names[seat]} has aside ", "dim"), heap(aside))
        for seat, aside in enumerate(view.aside)
        if aside
    ]
    heading = heading_line(title, view, sum(view.discard), view.run_outs)
    return Group(heading, seats(table, names, width, cards), Text("   ").join(between) or Text(" "))


def heading_line(title: str, view: FieldsView, discards: int, run_outs: int) -> Text:
    """Return the line above the table. `discards`: cards in the discard pile."""
    facts = f"pile {view.pile}  discards {discards}  run-outs {run_outs}/{view.rules.run_outs}"
    return Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (facts, "dim"))


def seats(table: Table[FieldsView], names: Sequence[str], width: int, cards: int | None) -> RenderableType:
    """Return the seats, each with its dollars, fields and hand."""
    if width < _NARROW:
        return _stack(table, names, cards)
    wide = width >= _WIDE + _FIELD[True] * _max_fields(table.public.rules)
    return _grid(table, names, cards, wide=wide)


def _max_fields(rules: CardRules) -> int:
    """Return how many fields a player can have, including one that can be bought."""
    return rules.fields + bool(rules.field_price)


def _grid(table: Table[FieldsView], names: Sequence[str], cards: int | None, *, wide: bool) -> Grid:
    """Return a row per seat."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, expand=True)
    grid.add_column("", width=1)
    grid.add_column("player", no_wrap=True, overflow="ellipsis", max_width=20 if wide else 14)
    grid.add_column("$", justify="right", no_wrap=True, min_width=2)
    fields_shown = _max_fields(table.public.rules)
    for field in range(fields_shown):
        grid.add_column(f"field {field}", no_wrap=True, overflow="ellipsis", width=_FIELD[wide])
    grid.add_column("hand, first to plant first" if wide else "hand", ratio=1)
    for seat, own in enumerate(table.views):
        fields = [_field(own.rules, field, wide=wide) for field in own.own_fields]
        fields += [Text()] * (fields_shown - len(fields))
        grid.add_row(
            player_mark(table, seat),
            player_name(table, names, seat),
            _dollars(own),
            *fields,
            _hand(own, cards, wide=wide),
        )
    return grid


def _stack(table: Table[FieldsView], names: Sequence[str], cards: int | None) -> Text:
    """Return three lines per seat, for a narrow terminal."""
    lines = []
    for seat, own in enumerate(table.views):
        lines.append(
            Text.assemble(player_mark(table, seat), " ", player_name(table, names, seat), "  $", _dollars(own))
        )
        lines.append(
            Text.assemble("   ", Text(" | ").join(_field(own.rules, field, wide=False) for field in own.own_fields))
        )
        lines.append(Text.assemble("   ", ("hand ", "dim"), _hand(own, cards, wide=False)))
    return Text("\n").join(lines)


def _hand(own: FieldsView, cards: int | None, *, wide: bool) -> Text:
    shown = row(own.hand[:cards], name=label if wide else short_label)
    more = len(own.hand) - len(own.hand[:cards])
    return Text.assemble(shown, (f" +{more}", "dim")) if more else shown


def _dollars(own: FieldsView) -> Text:
    return Text(str(own.dollars[own.seat]), "bold green")


def _field(rules: CardRules, field: Field, *, wide: bool) -> Text:
    if field.kind is None:
        return Text("-", "dim")
    earns = rules.kind(field.kind).dollars(field.count)
    worth = (f" ${earns}", "green") if earns else ""
    name = label(field.kind) if wide else short_label(field.kind)
    return Text.assemble((f"{field.count} {name}", f"bold {style(field.kind)}"), worth)


def describe(step: Step[BohnanzaView], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step`, each with its line; of seats that decline in a row, only the last, with one line."""
    for declined, run in groupby(step.entries, _is_decline):
        if declined:
            answers = [entry for entry in run if isinstance(entry, Answered)]
            yield answers[-1], _declines(answers, names)
        else:
            yield from format_each(run, names, step.table, _FORMATTERS)


def _is_decline(entry: Entry) -> bool:
    return isinstance(entry, Answered) and entry.answer == "decline"


def _declines(answers: Sequence[Answered], names: Sequence[str]) -> Text:
    who = Text(", ").join(Text(names[answer.seat], "bold") for answer in answers)
    return Text.assemble("    ", who, (" decline" if len(answers) > 1 else " declines", "dim"))


def _offered(event: Offered, names: Sequence[str], table: Table[BohnanzaView]) -> Text:
    others = len(table.views) - 1
    to = "all" if len(event.to) == others else ", ".join(names[seat] for seat in event.to)
    if not (event.gives or event.wants):
        return line(names, event.seat, f"asks {to} for offers")
    open_cards, hand = event.gives[: len(event.turned)], event.gives[len(event.turned) :]
    given = Text(" and ").join(
        part for part in (heap(open_cards), Text.assemble(heap(hand), " from hand") if hand else Text()) if part
    )
    if not event.wants:
        return line(names, event.seat, "offers ", given, f" to {to} as a gift")
    return line(names, event.seat, "offers ", given or "nothing", " for ", heap(event.wants), f" to {to}")


def _answered(event: Answered, names: Sequence[str], table: Table[BohnanzaView]) -> Text:
    if event.answer == "accept":
        given: tuple[Part, ...] = (", giving ", heap(event.gives)) if event.gives else ()
        return Text.assemble("    ", (names[event.seat], "bold"), (" accepts", "green"), *given)
    wanted: list[Kind] = [table.public.turned[position] for position in event.turned] + list(event.wants)
    counter: tuple[Part, ...] = ("gives ", heap(event.gives) or "nothing", " for ", heap(wanted) or "nothing")
    return Text.assemble("    ", (names[event.seat], "bold"), (" counters: ", "yellow"), *counter)


def _traded(event: Traded, names: Sequence[str], _: object) -> Text:
    gives, receives = heap(event.gives) or Text("nothing"), heap(event.receives) or Text("nothing")
    return Text.assemble(
        "  ", (names[event.seat], "bold"), (" trades ", "bold green"), gives, " for ", receives, " with ",
        (names[event.partner], "bold"),
    )  # fmt: skip


def _refused(event: Refused, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "takes none of the answers")


def _trading_ended(event: TradingEnded, names: Sequence[str], _: object) -> Text:
    kept: tuple[Part, ...] = (" and keeps ", heap(event.left)) if event.left else ()
    return line(names, event.seat, "ends the trading", *kept)


def ran_out(event: RanOut, _: Sequence[str], table: Table[FieldsView]) -> Text:
    """Return the line for a run-out, with the number of run-outs that end the game."""
    return Text(f"  The draw pile runs out, {event.time} of {table.public.rules.run_outs}", "bold")


_FORMATTERS: Formatters = {
    **SHARED_FORMATTERS,
    RanOut: ran_out,
    Offered: _offered,
    Answered: _answered,
    Traded: _traded,
    Refused: _refused,
    TradingEnded: _trading_ended,
}
