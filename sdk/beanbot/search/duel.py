"""A seat's memory of a duel, from the events that it has seen."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from beanbot.search.hidden_cards import HiddenCards
from beanbot.search.memory import FamilyMemory
from beanleague.games import Event, Kind
from beanleague.games.core import Dealt, Drew, Planted, TurnedOver, TurnStarted
from beanleague.games.duel import (
    BluffPaid,
    BohnusDiscarded,
    BohnusDrawn,
    BohnusShuffled,
    ColumnHarvested,
    DuelDecision,
    DuelHidden,
    DuelRules,
    DuelView,
    FirstDollars,
    Fulfilled,
    GiftGiven,
    GiftOffered,
)

_DOLLARS = -1  # place of the beans that became dollars unseen


class Remembered(FamilyMemory[DuelView]):
    """A seat's memory of a duel."""

    rules: DuelRules

    def __init__(self, view: DuelView) -> None:
        super().__init__(view)
        self._beans = HiddenCards(Multiset(self.rules.deck))
        self._bohnus = HiddenCards(Multiset(range(len(self.rules.bohnus))))
        self._bohnus_discard: list[int] = []
        self._dollars: list[Kind] = []  # beans that all players saw become dollars
        self._offered: Kind | None = None
        self._interludes = set[int]()
        self._between_turns = False
        self._dealt_from: tuple[DuelView, HiddenCards[Kind], HiddenCards[int], bool] | None = None

    def see(self, view: DuelView) -> None:
        super().see(view)
        if view.decision is DuelDecision.INTERLUDE:
            self._interludes.add(view.seat)

    def known(self, seat: int) -> tuple[Kind, ...]:
        return self._beans.known(seat)

    def guess(self, view: DuelView, random: Random) -> DuelHidden:
        if self._dealt_from is None or self._dealt_from[0] is not view:
            self._dealt_from = (view, *self._fitting(view))
        _, beans, bohnus, remembered = self._dealt_from
        dealt, other = beans.deal(random), 1 - self.seat
        return DuelHidden(
            hand=tuple(dealt.get(other, ())),
            dollars=(*dealt.get(_DOLLARS, ()), *(self._dollars if remembered else ())),
            bohnus=tuple(bohnus.deal(random).get(other, ())),
            options={"interludes": tuple(sorted(self._interludes))},
        )

    def _fitting(self, view: DuelView) -> tuple[HiddenCards[Kind], HiddenCards[int], bool]:
        """Return the cards hidden from `view`, and whether the memory fits it; if not, only `view` is used."""
        other, unseen = 1 - self.seat, Multiset(self.rules.deck)
        unseen.subtract(_visible_cards(view))
        remembered = unseen.copy()
        remembered.subtract(self._dollars)
        unseen_bohnus = Multiset(range(len(self.rules.bohnus)))
        unseen_bohnus.subtract([*view.bohnus, *view.earned[0], *view.earned[1], *view.bohnus_discard])
        first = sum(view.dollars) - len(self._dollars)
        fits = self._beans.fit(+remembered, {other: view.hand_sizes[other], _DOLLARS: first})
        if fits and self._bohnus.fit(+unseen_bohnus, {other: view.bohnus_sizes[other]}):
            return self._beans, self._bohnus, True
        beans, bohnus = HiddenCards(+unseen), HiddenCards(+unseen_bohnus)
        beans.draws(other, view.hand_sizes[other])
        beans.draws(_DOLLARS, sum(view.dollars))
        bohnus.draws(other, view.bohnus_sizes[other])
        return beans, bohnus, False

    def _first_dollars(self, event: FirstDollars) -> None:
        self._beans.draws(_DOLLARS, event.count)

    def _received(self, event: Dealt | Drew) -> None:
        self._between_turns = type(event) is Drew
        if event.seat == self.seat:
            self._beans.turns_up(event.cards)
        else:
            self._beans.draws(event.seat, event.count)

    def _turn_started(self, event: TurnStarted) -> None:
        del event
        self._between_turns = False

    def _turned_over(self, event: TurnedOver) -> None:
        self._beans.turns_up(event.cards)

    def _planted(self, event: Planted) -> None:
        if event.source == "hand" and event.seat != self.seat:
            self._beans.leaves(event.seat, event.kind, first=True)

    def _gift_offered(self, event: GiftOffered) -> None:
        self._offered = event.kind

    def _gift_given(self, event: GiftGiven) -> None:
        if event.source == "hand" and event.seat != self.seat:
            self._beans.leaves(event.seat, event.kind)

    def _bluff_paid(self, event: BluffPaid) -> None:
        if event.seat != self.seat and self._offered:
            self._beans.lacks(event.seat, self._offered)

    def _harvested(self, event: ColumnHarvested) -> None:
        self._dollars += event.cards[len(event.cards) - event.dollars :]

    def _bohnus_drawn(self, event: BohnusDrawn) -> None:
        if event.seat == self.seat:
            self._bohnus.turns_up(event.cards)
        else:
            self._bohnus.draws(event.seat, event.count)

    def _bohnus_discarded(self, event: BohnusDiscarded) -> None:
        self._bohnus_discard.append(event.card)
        self._bohnus_shown(event)

    def _bohnus_shown(self, event: BohnusDiscarded | Fulfilled) -> None:
        if event.seat != self.seat:
            self._bohnus.leaves(event.seat, event.card)

    def _bohnus_shuffled(self, event: BohnusShuffled) -> None:
        del event
        self._bohnus.shuffled(self._bohnus_discard)
        self._bohnus_discard = []

    HEARD: ClassVar[Mapping[type[Event], Any]] = {
        FirstDollars: _first_dollars,
        Dealt: _received,
        Drew: _received,
        TurnStarted: _turn_started,
        TurnedOver: _turned_over,
        Planted: _planted,
        GiftOffered: _gift_offered,
        GiftGiven: _gift_given,
        BluffPaid: _bluff_paid,
        ColumnHarvested: _harvested,
        BohnusDrawn: _bohnus_drawn,
        BohnusDiscarded: _bohnus_discarded,
        Fulfilled: _bohnus_shown,
        BohnusShuffled: _bohnus_shuffled,
    }


def _visible_cards(view: DuelView) -> list[Kind]:
    """Return all beans that `view` shows."""
    return [
        *view.hand,
        *view.turned,
        *(gift for gift in view.gifts if gift),
        *(kind for columns in view.fields for column in columns for kind in column.cards),
        *(kind for kind, count in zip(view.rules.number, view.discard, strict=True) for _ in range(count)),
    ]
