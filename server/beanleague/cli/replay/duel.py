"""The duel in a replay: a picture of the table with its hidden cards, and a line for each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.event_lines import SHARED_FORMATTERS, Formatters, format_each
from beanleague.cli.replay.kinds import heap, label, row, style
from beanleague.cli.replay.lines import ending, line, player_mark, player_name
from beanleague.cli.replay.steps import Entry, Step, Table
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

_CENTS = 100


def picture(table: Table[DuelView], names: Sequence[str], title: str, width: int, cards: int | None) -> RenderableType:
    """Return the table: a block of lines for each player, then the cards between them.

    `cards`: how many of a hand are shown; None for all.
    """
    del width
    view = table.public
    facts = f"pile {view.pile}  discards {sum(view.discard)}  bo(h)nus pile {view.bohnus_pile}"
    heading = Text.assemble((title, "bold"), "  " if title else "", f"turn {view.turn}  ", (facts, "dim"))
    blocks = [_block(table, names, seat, cards) for seat in range(len(table.views))]
    return Group(heading, *blocks, _between(view, names))


def _block(table: Table[DuelView], names: Sequence[str], seat: int, cards: int | None) -> Text:
    own = table.views[seat]
    more = len(own.hand) - len(own.hand[:cards])
    hand = Text.assemble(row(own.hand[:cards]), (f" +{more}", "dim") if more else "")
    lines = [
        Text.assemble(
            player_mark(table, seat),
            " ",
            player_name(table, names, seat),
            "  ",
            (_dollars(own.cents(seat)), "bold green"),
        ),
        Text.assemble(("     hand ", "dim"), hand),
    ]
    for number, field in enumerate(own.own_fields):
        lines.append(Text.assemble((f"  field {number} ", "dim"), _field(own.rules, field)))
    held = Text("   ").join(_bohnus(own.rules, card) for card in own.bohnus) or Text("-", "dim")
    earned = Text.assemble(
        ("   fulfilled ", "dim"), Text("   ").join(_bohnus(own.rules, card) for card in own.earned[seat])
    )
    lines.append(Text.assemble((" bo(h)nus ", "dim"), held, earned if own.earned[seat] else ""))
    return Text("\n").join(lines)


def _field(rules: DuelRules, field: Column) -> Text:
    if field.last is None:
        return Text("-", "dim")
    runs = [(kind, len(list(run))) for kind, run in groupby(field.cards)]
    cards = Text(", ").join(Text(f"{count} {label(kind)}", f"bold {style(kind)}") for kind, count in runs)
    earns = rules.dollars(field.last, len(field.cards))
    return Text.assemble(cards, (f" ${earns}", "green") if earns else "")


def _between(view: DuelView, names: Sequence[str]) -> Text:
    between = [Text.assemble(("turned over ", "dim"), row(view.turned))] if view.turned else []
    if view.offered:
        between.append(Text.assemble(("offered ", "dim"), row(view.offered)))
    between += [
        Text.assemble((f"gift for {names[seat]} ", "dim"), row([gift])) for seat, gift in enumerate(view.gifts) if gift
    ]
    return Text("   ").join(between) or Text(" ")


def _bohnus(rules: DuelRules, card: int) -> Text:
    found = rules.bohnus[card]
    return Text.assemble("-".join(map(str, found.sequence)), (f" {found.cents}c", "green"))


def _dollars(cents: int) -> str:
    return f"${cents // _CENTS}.{cents % _CENTS:02d}"


def describe(step: Step[DuelView], names: Sequence[str]) -> Iterator[tuple[Entry, Text]]:
    """Yield the entries of `step`, each with its line."""
    return format_each(step.entries, names, step.table, _FORMATTERS)


def _first_dollars(event: FirstDollars, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "gets its first dollars, face down: ", row(event.cards))


def _cards(table: Table[DuelView], cards: Sequence[int]) -> Text:
    return Text(", ").join(_bohnus(table.public.rules, card) for card in cards)


def _bohnus_drawn(event: BohnusDrawn, names: Sequence[str], table: Table[DuelView]) -> Text:
    return line(names, event.seat, "draws bo(h)nus cards: ", _cards(table, event.cards))


def _bohnus_discarded(event: BohnusDiscarded, names: Sequence[str], table: Table[DuelView]) -> Text:
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


def _bluff_paid(event: BluffPaid, names: Sequence[str], table: Table[DuelView]) -> Text:
    paid = _cards(table, event.bohnus) if event.bohnus else Text(f"${event.dollars}" if event.dollars else "nothing")
    return line(names, event.seat, ("was bluffing", "yellow"), " and pays ", paid)


def _turned_discarded(event: TurnedDiscarded, names: Sequence[str], _: object) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from the turned-over cards")


def _fulfilled(event: Fulfilled, names: Sequence[str], table: Table[DuelView]) -> Text:
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
