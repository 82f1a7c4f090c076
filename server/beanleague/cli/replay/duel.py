"""The duel in a replay: a picture of the table with its hidden cards, and a line for each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.changes import changed
from beanleague.cli.replay.event_lines import SHARED_FORMATTERS, Formatters, format_each
from beanleague.cli.replay.kinds import backs, heap, label, received, row, style
from beanleague.cli.replay.lines import ending, hand, line, player_mark, player_name
from beanleague.cli.replay.steps import Entry, ReplayTable, Step
from beanleague.games.duel import (
    BluffPaid,
    BohnusDiscarded,
    BohnusDrawn,
    BohnusShuffled,
    Column,
    ColumnHarvested,
    DuelEnded,
    DuelRules,
    DuelView,
    FirstDollars,
    Fulfilled,
    GiftAccepted,
    GiftDeclined,
    GiftGiven,
    GiftOffered,
    TurnedDiscarded,
)

TRADES = (GiftAccepted,)
HARVESTS = (ColumnHarvested,)
_CENTS = 100


def picture(
    table: ReplayTable[DuelView],
    before: ReplayTable[DuelView],
    names: Sequence[str],
    title: str,
    width: int,
    cards: int | None,
) -> RenderableType:
    """Return the table: a block of lines for each player, then the cards between them.

    `before`: the table before, to mark what changed. `cards`: how many of a hand are shown; None for all.
    """
    del width
    view = table.public
    facts = f"pile {view.pile}  discards {sum(view.discard)}  bo(h)nus pile {view.bohnus_pile}"
    heading = Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (facts, "dim"))
    blocks = [_block(table, before.views[seat], names, seat, cards) for seat in range(len(table.views))]
    return Group(heading, *blocks, _between(view, before.public, names))


def _block(table: ReplayTable[DuelView], past: DuelView, names: Sequence[str], seat: int, cards: int | None) -> Text:
    own = table.views[seat]
    lines = [
        Text.assemble(
            player_mark(table, seat),
            " ",
            player_name(table, names, seat),
            "  ",
            changed(_money, own, past),
        ),
        Text.assemble(("     hand ", "dim"), hand(own, past, cards)),
    ]
    for number, (field, past_field) in enumerate(zip(own.own_fields, past.own_fields, strict=True)):
        drawn = changed(lambda column: _field(own.rules, column), field, past_field)
        lines.append(Text.assemble((f"  field {number} ", "dim"), drawn))
    lines.append(Text.assemble((" bo(h)nus ", "dim"), changed(_held, own, past), changed(_fulfilled_cards, own, past)))
    return Text("\n").join(lines)


def _money(own: DuelView) -> Text:
    return Text(_dollars(own.cents(own.seat)), "bold green")


def _held(own: DuelView) -> Text:
    if not own.bohnus and (size := own.bohnus_sizes[own.seat]):
        return backs(size)
    return Text("   ").join(_bohnus(own.rules, card) for card in own.bohnus) or Text("-", "dim")


def _fulfilled_cards(own: DuelView) -> Text:
    cards = [_bohnus(own.rules, card) for card in own.earned[own.seat]]
    return Text.assemble(("   fulfilled ", "dim"), Text("   ").join(cards)) if cards else Text()


def _field(rules: DuelRules, field: Column) -> Text:
    if field.last is None:
        return Text("-", "dim")
    runs = [(kind, len(list(run))) for kind, run in groupby(field.cards)]
    cards = Text(", ").join(Text(f"{count} {label(kind)}", f"bold {style(kind)}") for kind, count in runs)
    earns = rules.dollars(field.last, len(field.cards))
    return Text.assemble(cards, (f" ${earns}", "green") if earns else "")


def _between(view: DuelView, past: DuelView, names: Sequence[str]) -> Text:
    shown = [("turned over", view.turned, past.turned), ("offered", view.offered, past.offered)]
    for seat, gifts in enumerate(zip(view.gifts, past.gifts, strict=True)):
        gift, earlier = [(kind,) if kind else () for kind in gifts]
        shown.append((f"gift for {names[seat]}", gift, earlier))
    parts = [Text.assemble((f"{name} ", "dim"), changed(row, now, before)) for name, now, before in shown if now]
    return Text("   ").join(parts) or Text(" ")


def _bohnus(rules: DuelRules, card: int) -> Text:
    found = rules.bohnus[card]
    return Text.assemble("-".join(map(str, found.sequence)), (f" {found.cents}c", "green"))


def _dollars(cents: int) -> str:
    return f"${cents // _CENTS}.{cents % _CENTS:02d}"


def describe(step: Step[DuelView], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step`, each with its line."""
    return format_each(step.entries, names, step.table, _FORMATTERS)


