"""Drawing of the duel in replays, hidden cards included."""

from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.lines import Drawing, backs, changed, hand, next_worth, row, style, worth
from beanleague.games import duel
from beanleague.games.core.words import kind_text

TRADES = (duel.GiftAccepted,)
HARVESTS = (duel.ColumnHarvested,)
_CENTS = 100


def picture(drawing: Drawing[duel.DuelView]) -> RenderableType:
    """Draw the table: a block of lines for each player, then the cards between them."""
    view = drawing.table.public
    heading = drawing.heading(f"pile {view.pile}  discards {sum(view.discard)}  bo(h)nus pile {view.bohnus_pile}")
    return Group(heading, *(_block(drawing, *seat) for seat in drawing.seats()), _between(drawing))


def _block(drawing: Drawing[duel.DuelView], seat: int, own: duel.DuelView, past: duel.DuelView) -> Text:
    lines = [
        Text.assemble(drawing.mark(seat), " ", drawing.name(seat), "  ", changed(_money, own, past)),
        Text.assemble(("     hand ", "dim"), hand(own, past, drawing.cards)),
    ]
    for number, fields in enumerate(zip(own.own_fields, past.own_fields, strict=True), 1):
        drawn = changed(lambda column: _field(own.rules, column), *fields)
        lines.append(Text.assemble((f"  field {number} ", "dim"), drawn))
    lines.append(Text.assemble((" bo(h)nus ", "dim"), changed(_held, own, past), changed(_fulfilled_cards, own, past)))
    return Text("\n").join(lines)


def _money(own: duel.DuelView) -> Text:
    dollars, cents = divmod(own.cents(own.seat), _CENTS)
    return Text(f"${dollars}.{cents:02d}", "bold green")


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


def _between(drawing: Drawing[duel.DuelView]) -> Text:
    view, past = drawing.table.public, drawing.before.public
    shown = [("turned over", view.turned, past.turned), ("offered", view.offered, past.offered)]
    for name, *gifts in zip(drawing.names, view.gifts, past.gifts, strict=True):
        gift, earlier = [(kind,) if kind else () for kind in gifts]
        shown.append((f"gift for {name}", gift, earlier))
    parts = [Text.assemble((f"{name} ", "dim"), changed(row, now, before)) for name, now, before in shown if now]
    return Text("   ").join(parts) or Text(" ")


def _bohnus(rules: duel.DuelRules, card: int) -> Text:
    found = rules.bohnus[card]
    return Text.assemble("-".join(map(str, found.sequence)), (f" {found.cents}c", "green"))
