"""Valuing a trade: the gain for this bot, and the gain for the other seat."""

from __future__ import annotations

from typing import NamedTuple

from planting import Fields, fields_of, hand_worth, settle
from worth import Worth

from beanbot.bohnanza import BohnanzaView, Kind


class Scales:
    """Values trades in the situation of one view. Gains are in dollars."""

    def __init__(self, view: BohnanzaView, worth: Worth) -> None:
        self._view = view
        self._worth = worth
        self._seats: dict[tuple[int, tuple[int, ...]], Visible] = {}  # by seat and turned-over cards that it gives
        self._own = self._visible(view.seat)
        self._now = self._own.value + hand_worth(self._own.settled, view.hand, worth)

    def mine(
        self, gets: tuple[Kind, ...] = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()
    ) -> float:
        """Return the own gain by receiving cards of kinds `gets` and giving hand and turned-over cards, by position."""
        hand = self._view.hand
        left = tuple([kind for i, kind in enumerate(hand) if i not in gives]) if gives else hand
        seat = self._visible(self._view.seat, gives_turned) if gives_turned else self._own
        dollars, fields = settle(seat.fields, seat.cards + gets, self._worth)
        return dollars + hand_worth(fields, left, self._worth) - self._now

    def theirs(self, seat: int, gets: tuple[Kind, ...], gives_turned: tuple[int, ...] = ()) -> float:
        """Return the visible gain of `seat`: cards that it gives from its hidden hand count 0."""
        after = self._visible(seat, gives_turned)
        before = self._visible(seat) if gives_turned else after
        return settle(after.fields, after.cards + gets, self._worth)[0] - before.value

    def grows(self) -> set[Kind]:
        """Return the kinds in the own fields after all cards set aside and turned over are planted."""
        return {kind for kind, _ in self._own.settled if kind}

    def _visible(self, seat: int, gives_turned: tuple[int, ...] = ()) -> Visible:
        """Return what all see of `seat` if it gives the turned-over cards at the positions `gives_turned`."""
        known = self._seats.get((seat, gives_turned))
        if known is None:
            fields, cards = fields_of(self._view.fields[seat]), self._to_plant(seat, gives_turned)
            known = self._seats[seat, gives_turned] = Visible(fields, cards, *settle(fields, cards, self._worth))
        return known

    def _to_plant(self, seat: int, gives_turned: tuple[int, ...]) -> tuple[Kind, ...]:
        """Return the cards that `seat` must plant this turn; the active player also has the turned-over ones."""
        view = self._view
        if seat != view.active:
            return view.aside[seat]
        if gives_turned:
            return view.aside[seat] + tuple([kind for i, kind in enumerate(view.turned) if i not in gives_turned])
        return view.aside[seat] + view.turned


class Visible(NamedTuple):
    """What all see of a seat."""

    fields: Fields
    """Its fields now."""
    cards: tuple[Kind, ...]
    """The cards that it must plant this turn."""
    value: float
    """Dollars and value of the fields when it has planted them."""
    settled: Fields
    """Its fields then."""
