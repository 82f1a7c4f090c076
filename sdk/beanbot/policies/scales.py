"""Value of a trade to the bot and to other seats, in dollars.

`beanbot.policies.trading` decides by any object with the methods of `Scales`. `QuickScales` values the public fields
and the bot's hand, by `worth` and `planting`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from beanbot.policies.planting import settle
from beanbot.policies.worth import Cards, Fields, Worth, fields_of, hand_worth
from beanleague.games import Kind
from beanleague.games.bohnanza import BohnanzaView


class Scales(Protocol):
    """Values trades in one situation. Gains are in dollars; losses are negative."""

    def mine(self, gets: Cards = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()) -> float:
        """Return the bot's gain from receiving `gets` and giving hand and turned-over cards, by position."""

    def theirs(self, seat: int, gets: Cards, gives_turned: tuple[int, ...] = ()) -> float:
        """Return the visible gain of `seat`; cards from its hidden hand count 0."""

    def grows(self) -> set[Kind]:
        """Return the kinds in the bot's fields after all cards set aside and turned over are planted."""


class Visible(NamedTuple):
    """Public part of a seat."""

    fields: Fields
    """Current fields of the seat."""
    cards: Cards
    """Cards that the seat must plant this turn."""
    value: float
    """Dollars, plus the value of the fields after planting `cards`."""
    settled: Fields
    """Fields of the seat after planting `cards`."""


class QuickScales:
    """Values trades by the fields after all seats plant as `settle` does.

    Args:
        view: The situation.
        worth: The values of fields in it.
    """

    def __init__(self, view: BohnanzaView, worth: Worth) -> None:
        self._view = view
        self._worth = worth
        self._seats: dict[tuple[int, tuple[int, ...]], Visible] = {}  # by seat and turned-over cards given
        self._own = self.visible(view.seat)
        self._now = self._own.value + hand_worth(self._own.settled, view.hand, worth)

    def mine(self, gets: Cards = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()) -> float:
        """Return the bot's gain, including the rest of the hand; see `Scales`."""
        hand = left_of(self._view.hand, gives)
        seat = self.visible(self._view.seat, gives_turned) if gives_turned else self._own
        dollars, fields = settle(seat.fields, seat.cards + gets, self._worth)
        return dollars + hand_worth(fields, hand, self._worth) - self._now

    def theirs(self, seat: int, gets: Cards, gives_turned: tuple[int, ...] = ()) -> float:
        """Return the visible gain of `seat`; see `Scales`."""
        after = self.visible(seat, gives_turned)
        before = self.visible(seat) if gives_turned else after
        return settle(after.fields, after.cards + gets, self._worth)[0] - before.value

    def grows(self) -> set[Kind]:
        """Return the kinds in the bot's fields at the end of the turn; see `Scales`."""
        return {kind for kind, _ in self._own.settled if kind}

    def visible(self, seat: int, gives_turned: tuple[int, ...] = ()) -> Visible:
        """Return the public part of `seat` after it gives the turned-over cards at positions `gives_turned`."""
        known = self._seats.get((seat, gives_turned))
        if known is None:
            fields, cards = fields_of(self._view.fields[seat]), to_plant(self._view, seat, gives_turned)
            known = self._seats[seat, gives_turned] = Visible(fields, cards, *settle(fields, cards, self._worth))
        return known


def to_plant(view: BohnanzaView, seat: int, gives_turned: tuple[int, ...] = ()) -> Cards:
    """Return the cards that `seat` must plant this turn.

    The active player also plants the turned-over cards, except turned-over cards given away, by position.
    """
    if seat != view.active:
        return view.aside[seat]
    return view.aside[seat] + left_of(view.turned, gives_turned)


def left_of(cards: Cards, gives: tuple[int, ...]) -> Cards:
    """Return `cards` without the cards at the positions `gives`."""
    return tuple([kind for i, kind in enumerate(cards) if i not in gives]) if gives else cards
