"""Gifts: offering, accepting and bluffing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
from beanbot.search.duelist.planning import Planners
from beanleague.games.core.floats import exp, power

# The probability that the opponent accepts a gift is a logistic function of its gain in dollars, fitted to its answers.
STEEP = 5.0  # slope of the logistic function
EVEN_GAIN = -0.3  # initial guess of the gain that is accepted with probability 0.5
LEARN = 0.15  # distance between the gain of an answered gift and the new guess

GOING_ON = 0.3  # dollars: value of having declined, since the opponent must offer next
HAVING_TO_OFFER = 1.0  # dollars: cost of declining, since this seat must offer next
CAUGHT = 2.0  # dollars: value of calling a bluff (one gained, and one lost by the opponent)
CALLED = -1.3  # dollars: value of a bluff that is called; above the true cost, or the bot would hardly ever bluff
LATER = 0.7  # weight of the value lost with a hand card, which would be planted only later
THEIRS = 0.3  # weight of a dollar that the opponent loses by giving a card
FEAR = 0.5  # expected share of real bluffs among possible ones


class GiftOffer(NamedTuple):
    """Possible offer, a gift or a bluff. The more valuable of two offers compares greater."""

    value: float
    """Expected value for the offering seat, in dollars."""
    gains: float
    """Expected gain of the opponent if it accepts, in dollars."""
    kind: Kind


class GiftMerchant:
    """Handles the gifts of a match; learns which gifts the opponent accepts and how often it bluffs."""

    even_gain: float
    """Estimated gain in dollars that the opponent accepts with probability 0.5."""

    def __init__(self, seat: int, planners: Planners, even_gain: float = EVEN_GAIN) -> None:
        self._seat = seat
        self._planners = planners
        self.even_gain = even_gain
        self._offered = 0.0  # estimated gain of the opponent from the gift offered last
        self._suspicion = 0.0  # probability that the offer answered last was a bluff
        self._suspected = 1.0  # expected number of bluffs by the opponent
        self._caught = 1.0  # actual number of bluffs by the opponent

    def listen(self, news: Sequence[Event]) -> None:
        """Learn from the events since the last decision."""
        for event in news:
            match event:
                case GiftAccepted(seat=seat) if seat != self._seat:
                    self.even_gain = min(self.even_gain, self._offered - LEARN)
                case GiftDeclined(seat=seat) if seat != self._seat:
                    self.even_gain = max(self.even_gain, self._offered + LEARN)
                case BluffPaid(seat=seat) if seat != self._seat:
                    self._caught += 1
                    self._suspected += self._suspicion
                case GiftGiven(seat=seat) if seat != self._seat:
                    self._suspected += self._suspicion
                case _:
                    pass

    def offers(self, view: DuelView) -> list[GiftOffer]:
        """Return all possible offers, the most valuable first."""
        mine, other = self._planners.of(view, view.seat), self._planners.of(view, 1 - view.seat)
        active = view.seat == view.active
        turned = mine.numbers(view.turned)
        now = mine.turned(turned) if active else mine.now
        to_plant = () if active else turned  # turned-over cards that the opponent plants
        before = other.turned(to_plant)
        offers: list[GiftOffer] = []
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
            taken = 1 / (1 + exp(-STEEP * (gains - self.even_gain)))
            offers.append(GiftOffer(taken * given + (1 - taken) * GOING_ON, gains, kind))
        return sorted(offers, reverse=True)

    def make(self, offer: GiftOffer) -> Action:
        """Return the action for `offer`, and remember the gift's value to learn from the answer."""
        self._offered = offer.gains
        return OfferGift(offer.kind)

    def answer(self, view: DuelView) -> AcceptGift | DeclineGift:
        """Accept the gift if that is better than declining, which forces an offer while kinds are left."""
        assert view.offer
        mine, other = self._planners.of(view, view.seat), self._planners.of(view, 1 - view.seat)
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
    """Return the probability that the opponent has no card of `kind`, given the visible cards."""
    other = 1 - view.seat
    if other == view.active and kind in view.turned:
        return 0.0
    seen = view.hand.count(kind) + view.turned.count(kind)
    seen += view.discard[list(view.rules.number).index(kind)]
    seen += sum(column.cards.count(kind) for fields in view.fields for column in fields)
    hidden = view.pile + view.hand_sizes[other] + sum(view.dollars)
    share = (view.rules.number[kind] - seen) / max(1, hidden)
    return power(max(0.0, 1 - share), view.hand_sizes[other])
