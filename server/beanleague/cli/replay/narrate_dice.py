"""What happens in the dice games, told in lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.text import Text

from beanleague.cli.replay.board_dice import THIEF, DiceBoard
from beanleague.cli.replay.kinds import row
from beanleague.cli.replay.lines import ending, line
from beanleague.games.dice import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DieStolen,
    DollarsDrawn,
    OrdersCompleted,
    Rolled,
    Saved,
    SoloEnded,
    SuperStealRolled,
    ThiefRolled,
)

_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def _card_drawn(event: CardDrawn, names: Sequence[str], board: DiceBoard) -> Text:
    orders = board.rules.cards[event.card].orders
    return line(names, event.seat, f"gets card {event.card}, from {orders[0]} to {orders[-1]}")


def _rolled(event: Rolled, names: Sequence[str], _: DiceBoard) -> Text:
    return line(names, event.seat, "repeats the roll: " if event.again else "rolls ", row(event.kinds))


def _saved(event: Saved, names: Sequence[str], board: DiceBoard) -> Text:
    return line(names, event.seat, "saves ", row(board.faces[die] for die in event.dice))


def _completed(event: OrdersCompleted, names: Sequence[str], _: DiceBoard) -> Text:
    what = "an order" if event.orders == 1 else f"{event.orders} orders"
    return line(names, event.seat, ("completes ", "green"), what, f", now {event.completed}")


def _harvested(event: CardHarvested, names: Sequence[str], _: DiceBoard) -> Text:
    earned = (f"${event.dollars}", "bold green")
    return line(names, event.seat, f"harvests its card with {event.completed} orders for ", earned)


def _dollars_drawn(event: DollarsDrawn, names: Sequence[str], _: DiceBoard) -> Text:
    cards = "a card" if event.count == 1 else f"{event.count} cards"
    return line((*names, THIEF), event.seat, (f"draws {cards} as dollars", "dim"))


def _deck_renewed(event: DeckRenewed, names: Sequence[str], _: DiceBoard) -> Text:
    return line((*names, THIEF), event.seat, f"trades in {len(event.cards)} single dollars, which become the deck")


def _thief_rolled(event: ThiefRolled, _: Sequence[str], __: DiceBoard) -> Text:
    return line([THIEF], 0, "rolls ", row(event.kinds))


def _die_stolen(event: DieStolen, _: Sequence[str], board: DiceBoard) -> Text:
    return line([THIEF], 0, ("steals", "red"), " ", row([board.faces[event.die]]), " from the bean field")


def _super_steal(event: SuperStealRolled, _: Sequence[str], __: DiceBoard) -> Text:
    return line([THIEF], 0, "rolls for cards ", row(event.kinds))


def _card_stolen(event: CardStolen, _: Sequence[str], __: DiceBoard) -> Text:
    card = "bottom card" if event.bottom else "top card"
    order = _ORDINALS.get(event.order, f"{event.order}th")
    how = f", whose {order} order it meets," if event.order else ""
    return line([THIEF], 0, ("steals", "red"), f" the {card}{how} for ", (f"${event.dollars}", "bold green"))


def _solo_ended(event: SoloEnded, names: Sequence[str], _: DiceBoard) -> Text:
    places = (1, 2) if event.won else (2, 1)
    return ending((*names, THIEF), places, (f"${event.dollars}", f"${event.thief}"))


DICE_TELLERS: Mapping[type[Any], Callable[[Any, Sequence[str], Any], Text]] = {
    CardDrawn: _card_drawn,
    Rolled: _rolled,
    Saved: _saved,
    OrdersCompleted: _completed,
    CardHarvested: _harvested,
    DollarsDrawn: _dollars_drawn,
    DeckRenewed: _deck_renewed,
    ThiefRolled: _thief_rolled,
    DieStolen: _die_stolen,
    SuperStealRolled: _super_steal,
    CardStolen: _card_stolen,
    SoloEnded: _solo_ended,
}
