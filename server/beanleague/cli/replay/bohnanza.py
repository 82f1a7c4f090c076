"""The trading games in a replay: a picture of the table, and a line for each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from beanleague.cli.replay.changes import changed
from beanleague.cli.replay.event_lines import SHARED_FORMATTERS, Formatters, format_each
from beanleague.cli.replay.kinds import goods, heap, label, row, short_label, style
from beanleague.cli.replay.lines import Part, hand, line, player_mark, player_name
from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games import Kind
from beanleague.games.bohnanza import (
    EMPTY,
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
from beanleague.games.core import Harvested, RanOut, TurnedOver

TRADES = (Traded,)
HARVESTS = (Harvested,)
_WIDE = 68  # columns, and more for every field, from which on names are written out
_NARROW = 64  # columns; below that the hands do not fit beside the fields
_FIELD = {False: 11, True: 16}  # columns of a field, by `wide`: "10 stink $4", "10 black-eyed $4"


def picture(
    table: ReplayTable[BohnanzaView],
    before: ReplayTable[BohnanzaView],
    names: Sequence[str],
    title: str,
    width: int,
    cards: int | None,
) -> RenderableType:
    """Return the table: each seat with its dollars, fields and hand, then the cards turned over and set aside.

    `before`: the table before, to mark what changed. `cards`: how many of a hand are shown; None for all.
    """
    view, past = table.public, before.public
    turned = changed(row, view.turned, past.turned)
    between = [Text.assemble(("turned over ", "dim"), turned)] if view.turned else []
    between += [
        Text.assemble((f"{names[seat]} has aside ", "dim"), changed(heap, aside, past.aside[seat]))
        for seat, aside in enumerate(view.aside)
        if aside
    ]
    heading = heading_line(title, view, sum(view.discard), view.run_outs)
    return Group(heading, seats(table, before, names, width, cards), Text("   ").join(between) or Text(" "))


def heading_line(title: str, view: FieldsView, discards: int, run_outs: int) -> Text:
    """Return the line above the table. `discards`: cards in the discard pile."""
    facts = f"pile {view.pile}  discards {discards}  run-outs {run_outs}/{view.rules.run_outs}"
    return Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (facts, "dim"))


def seats(
    table: ReplayTable[FieldsView], before: ReplayTable[FieldsView], names: Sequence[str], width: int, cards: int | None
) -> RenderableType:
    """Return the seats, each with its dollars, fields and hand, what changed since `before` marked."""
    if width < _NARROW:
        return _stack(table, before, names, cards)
    wide = width >= _WIDE + _FIELD[True] * _max_fields(table.public.rules)
    return _grid(table, before, names, cards, wide=wide)


def _max_fields(rules: CardRules) -> int:
    """Return how many fields a player can have, including one that can be bought."""
    return rules.fields + bool(rules.field_price)


def _grid(
    table: ReplayTable[FieldsView],
    before: ReplayTable[FieldsView],
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
        fields += [Text()] * (fields_shown - len(fields))
        grid.add_row(
            player_mark(table, seat),
            player_name(table, names, seat),
            changed(_dollars, own, past),
            *fields,
            hand(own, past, cards, name=label if wide else short_label),
        )
    return grid


def _stack(
    table: ReplayTable[FieldsView], before: ReplayTable[FieldsView], names: Sequence[str], cards: int | None
) -> Text:
    """Return three lines per seat, for a narrow terminal."""
    lines = []
    for seat, (own, past) in enumerate(zip(table.views, before.views, strict=True)):
        dollars = changed(_dollars, own, past)
        lines.append(Text.assemble(player_mark(table, seat), " ", player_name(table, names, seat), "  $", dollars))
        lines.append(Text.assemble("   ", Text(" | ").join(_fields(own, past, wide=False))))
        lines.append(Text.assemble("   ", ("hand ", "dim"), hand(own, past, cards, name=short_label)))
    return Text("\n").join(lines)


def _dollars(own: FieldsView) -> Text:
    return Text(str(own.dollars[own.seat]), "bold green")


def _fields(own: FieldsView, past: FieldsView, *, wide: bool) -> list[Text]:
    pairs = zip_longest(own.own_fields, past.own_fields, fillvalue=EMPTY)  # one may have been bought just now
    return [changed(lambda field: _field(own.rules, field, wide=wide), *pair) for pair in pairs]


def _field(rules: CardRules, field: Field, *, wide: bool) -> Text:
    if field.kind is None:
        return Text("-", "dim")
    earns = rules.kind(field.kind).dollars(field.count)
    worth = (f" ${earns}", "green") if earns else ""
    name = label(field.kind) if wide else short_label(field.kind)
    return Text.assemble((f"{field.count} {name}", f"bold {style(field.kind)}"), worth)


def describe(step: Step[BohnanzaView], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step`, each with its line, which shows the turned-over cards as they were at that moment.

    Of seats that decline an offer, only the last comes, with one line for all.
    """
    table, turned = step.table, step.before.public.turned
    for _, run in groupby(step.entries, lambda entry: isinstance(entry, Answered)):
        entries = list(run)
        declines = [entry for entry in entries if isinstance(entry, Answered) and entry.answer == "decline"]
        for entry in entries:
            turned = _turned_after(entry, turned)
            if entry not in declines:
                then = replace(table, views=(replace(table.public, turned=turned), *table.views[1:]))
                yield from format_each([entry], names, then, _FORMATTERS)
        if declines:
            yield declines[-1], _declines(declines, names)


