"""The duel in a replay: a picture of the table with its hidden cards."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.lines import backs, changed, hand, next_worth, player_mark, player_name, row, style, worth
from beanleague.cli.replay.steps import ReplayTable
from beanleague.games import duel
from beanleague.games.core.words import kind_text

TRADES = (duel.GiftAccepted,)
HARVESTS = (duel.ColumnHarvested,)
_CENTS = 100


def picture(
    table: ReplayTable[duel.DuelView],
    before: ReplayTable[duel.DuelView],
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


def _block(
    table: ReplayTable[duel.DuelView], past: duel.DuelView, names: Sequence[str], seat: int, cards: int | None
) -> Text:
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


def _money(own: duel.DuelView) -> Text:
    return Text(_dollars(own.cents(own.seat)), "bold green")


def _held(own: duel.DuelView) -> Text:
    if not own.bohnus and (size := own.bohnus_sizes[own.seat]):
        return backs(size)
    return Text("   ").join(_bohnus(own.rules, card) for card in own.bohnus) or Text("-", "dim")


def _fulfilled_cards(own: duel.DuelView) -> Text:
    cards = [_bohnus(own.rules, card) for card in own.earned[own.seat]]
    return Text.assemble(("   fulfilled ", "dim"), Text("   ").join(cards)) if cards else Text()


def _field(rules: duel.DuelRules, field: duel.Column) -> Text:
    if field.last is None:
        return Text("-", "dim")
    runs = [(kind, len(list(run))) for kind, run in groupby(field.cards)]
    cards = Text(", ").join(Text(f"{count} {kind_text(kind)}", f"bold {style(kind)}") for kind, count in runs)
    kind, count = rules.kind(field.last), len(field.cards)
    return Text.assemble(cards, worth(kind, count), " ", next_worth(kind, count))


def _between(view: duel.DuelView, past: duel.DuelView, names: Sequence[str]) -> Text:
    shown = [("turned over", view.turned, past.turned), ("offered", view.offered, past.offered)]
    for seat, gifts in enumerate(zip(view.gifts, past.gifts, strict=True)):
        gift, earlier = [(kind,) if kind else () for kind in gifts]
        shown.append((f"gift for {names[seat]}", gift, earlier))
    parts = [Text.assemble((f"{name} ", "dim"), changed(row, now, before)) for name, now, before in shown if now]
    return Text("   ").join(parts) or Text(" ")


def _bohnus(rules: duel.DuelRules, card: int) -> Text:
    found = rules.bohnus[card]
    return Text.assemble("-".join(map(str, found.sequence)), (f" {found.cents}c", "green"))


def _dollars(cents: int) -> str:
    return f"${cents // _CENTS}.{cents % _CENTS:02d}"