def _first_dollars(event: FirstDollars, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "gets its first dollars, face down: ", received(event.cards, event.count))


def _cards(table: ReplayTable[DuelView], cards: Sequence[int]) -> Text:
    return Text(", ").join(_bohnus(table.public.rules, card) for card in cards)


def _bohnus_drawn(event: BohnusDrawn, names: Sequence[str], table: ReplayTable[DuelView]) -> Text:
    if not event.cards:
        return line(names, event.seat, "draws bo(h)nus cards: ", backs(event.count))
    return line(names, event.seat, "draws bo(h)nus cards: ", _cards(table, event.cards))


def _bohnus_discarded(event: BohnusDiscarded, names: Sequence[str], table: ReplayTable[DuelView]) -> Text:
    return line(names, event.seat, "discards the bo(h)nus card ", _cards(table, [event.card]))


def _bohnus_shuffled(event: BohnusShuffled, _: Sequence[str], __: object) -> Text:
    return Text(f"  {event.cards} discarded bo(h)nus cards become the pile", "bold")


def _gift_offered(event: GiftOffered, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "offers ", heap([event.kind]), " as a gift")


def _gift_declined(event: GiftDeclined, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, ("declines", "dim"))


def _gift_accepted(event: GiftAccepted, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, ("accepts", "green"))


def _gift_given(event: GiftGiven, names: Sequence[str], _: object) -> Text:
    where = "from hand" if event.source == "hand" else "from the turned-over cards"
    return line(names, event.seat, "gives ", heap([event.kind]), f" {where}")


def _bluff_paid(event: BluffPaid, names: Sequence[str], table: ReplayTable[DuelView]) -> Text:
    paid = _cards(table, event.bohnus) if event.bohnus else Text(f"${event.dollars}" if event.dollars else "nothing")
    return line(names, event.seat, ("was bluffing", "yellow"), " and pays ", paid)


def _turned_discarded(event: TurnedDiscarded, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from the turned-over cards")


def _fulfilled(event: Fulfilled, names: Sequence[str], table: ReplayTable[DuelView]) -> Text:
    whose = "its" if event.owner == event.seat else f"{names[event.owner]}'s"
    worth = _dollars(table.public.rules.bohnus[event.card].worth)
    card = _cards(table, [event.card])
    return line(names, event.seat, "fulfils ", card, f" with {whose} field {event.field} for ", (worth, "bold green"))


def _harvested(event: ColumnHarvested, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "harvests ", heap(event.cards), " for ", (f"${event.dollars}", "bold green"))


def _ended(event: DuelEnded, names: Sequence[str], _: object) -> Text:
    return ending(names, event.places, [_dollars(cents) for cents in event.cents])


_FORMATTERS: Formatters = {
    **SHARED_FORMATTERS,
    FirstDollars: _first_dollars,
    BohnusDrawn: _bohnus_drawn,
    BohnusDiscarded: _bohnus_discarded,
    BohnusShuffled: _bohnus_shuffled,
    GiftOffered: _gift_offered,
    GiftDeclined: _gift_declined,
    GiftAccepted: _gift_accepted,
    GiftGiven: _gift_given,
    BluffPaid: _bluff_paid,
    TurnedDiscarded: _turned_discarded,
    Fulfilled: _fulfilled,
    ColumnHarvested: _harvested,
    DuelEnded: _ended,
}