def _turned_after(entry: Entry, turned: tuple[Kind, ...]) -> tuple[Kind, ...]:
    """Return the turned-over cards after an entry."""
    match entry:
        case TurnedOver():
            return entry.cards
        case Traded():
            return tuple(kind for position, kind in enumerate(turned) if position not in entry.turned)
        case TradingEnded():
            return ()
        case _:
            return turned


def _declines(answers: Sequence[Answered], names: Sequence[str]) -> Text:
    if len(answers) > 1:
        return Text(f"    {len(answers)} declined", "dim")
    return Text.assemble("    ", (names[answers[0].seat], "bold"), (" declines", "dim"))


def _offered(event: Offered, names: Sequence[str], table: ReplayTable[BohnanzaView]) -> Text:
    others = len(table.views) - 1
    to = "all" if len(event.to) == others else ", ".join(names[seat] for seat in event.to)
    if not (event.gives or event.wants):
        return line(names, event.seat, f"asks {to} for offers")
    open_cards, from_hand = event.gives[: len(event.turned)], event.gives[len(event.turned) :]
    parts = [goods(open_cards)] if open_cards else []
    parts += [Text.assemble(goods(from_hand), " from hand")] if from_hand else []
    given = Text(" and ").join(parts)
    if not event.wants:
        return line(names, event.seat, "offers ", given, f" to {to} as a gift")
    return line(names, event.seat, "offers ", given or "nothing", " for ", goods(event.wants), f" to {to}")


def _answered(event: Answered, names: Sequence[str], table: ReplayTable[BohnanzaView]) -> Text:
    if event.answer == "accept":
        given: tuple[Part, ...] = (", giving ", goods(event.gives)) if event.gives else ()
        return Text.assemble("    ", (names[event.seat], "bold"), (" accepts", "green"), *given)
    wanted: list[Kind] = [table.public.turned[position] for position in event.turned] + list(event.wants)
    counter: tuple[Part, ...] = ("gives ", goods(event.gives), " for ", goods(wanted))
    return Text.assemble("    ", (names[event.seat], "bold"), (" counters: ", "yellow"), *counter)


def _traded(event: Traded, names: Sequence[str], _: object) -> Text:
    partner = (names[event.partner], "bold")
    deal: tuple[Part, ...] = (": gives ", goods(event.gives), " for ", goods(event.receives))
    return line(names, event.seat, ("trades", "bold green"), " with ", partner, *deal)


def _refused(event: Refused, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "takes none of the answers")


def _trading_ended(event: TradingEnded, names: Sequence[str], _: object) -> Text:
    kept: tuple[Part, ...] = (" and keeps ", heap(event.left)) if event.left else ()
    return line(names, event.seat, "ends the trading", *kept)


def ran_out(event: RanOut, _: Sequence[str], table: ReplayTable[FieldsView]) -> Text:
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
