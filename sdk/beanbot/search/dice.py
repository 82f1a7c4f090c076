"""A seat's memory of a dice game, from the events that it has seen."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from beanbot.search.memory import FamilyMemory
from beanleague.games import Event
from beanleague.games.core import TurnStarted
from beanleague.games.dice import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DiceDecision,
    DiceHidden,
    DiceRules,
    DiceView,
    DollarsDrawn,
    OrdersCompleted,
    Rolled,
    Saved,
)

_HIDDEN, _LATE = -1, -2  # unseen single dollars, drawn from the first deck or from the renewed one
_MARKER = 5  # value of the marker in dollars


class Remembered(FamilyMemory[DiceView]):
    """A seat's memory of a dice game: the cards that are dollars, and the seats that declined to harvest.

    The first renewal of the deck shows which known cards are in it. From the second on, hidden cards of both decks may
    be anywhere.
    """

    rules: DiceRules

    def __init__(self, view: DiceView) -> None:
        super().__init__(view)
        rules = self.rules
        self._holders = rules.seats + (rules.thief is not None)
        # per holder: numbers of cards, _HIDDEN or _LATE
        self._singles: list[list[int]] = [[] for _ in range(self._holders)]
        self._renewed = False
        self._in_deck = set[int]()  # cards known to be in the renewed deck, or drawn from it as dollars
        self._completed = [0] * rules.seats
        self._dollars = [0] * self._holders
        self._progress = False
        self._active = 0
        self._saved = 0
        self._to_harvest: list[int] = []  # seats that may harvest next, in order
        self._declined: dict[int, tuple[int, ...]] = {}

    def see(self, view: DiceView) -> None:
        super().see(view)
        self._decline_before(view.seat if view.decision is DiceDecision.HARVEST else None)

    def known(self, seat: int) -> tuple[int, ...]:
        """Return an empty tuple: there are no hands."""
        del seat
        return ()

    def guess(self, view: DiceView, random: Random) -> DiceHidden:
        dollars = [*view.dollars, view.thief] if self.rules.thief else [*view.dollars]
        seen = {*view.tops, *view.bottoms}
        hidden = len(self.rules.cards) - len(seen) - view.deck
        fits = (self._completed, self._dollars) == ([*view.completed], dollars)
        if not fits or sum(map(len, self._singles)) != hidden:
            return self._guess_from(view, dollars, random)
        singles = [singles[:] for singles in self._singles]
        return DiceHidden(
            tuple(map(tuple, self._fill(singles, view, random))), self._declined, self._progress, options={}
        )

    def _guess_from(self, view: DiceView, dollars: list[int], random: Random) -> DiceHidden:
        """Guess from `view` alone: assume that seats able to harvest declined, and the richest changed dollars."""
        singles = dollars[:]
        while sum(singles) > len(self.rules.cards) - 2 * self.rules.seats - view.deck:
            singles[max(range(self._holders), key=singles.__getitem__)] -= _MARKER
        declined = {
            seat: (completed, *dollars)
            for seat, completed in enumerate(view.completed)
            if self.rules.dollars[completed] and seat != view.seat
        }
        cards = self._fill([[_HIDDEN] * count for count in singles], view, random)
        return DiceHidden(tuple(map(tuple, cards)), declined, any(view.completed), options={})

    def _fill(self, singles: list[list[int]], view: DiceView, random: Random) -> list[list[int]]:
        """Replace the unknown cards in `singles` by possible cards."""
        known = {card for cards in singles for card in cards if card >= 0}
        in_deck = self._in_deck - known
        rest = [
            card
            for card in range(len(self.rules.cards))
            if card not in known and card not in in_deck and card not in view.tops and card not in view.bottoms
        ]
        random.shuffle(rest)
        late = sum(cards.count(_LATE) for cards in singles)
        of_deck = [*sorted(in_deck), *[_HIDDEN] * (late + view.deck - len(in_deck))] if late else []
        random.shuffle(of_deck)
        for cards in singles:
            for place, card in enumerate(cards):
                drawn = of_deck.pop() if card == _LATE else card
                cards[place] = rest.pop() if drawn == _HIDDEN else drawn
        return singles

    def _turn_started(self, event: TurnStarted) -> None:
        self._active = event.seat
        self._declined = {}
        self._saved = 0
        self._progress = False
        self._to_harvest = [event.seat]

    def _rolled(self, event: Rolled) -> None:
        del event
        self._decline_before(None)
        self._to_harvest = self._left_of_active()[:-1]

    def _saved_dice(self, event: Saved) -> None:
        self._decline_before(None)
        self._saved += len(event.dice)
        if self._saved == len(self.rules.dice):
            self._to_harvest = self._left_of_active()

    def _completed_orders(self, event: OrdersCompleted) -> None:
        self._completed[event.seat] = event.completed
        self._progress = True

    def _harvested(self, event: CardHarvested) -> None:
        self._decline_before(event.seat)
        self._completed[event.seat] = 0
        self._gain(event.seat, event.card, event.dollars)

    def _stolen(self, event: CardStolen) -> None:
        self._completed[0] = 0
        self._gain(self._holders - 1, event.card, event.dollars)

    def _gain(self, holder: int, card: int, dollars: int) -> None:
        self._dollars[holder] += dollars
        self._singles[holder].append(card)

    def _dollars_drawn(self, event: DollarsDrawn) -> None:
        self._singles[event.seat] += [_LATE if self._renewed else _HIDDEN] * event.count

    def _card_drawn(self, event: CardDrawn) -> None:
        self._in_deck.discard(event.card)

    def _deck_renewed(self, event: DeckRenewed) -> None:
        singles = self._singles[event.seat]
        self._in_deck = {card for card in singles[:_MARKER] if card >= 0}
        del singles[:_MARKER]
        self._singles = [[_HIDDEN if card == _LATE else card for card in cards] for cards in self._singles]
        self._renewed = True

    def _decline_before(self, seat: int | None) -> None:
        """Record that the seats that could harvest before `seat` declined; all in the queue if `seat` is not in it."""
        while self._to_harvest and self._to_harvest[0] != seat:
            other = self._to_harvest.pop(0)
            if self.rules.dollars[self._completed[other]]:
                self._declined[other] = (self._completed[other], *self._dollars)

    def _left_of_active(self) -> list[int]:
        seats = self.rules.seats
        return [(self._active + i) % seats for i in range(1, seats + 1)]

    HEARD: ClassVar[Mapping[type[Event], Any]] = {
        TurnStarted: _turn_started,
        Rolled: _rolled,
        Saved: _saved_dice,
        OrdersCompleted: _completed_orders,
        CardHarvested: _harvested,
        CardStolen: _stolen,
        DollarsDrawn: _dollars_drawn,
        CardDrawn: _card_drawn,
        DeckRenewed: _deck_renewed,
    }
