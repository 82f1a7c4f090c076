"""The trading games in a replay: the table drawn, and what happens told in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from beanleague.cli.replay.kinds import heap, label, row, short_label, style
from beanleague.cli.replay.lines import Part, line, player_mark, player_name
from beanleague.cli.replay.steps import Happening, Step, Table
from beanleague.cli.replay.telling import SHARED_TELLERS, Tellers, tell_each
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

_WIDE = 68  # and more for every field: from there on names are written out
_NARROW = 64  # below that the hands do not fit beside the fields
_FIELD = {False: 11, True: 16}  # width of a field: "10 stink $4", "10 black-eyed $4"


def picture(
    table: Table[BohnanzaView], names: Sequence[str], title: str, width: int, cards: int | None
) -> RenderableType:
    """Return the table: each seat with its dollars, fields and hand, then what is turned over, and lies aside.

    `cards`: how many of a hand are shown; None for all.
    """
    view = table.public
    lying = [Text.assemble(("turned over ", "dim"), row(view.turned))] if view.turned else []
    lying += [
        Text.assemble((f"{names[seat]} has aside ", "dim"), heap(aside))
        for seat, aside in enumerate(view.aside)
        if aside
    ]
    heading = heading_line(title, view, sum(view.discard), view.run_outs)
    return Group(heading, seats(table, names, width, cards), Text("   ").join(lying) or Text(" "))


def heading_line(title: str, view: FieldsView, discards: int, run_outs: int) -> Text:
    """Return the line above the table. `discards`: cards in the discard pile."""
    facts = f"pile {view.pile}  discards {discards}  run-outs {run_outs}/{view.rules.run_outs}"
    return Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (facts, "dim"))


def seats(table: Table[FieldsView], names: Sequence[str], width: int, cards: int | None) -> RenderableType:
    """Return the seats, each with its dollars, fields and hand."""
    if width < _NARROW:
        return _stack(table, names, cards)
    wide = width >= _WIDE + _FIELD[True] * _most_fields(table.public.rules)
    return _grid(table, names, cards, wide=wide)


def _most_fields(rules: CardRules) -> int:
    """Return how many fields a player can have; a field that can be bought has its column from the first turn on."""
    return rules.fields + bool(rules.field_price)


def _grid(table: Table[FieldsView], names: Sequence[str], cards: int | None, *, wide: bool) -> Grid:
    """Return a row per seat."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), show_edge=False, expand=True)
    grid.add_column("", width=1)
    grid.add_column("player", no_wrap=True, overflow="ellipsis", max_width=20 if wide else 14)
    grid.add_column("$", justify="right", no_wrap=True, min_width=2)
    most = _most_fields(table.public.rules)
    for field in range(most):
        grid.add_column(f"field {field}", no_wrap=True, overflow="ellipsis", width=_FIELD[wide])
    grid.add_column("hand, first to plant first" if wide else "hand", ratio=1)
    for seat, own in enumerate(table.views):
        fields = [_field(own.rules, field, wide=wide) for field in own.own_fields]
        fields += [Text()] * (most - len(fields))
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


def tell(step: Step[BohnanzaView], names: Sequence[str]) -> Iterator[tuple[Happening, Text]]:
    """Yield what happened in `step`, each with a line that tells it; seats that decline together share one."""
    for declined, run in groupby(step.happened, _is_decline):
        if declined:
            answers = [happening for happening in run if isinstance(happening, Answered)]
            yield answers[-1], _declines(answers, names)
        else:
            yield from tell_each(run, names, step.table, _TELLERS)


def _is_decline(happening: Happening) -> bool:
    return isinstance(happening, Answered) and happening.answer == "decline"


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
    told: tuple[Part, ...] = ("gives ", heap(event.gives) or "nothing", " for ", heap(wanted) or "nothing")
    return Text.assemble("    ", (names[event.seat], "bold"), (" counters: ", "yellow"), *told)


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
    """Tell that the draw pile runs out, and how often it may."""
    return Text(f"  The draw pile runs out, {event.time} of {table.public.rules.run_outs}", "bold")


_TELLERS: Tellers = {
    **SHARED_TELLERS,
    RanOut: ran_out,
    Offered: _offered,
    Answered: _answered,
    Traded: _traded,
    Refused: _refused,
    TradingEnded: _trading_ended,
}
