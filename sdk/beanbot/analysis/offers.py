"""Missed offers: trades of one card, or of all turned-over cards, for one card or nothing.

Candidates are offers of the quick trader, which sees all hands, in games consistent with the active seat's knowledge.
"""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Sequence

from beanbot.analysis.market import market
from beanbot.policies.trading import MAX_UNANSWERED
from beanleague.games import Event
from beanleague.games.bohnanza import Answered, BohnanzaView, Offer, Offered
from beanleague.games.bohnanza.flat_trading import FlatBohnanza
from beanleague.games.core import TurnStarted

MOST = 3
"""Maximum number of offers considered."""


def left_out(view: BohnanzaView, happened: Sequence[Event], games: Iterable[FlatBohnanza]) -> list[Offer]:
    """Return offers that the active seat of `view` has not made in this turn, likeliest first.

    Offers of turned-over cards are excluded once other seats were asked: each of these could have proposed to take the
    card.

    Args:
        view: Knowledge of the seat.
        happened: All events so far.
        games: Games consistent with the view.
    """
    to = _partners(view, happened)
    judge = market(view.rules)
    found = Multiset(judge.best_offer(game, view.seat, to) for game in games if to)
    kinds = [kind.name for kind in view.rules.kinds]
    offers = [
        Offer(to, turned, hand, tuple([kinds[kind] for kind in wants]))
        for turned, hand, wants in (each for each, _ in found.most_common() if each)
    ]
    asked = _this_turn(happened)
    made = {(offer.gives, offer.wants) for offer in asked}
    new = [offer for offer in offers if (_gives(offer, view), offer.wants) not in made and not (asked and offer.turned)]
    return new[:MOST]


def _gives(offer: Offer, view: BohnanzaView) -> tuple[str, ...]:
    return (*[view.turned[card] for card in offer.turned], *[view.hand[card] for card in offer.hand])


def _this_turn(happened: Sequence[Event]) -> list[Offered]:
    """Return the offers made in this turn."""
    rounds = []
    for event in reversed(happened):
        if isinstance(event, TurnStarted):
            break
        if isinstance(event, Offered):
            rounds.append(event)
    return rounds


def _partners(view: BohnanzaView, happened: Sequence[Event]) -> tuple[int, ...]:
    """Return the other seats that have answered offers, or have declined few so far."""
    answers = Multiset((event.seat, event.answer != "decline") for event in happened if isinstance(event, Answered))
    return tuple(
        [
            seat
            for seat in range(view.rules.seats)
            if seat != view.seat and (answers[seat, True] or answers[seat, False] < MAX_UNANSWERED)
        ]
    )
