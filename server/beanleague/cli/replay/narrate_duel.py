"""What happens in a duel, told in lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.text import Text

from beanleague.cli.replay.board_duel import DuelBoard
from beanleague.cli.replay.kinds import heap, row
from beanleague.cli.replay.lines import bohnus, cents_text, ending, line
from beanleague.games.duel import (
    BluffPaid,
    BohnusDiscarded,
    BohnusDrawn,
    BohnusShuffled,
    ColumnHarvested,
    DuelEnded,
    FirstDollars,
    Fulfilled,
    GiftAccepted,
    GiftDeclined,
    GiftGiven,
    GiftOffered,
    TurnedDiscarded,
)


def _first_dollars(event: FirstDollars, names: Sequence[str], _: DuelBoard) -> Text:
    return line(names, event.seat, "gets its first dollars, face down: ", row(event.cards))


def _cards(board: DuelBoard, cards: Sequence[int]) -> Text:
    return Text(", ").join(bohnus(board.rules, card) for card in cards)


def _bohnus_drawn(event: BohnusDrawn, names: Sequence[str], board: DuelBoard) -> Text:
    return line(names, event.seat, "draws bo(h)nus cards: ", _cards(board, event.cards))


def _bohnus_discarded(event: BohnusDiscarded, names: Sequence[str], board: DuelBoard) -> Text:
    return line(names, event.seat, "discards the bo(h)nus card ", _cards(board, [event.card]))


def _bohnus_shuffled(event: BohnusShuffled, _: Sequence[str], __: DuelBoard) -> Text:
    return Text(f"  {event.cards} discarded bo(h)nus cards become the pile", "bold")


def _gift_offered(event: GiftOffered, names: Sequence[str], _: DuelBoard) -> Text:
    return line(names, event.seat, "offers ", heap([event.kind]), " as a gift")


def _gift_declined(event: GiftDeclined, names: Sequence[str], _: DuelBoard) -> Text:
    return line(names, event.seat, ("declines", "dim"))


def _gift_accepted(event: GiftAccepted, names: Sequence[str], _: DuelBoard) -> Text:
    return line(names, event.seat, ("accepts", "green"))


def _gift_given(event: GiftGiven, names: Sequence[str], _: DuelBoard) -> Text:
    where = "from hand" if event.source == "hand" else "from the turned-over cards"
    return line(names, event.seat, "gives ", heap([event.kind]), f" {where}")


def _bluff_paid(event: BluffPaid, names: Sequence[str], board: DuelBoard) -> Text:
    paid = _cards(board, event.bohnus) if event.bohnus else Text(f"${event.dollars}" if event.dollars else "nothing")
    return line(names, event.seat, ("was bluffing", "yellow"), " and pays ", paid)


def _turned_discarded(event: TurnedDiscarded, names: Sequence[str], _: DuelBoard) -> Text:
    return line(names, event.seat, "discards ", heap([event.kind]), " from the turned-over cards")


def _fulfilled(event: Fulfilled, names: Sequence[str], board: DuelBoard) -> Text:
    whose = "its" if event.owner == event.seat else f"{names[event.owner]}'s"
    worth = cents_text(board.rules.bohnus[event.card].worth)
    card = _cards(board, [event.card])
    return line(names, event.seat, "fulfils ", card, f" with {whose} field {event.field} for ", (worth, "bold green"))


def _harvested(event: ColumnHarvested, names: Sequence[str], _: DuelBoard) -> Text:
    return line(names, event.seat, "harvests ", heap(event.cards), " for ", (f"${event.dollars}", "bold green"))


def _ended(event: DuelEnded, names: Sequence[str], _: DuelBoard) -> Text:
    return ending(names, event.places, [cents_text(cents) for cents in event.cents])


DUEL_TELLERS: Mapping[type[Any], Callable[[Any, Sequence[str], Any], Text]] = {
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
