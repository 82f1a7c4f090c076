"""Answering an offer: accept it, propose something better, or decline."""

from __future__ import annotations

from collections.abc import Iterator

from scales import Scales

from beanbot.bohnanza import Accept, Action, BohnanzaView, Counter, Decline, Kind, Offered

LEAST_GAIN = 0.03  # dollars; for less, nobody should trade
GENEROSITY = 0.5  # weight of the other's gain: being the one that is picked, and next time too, is worth something


def answer(view: BohnanzaView, scales: Scales) -> Action:
    """Return the best answer to the offer of `view`."""
    offer = view.offer
    assert offer is not None
    best: tuple[float, Action] = (0.0, Decline())
    accepting = _accept(view, offer)
    if accepting is not None:
        mine = scales.mine(offer.gives, accepting.hand)
        if mine > LEAST_GAIN:
            best = mine + GENEROSITY * max(scales.theirs(view.active, offer.wants, offer.turned), 0.0), accepting
    for counter, gives, gets in _counters(view, offer):
        theirs = scales.theirs(view.active, gives, counter.turned)
        if theirs < LEAST_GAIN:
            continue
        mine = scales.mine(gets, counter.hand)
        if mine >= LEAST_GAIN and mine + GENEROSITY * theirs > best[0]:
            best = mine + GENEROSITY * theirs, counter
    return best[1]


def _accept(view: BohnanzaView, offer: Offered) -> Accept | None:
    """Return how to accept, giving the last cards of the kinds wanted, or None if it cannot be accepted."""
    if not (offer.gives or offer.wants):
        return None
    given = positions(view.hand, offer.wants)
    return None if given is None else Accept(given)


def positions(hand: tuple[Kind, ...], wants: tuple[Kind, ...]) -> tuple[int, ...] | None:
    """Return the positions, ascending, of the last cards in `hand` that are the kinds `wants`, None if they are not."""
    found: list[int] = []
    for kind in wants:
        at = next((i for i in reversed(range(len(hand))) if hand[i] == kind and i not in found), None)
        if at is None:
            return None
        found.append(at)
    return tuple(sorted(found))


def _counters(view: BohnanzaView, offer: Offered) -> Iterator[tuple[Counter, tuple[Kind, ...], tuple[Kind, ...]]]:
    """Yield counters with the kinds given and got: at most one card of mine, for what lies open or is offered."""
    one_of_mine: list[tuple[tuple[int, ...], tuple[Kind, ...]]] = [((), ())]
    one_of_mine += [((i,), (kind,)) for i, kind in enumerate(view.hand) if kind not in view.hand[:i]]
    turned = range(len(view.turned))
    for_me: list[tuple[tuple[int, ...], tuple[Kind, ...]]] = [((i,), ()) for i in turned]
    if len(turned) > 1:
        for_me.append((tuple(turned), ()))
    for_me += [((), (kind,)) for kind in dict.fromkeys(offer.gives[len(offer.turned) :])]
    for hand, gives in one_of_mine:
        if hand:
            yield Counter(hand), gives, ()
        for taken, wants in for_me:
            gets = tuple([view.turned[i] for i in taken]) + wants
            if not (gives and gives[0] in gets):
                yield Counter(hand, taken, wants), gives, gets
