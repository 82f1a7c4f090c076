"""A table of a duel, hidden cards included, and how it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.kinds import label, row, style
from beanleague.cli.replay.lines import bohnus, money, player_mark, player_name
from beanleague.games import Game, Kind
from beanleague.games.duel import Column, DuelRules, DuelView


@dataclass(frozen=True, slots=True)
class DuelSeat:
    """What lies before one player. `cents`: its money; `hand`: the first to be planted first; `gift`: not planted yet.

    `bohnus`, `earned`: bo(h)nus cards in hand and among the dollars, by their place in the rules.
    """

    cents: int
    fields: tuple[Column, ...]
    hand: tuple[Kind, ...]
    gift: Kind | None
    bohnus: tuple[int, ...]
    earned: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DuelBoard:
    """A table of a duel. `offered`: kinds, in this phase; `discards`: beans; `bohnus_pile`: cards in it."""

    rules: DuelRules
    turn: int
    active: int
    seats: tuple[DuelSeat, ...]
    turned: tuple[Kind, ...]
    offered: tuple[Kind, ...]
    pile: int
    discards: int
    bohnus_pile: int
    forfeited: frozenset[int]


def duel_board(game: Game, forfeited: Iterable[int]) -> DuelBoard:
    """Return the table as it is now."""
    views = [view for seat in range(game.seats) if isinstance(view := game.view(seat), DuelView)]
    first = views[0]
    return DuelBoard(
        rules=first.rules,
        turn=first.turn,
        active=first.active,
        seats=tuple(
            DuelSeat(view.cents(seat), view.own_fields, view.hand, view.gift, view.bohnus, first.earned[seat])
            for seat, view in enumerate(views)
        ),
        turned=first.turned,
        offered=first.offered,
        pile=first.pile,
        discards=sum(first.discard),
        bohnus_pile=first.bohnus_pile,
        forfeited=frozenset(forfeited),
    )


def duel_picture(board: DuelBoard, names: Sequence[str], title: str, cards: int | None) -> RenderableType:
    """Return the table: a block of lines for each player, then what lies between. `cards`: of a hand, None: all."""
    facts = f"pile {board.pile}  discards {board.discards}  bo(h)nus pile {board.bohnus_pile}"
    heading = Text.assemble((title, "bold"), "  " if title else "", f"turn {board.turn}  ", (facts, "dim"))
    blocks = [_block(board, names, seat, cards) for seat in range(len(board.seats))]
    return Group(heading, *blocks, _between(board, names))


def _block(board: DuelBoard, names: Sequence[str], seat: int, cards: int | None) -> Text:
    own = board.seats[seat]
    more = len(own.hand) - len(own.hand[:cards])
    hand = Text.assemble(row(own.hand[:cards]), (f" +{more}", "dim") if more else "")
    lines = [
        Text.assemble(player_mark(board, seat), " ", player_name(board, names, seat), "  ", money(own.cents)),
        Text.assemble(("     hand ", "dim"), hand),
    ]
    for number, field in enumerate(own.fields):
        lines.append(Text.assemble((f"  field {number} ", "dim"), _field(board.rules, field)))
    held = Text("   ").join(bohnus(board.rules, card) for card in own.bohnus) or Text("-", "dim")
    earned = Text.assemble(("   fulfilled ", "dim"), Text("   ").join(bohnus(board.rules, card) for card in own.earned))
    lines.append(Text.assemble((" bo(h)nus ", "dim"), held, earned if own.earned else ""))
    return Text("\n").join(lines)


def _field(rules: DuelRules, field: Column) -> Text:
    if field.last is None:
        return Text("-", "dim")
    runs = [(kind, len(list(run))) for kind, run in groupby(field.cards)]
    told = Text(", ").join(Text(f"{count} {label(kind)}", f"bold {style(kind)}") for kind, count in runs)
    earns = rules.dollars(field.last, len(field.cards))
    return Text.assemble(told, (f" ${earns}", "green") if earns else "")


def _between(board: DuelBoard, names: Sequence[str]) -> Text:
    lying = [Text.assemble(("turned over ", "dim"), row(board.turned))] if board.turned else []
    if board.offered:
        lying.append(Text.assemble(("offered ", "dim"), row(board.offered)))
    lying += [
        Text.assemble((f"gift for {names[seat]} ", "dim"), row([own.gift]))
        for seat, own in enumerate(board.seats)
        if own.gift
    ]
    return Text("   ").join(lying) or Text(" ")
