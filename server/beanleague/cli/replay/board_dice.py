"""A table of a dice game, and how it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.console import Group, RenderableType
from rich.text import Text

from beanleague.cli.replay.kinds import row
from beanleague.cli.replay.lines import player_mark, player_name
from beanleague.games import Event, Game, Kind
from beanleague.games.dice import DiceRules, DiceView, Rolled

_WHOLE_CARDS = 2  # seats up to which every order has a line of its own
THIEF = "Bean Thief"


@dataclass(frozen=True, slots=True)
class DiceSeat:
    """What lies before one player. `top`, `bottom`: its cards, by their number in the rules."""

    dollars: int
    top: int
    bottom: int
    completed: int


@dataclass(frozen=True, slots=True)
class DiceBoard:
    """A table of a dice game. `rolled`, `saved`, `stolen`: what dice show; `thief`: its dollars, None without it.

    `faces`: what each die showed before that which is told with this table.
    """

    rules: DiceRules
    turn: int
    active: int
    seats: tuple[DiceSeat, ...]
    roll: int
    rolled: tuple[Kind, ...]
    saved: tuple[Kind, ...]
    stolen: tuple[Kind, ...]
    thief: int | None
    piece: bool
    deck: int
    forfeited: frozenset[int]
    faces: tuple[Kind, ...]

    def after(self, event: Event) -> DiceBoard:
        """Return the same with the faces after `event`."""
        return replace(self, faces=_rolled(self.faces, event)) if isinstance(event, Rolled) else self


def dice_board(game: Game, forfeited: Iterable[int], told: int) -> DiceBoard:
    """Return the table as it is now. `told`: how many events were told before."""
    view = game.view(0)
    assert isinstance(view, DiceView)

    def shown(dice: Iterable[int]) -> tuple[Kind, ...]:
        return tuple(kind for die in dice if (kind := view.faces[die]))

    return DiceBoard(
        rules=view.rules,
        turn=view.turn,
        active=view.active,
        seats=tuple(
            DiceSeat(view.dollars[seat], view.tops[seat], view.bottoms[seat], view.completed[seat])
            for seat in range(game.seats)
        ),
        roll=view.roll,
        rolled=shown(view.rolled),
        saved=shown(view.saved),
        stolen=shown(view.stolen),
        thief=view.thief if view.rules.thief else None,
        piece=view.piece,
        deck=view.deck,
        forfeited=frozenset(forfeited),
        faces=_faces(game.events, told, len(view.rules.dice)),
    )


def _faces(events: Sequence[Event], told: int, dice: int) -> tuple[Kind, ...]:
    """Return what the dice show after the first `told` events; a turn begins with a roll of all dice."""
    first = next((i for i in reversed(range(told)) if _of_all(events[i], dice)), told)
    faces = ("",) * dice
    for event in events[first:told]:
        if isinstance(event, Rolled):
            faces = _rolled(faces, event)
    return faces


def _of_all(event: Event, dice: int) -> bool:
    return isinstance(event, Rolled) and len(event.dice) == dice


def _rolled(faces: tuple[Kind, ...], event: Rolled) -> tuple[Kind, ...]:
    new = dict(zip(event.dice, event.kinds, strict=True))
    return tuple(new.get(die, face) for die, face in enumerate(faces))


def dice_picture(board: DiceBoard, names: Sequence[str], title: str) -> RenderableType:
    """Return the table: the dice, then each player with its dollars and the orders of its top card."""
    heading = Text.assemble(
        (title, "bold"), "  " if title else "", f"turn {board.turn}  ", (f"deck {board.deck}", "dim")
    )
    block = _whole if len(board.seats) <= _WHOLE_CARDS else _short
    lines = [line for seat in range(len(board.seats)) for line in block(board, names, seat)]
    if board.thief is not None:
        lines.append(Text.assemble("  ", THIEF, "  ", (f"${board.thief}", "bold green")))
    return Group(heading, _dice(board), *lines)


def _dice(board: DiceBoard) -> Text:
    told = [
        Text.assemble((f"roll {board.roll} ", "dim"), row(board.rolled)),
        Text.assemble(("bean field ", "dim"), row(board.saved)),
    ]
    if board.stolen:
        told.append(Text.assemble(("stolen ", "dim"), row(board.stolen)))
    if board.piece:
        told.append(Text("may roll again", "dim"))
    return Text("   ").join(told)


def _head(board: DiceBoard, names: Sequence[str], seat: int) -> Text:
    own = board.seats[seat]
    orders = len(board.rules.cards[own.top].orders)
    done = Text.assemble(("■" * own.completed, "green"), "□" * (orders - own.completed))
    earns = board.rules.dollars[own.completed]
    return Text.assemble(
        player_mark(board, seat),
        " ",
        player_name(board, names, seat),
        "  ",
        (f"${own.dollars}", "bold green"),
        "  ",
        done,
        (f"  a harvest earns ${earns}", "green") if earns else "",
        no_wrap=True,
        overflow="ellipsis",
    )


def _whole(board: DiceBoard, names: Sequence[str], seat: int) -> list[Text]:
    """Return a line for each order of the top card, the lowest first; the next to complete is bold."""
    own = board.seats[seat]
    card = board.rules.cards[own.top]
    lines = [_head(board, names, seat)]
    for number, (order, chance) in enumerate(zip(card.orders, card.percent, strict=True)):
        done = number < own.completed
        looks = "dim" if done else "bold" if number == own.completed else ""
        lines.append(_cut(f"   {'✓' if done else ' '} {chance:2d}% {order}", looks))
    return lines


def _short(board: DiceBoard, names: Sequence[str], seat: int) -> list[Text]:
    """Return a line for the player and one for the orders not yet completed, as many as there is room for."""
    own = board.seats[seat]
    card = board.rules.cards[own.top]
    todo = [f"{card.percent[i]}% {card.orders[i]}" for i in range(own.completed, len(card.orders))]
    return [_head(board, names, seat), _cut(f"     {' · '.join(todo)}", "")]


def _cut(text: str, looks: str) -> Text:
    return Text(text, looks, no_wrap=True, overflow="ellipsis")
