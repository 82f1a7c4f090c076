"""Answering an offer: accept it, propose something better, or decline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from scales import Scales

from beanbot.bohnanza import Accept, Action, BohnanzaView, Counter, Decline, Kind, Offered

Positions: TypeAlias = tuple[int, ...]
Kinds: TypeAlias = tuple[Kind, ...]

MIN_GAIN = 0.03  # dollars that each side must gain by a trade
RIVALRY = 0.25  # dollars lost for each that a partner gains: it is a rival

# The chance that an answer is picked: measured in games of this bot, by what the active player gains in dollars.
CHANCE, CHANCE_PER_DOLLAR, MAX_CHANCE = 0.38, 0.45, 0.9


def expected(mine: float, theirs: float) -> float:
    """Return what an answer is worth, with the chance that it is picked: the better for the other, the likelier."""
    return min(CHANCE + CHANCE_PER_DOLLAR * theirs, MAX_CHANCE) * (mine - RIVALRY * theirs)


def answer(view: BohnanzaView, scales: Scales) -> Action:
    """Return the best answer to the offer of `view`."""
    offer = view.offer
    assert offer is not None
    best: tuple[float, Action] = (0.0, Decline())
    accepting = _accept(view, offer)
    if accepting is not None:
        mine = scales.mine(offer.gives, accepting.hand)
        if mine > MIN_GAIN:
            theirs = max(scales.theirs(view.active, offer.wants, offer.turned), 0.0)
            best = expected(mine, theirs), accepting
    for hand, turned, wants, gives, gets in _counters(view, offer):
        theirs = scales.theirs(view.active, gives, turned)
        if theirs < MIN_GAIN:
            continue
        mine = scales.mine(gets, hand)
        if mine >= MIN_GAIN and expected(mine, theirs) > best[0]:
            best = expected(mine, theirs), Counter(hand, turned, wants)
    return best[1]


def _accept(view: BohnanzaView, offer: Offered) -> Accept | None:
    """Return how to accept, giving the last cards of the kinds wanted; None if the offer cannot be accepted."""
    if not (offer.gives or offer.wants):
        return None
    given = positions(view.hand, offer.wants)
    return None if given is None else Accept(given)


def positions(hand: Kinds, wants: Kinds) -> Positions | None:
    """Return the positions, ascending, of the last cards in `hand` of the kinds `wants`; None if some are missing."""
    found: list[int] = []
    for kind in wants:
        at = next((i for i in reversed(range(len(hand))) if hand[i] == kind and i not in found), None)
        if at is None:
            return None
        found.append(at)
    return tuple(sorted(found))


def _counters(view: BohnanzaView, offer: Offered) -> Iterator[tuple[Positions, Positions, Kinds, Kinds, Kinds]]:
    """Yield counters, at most one own card for cards turned over or offered; then the kinds given and received."""
    hand, turned = view.hand, view.turned
    wanted: list[tuple[Positions, Kinds, Kinds]] = [((i,), (), (kind,)) for i, kind in enumerate(turned)]
    if len(turned) > 1:
        wanted.append((tuple(range(len(turned))), (), turned))
    wanted += [((), (kind,), (kind,)) for kind in dict.fromkeys(offer.gives[len(offer.turned) :])]
    for taken, wants, gets in wanted:
        yield (), taken, wants, (), gets
    for i, kind in enumerate(hand):
        if kind in hand[:i]:
            continue
        yield (i,), (), (), (kind,), ()
        for taken, wants, gets in wanted:
            if kind not in gets:
                yield (i,), taken, wants, (kind,), gets
