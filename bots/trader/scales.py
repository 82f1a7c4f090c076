"""Valuing a trade: the gain for this bot, and the gain for the other seat."""

from __future__ import annotations

from planting import fields_of, hand_worth, settle
from worth import Worth

from beanbot.bohnanza import BohnanzaView, Kind


class Scales:
    """Values trades in the situation of one view. Gains are in dollars."""

    def __init__(self, view: BohnanzaView, worth: Worth) -> None:
        self._view = view
        self._worth = worth
        self._fields = fields_of(view.own_fields)
        self._known: dict[tuple[int, tuple[Kind, ...]], float] = {}  # by seat and cards to plant
        self._now = self._mine(self._to_plant(view.seat), view.hand)

    def mine(
        self, gets: tuple[Kind, ...] = (), gives: tuple[int, ...] = (), gives_turned: tuple[int, ...] = ()
    ) -> float:
        """Return the own gain by receiving cards of kinds `gets` and giving hand and turned-over cards, by position."""
        hand = self._view.hand
        left = tuple([kind for i, kind in enumerate(hand) if i not in gives]) if gives else hand
        return self._mine(self._to_plant(self._view.seat, gives_turned) + gets, left) - self._now

    def theirs(self, seat: int, gets: tuple[Kind, ...], gives_turned: tuple[int, ...] = ()) -> float:
        """Return the visible gain of `seat`: cards that it gives from its hidden hand count 0."""
        return self._planted(seat, self._to_plant(seat, gives_turned) + gets) - self._planted(
            seat, self._to_plant(seat)
        )

    def grows(self) -> set[Kind]:
        """Return the kinds in the own fields after all cards set aside and turned over are planted."""
        _, fields = settle(self._fields, self._to_plant(self._view.seat), self._worth)
        return {kind for kind, _ in fields if kind}

    def _to_plant(self, seat: int, gives_turned: tuple[int, ...] = ()) -> tuple[Kind, ...]:
        """Return the cards that `seat` must plant this turn; the active player also has the turned-over ones."""
        view = self._view
        if seat != view.active:
            return view.aside[seat]
        if gives_turned:
            return view.aside[seat] + tuple([kind for i, kind in enumerate(view.turned) if i not in gives_turned])
        return view.aside[seat] + view.turned

    def _mine(self, cards: tuple[Kind, ...], hand: tuple[Kind, ...]) -> float:
        dollars, fields = settle(self._fields, cards, self._worth)
        return dollars + hand_worth(fields, hand, self._worth)

    def _planted(self, seat: int, cards: tuple[Kind, ...]) -> float:
        key = seat, cards
        known = self._known.get(key)
        if known is None:
            known, _ = settle(fields_of(self._view.fields[seat]), cards, self._worth)
            self._known[key] = known
        return known
