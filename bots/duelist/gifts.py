"""Offering gifts, taking them, and bluffing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planning import Planner

from beanbot.duel import (
    AcceptGift,
    Action,
    BluffPaid,
    DeclineGift,
    DuelView,
    Event,
    GiftAccepted,
    GiftDeclined,
    GiftGiven,
    Kind,
    OfferGift,
)

# How likely the other is to take a gift, by what it seems to gain (dollars): a logistic curve, learnt from its answers.
STEEP = 5.0
LEAST = -0.3  # at first, it takes with a chance of one half what gains it so much
LEARN = 0.15  # distance from an answer that the curve is moved to

GOING_ON = 0.3  # dollars: what it is worth when the other declines and must offer something itself
HAVING_TO_OFFER = 1.0  # dollars: what it costs to decline
CAUGHT = 2.0  # dollars: a bluff of the other that is called, one received and one that it has less
CALLED = -1.3  # dollars: a bluff of one's own, taken for less than it costs, or it would hardly ever bluff
LATER = 0.7  # part of what a card of the hand loses by being given away, as it would be planted later
THEIRS = 0.3  # what a dollar counts that the other loses with a card it gives
FEAR = 0.5  # part of the offers that could be bluffs that are


class Merchant:
    """Deals in gifts through a match, and learns what the other takes and how often it bluffs."""

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._least = LEAST
        self._offered = 0.0  # what the gift offered last seemed to bring to the other
        self._suspicion = 0.0  # that the offer answered last was a bluff
        self._suspected = 1.0  # bluffs of the other that were to be expected
        self._caught = 1.0  # bluffs of the other

    def listen(self, news: Sequence[Event]) -> None:
        """Learn from what the other did."""
        for event in news:
            match event:
                case GiftAccepted(seat=seat) if seat != self._seat:
                    self._least = min(self._least, self._offered - LEARN)
                case GiftDeclined(seat=seat) if seat != self._seat:
                    self._least = max(self._least, self._offered + LEARN)
                case BluffPaid(seat=seat) if seat != self._seat:
                    self._caught += 1
                    self._suspected += self._suspicion
                case GiftGiven(seat=seat) if seat != self._seat:
                    self._suspected += self._suspicion
                case _:
                    pass

    def offer(self, view: DuelView) -> Action:
        """Return the offer that is best on average: a gift that helps least, or a bluff that will be declined."""
        mine, other = Planner.of(view, view.seat), Planner.of(view, 1 - view.seat)
        active = view.seat == view.active
        turned = mine.numbers(view.turned)
        now = mine.turned(turned) if active else mine.now
        to_plant = () if active else turned  # by the other
        before = other.turned(to_plant)
        best: tuple[float, float, Kind] | None = None
        for kind in view.rules.number:
            if kind in view.offered:
                continue
            (number,) = mine.numbers((kind,))
            gains = other.turned(to_plant, gift=number) - before
            if active and number in turned:
                at = turned.index(number)
                given = mine.turned((*turned[:at], *turned[at + 1 :])) - now - gains
            elif kind in view.hand:
                given = -LATER * (mine.best((number,)).value - mine.now) - gains
            else:
                given = CALLED
            taken = 1 / (1 + math.exp(-STEEP * (gains - self._least)))
            best = max(best or (-math.inf, 0.0, kind), (taken * given + (1 - taken) * GOING_ON, gains, kind))
        assert best  # somebody is asked for an offer while there is a kind to offer
        self._offered = best[1]
        return OfferGift(best[2])

    def answer(self, view: DuelView) -> Action:
        """Accept what is worth more than to decline, which means to make an offer, unless all kinds were offered."""
        assert view.offer
        mine, other = Planner.of(view, view.seat), Planner.of(view, 1 - view.seat)
        (number,) = mine.numbers((view.offer,))
        if view.seat == view.active:
            turned = mine.numbers(view.turned)
            gains = mine.turned(turned, gift=number) - mine.turned(turned)
        else:
            hand = mine.numbers(view.hand[:2])
            gains = mine.best((number, *hand), ordered=True).value - mine.best(hand, ordered=True).value
        loses = other.best((number,)).value - other.now
        self._suspicion = chance_of_bluff(view, view.offer)
        bluff = min(1.0, self._suspicion * FEAR * self._caught / self._suspected)
        worth = bluff * CAUGHT + (1 - bluff) * (gains + THEIRS * loses)
        last = len(view.offered) == len(view.rules.number)
        return AcceptGift() if worth > (0 if last else -HAVING_TO_OFFER) else DeclineGift()


def chance_of_bluff(view: DuelView, kind: Kind) -> float:
    """Return the chance that the other, knowing no better than chance, holds no card of `kind`."""
    other = 1 - view.seat
    if other == view.active and kind in view.turned:
        return 0.0
    seen = view.hand.count(kind) + view.turned.count(kind)
    seen += view.discard[list(view.rules.number).index(kind)]
    seen += sum(column.cards.count(kind) for fields in view.fields for column in fields)
    hidden = view.pile + view.hand_sizes[other] + sum(view.dollars)
    share = (view.rules.number[kind] - seen) / max(1, hidden)
    return float(max(0.0, 1 - share) ** view.hand_sizes[other])
