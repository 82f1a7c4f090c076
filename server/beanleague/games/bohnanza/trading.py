"""Checks of offers and answers. Each raises `IllegalActionError` with a message for the bot's author."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Collection, Mapping

from beanleague.games.bohnanza.actions import Counter, Offer
from beanleague.games.core.errors import IllegalActionError, shown
from beanleague.games.core.kinds import Kind

MAX_SIDE = 8
"""Most cards that a side of an offer or counter may name."""


def check_positions(positions: tuple[int, ...], cards: int, where: str) -> None:
    """Check that `positions` are ascending positions among `cards` cards lying in `where`."""
    if type(positions) is not tuple:
        raise IllegalActionError(f"{where} must be given as a tuple of numbers, not {shown(positions)}")
    before = -1
    for position in positions:
        if type(position) is not int or not before < position < cards:
            _refuse_positions(positions, cards, where)
        before = position


def check_kinds(kinds: tuple[Kind, ...], cards_of: Mapping[Kind, int]) -> None:
    """Check that `kinds` could be cards of a game with `cards_of[kind]` cards of each kind."""
    if type(kinds) is not tuple:
        raise IllegalActionError(f"the kinds wanted must be a tuple, not {shown(kinds)}")
    for kind in kinds:
        if type(kind) is not str or kind not in cards_of:
            raise IllegalActionError(f"{shown(kind)} is not a kind in this game; there are: {', '.join(cards_of)}")
    if len(kinds) > 1:
        for kind, cards in cards_of.items():
            if kinds.count(kind) > cards:
                raise IllegalActionError(f"{kinds.count(kind)} {kind} are wanted, but there are only {cards}")


def check_side(cards: int) -> None:
    """Check that a side of an offer or counter may name so many `cards`."""
    if cards > MAX_SIDE:
        raise IllegalActionError(f"each side of an offer or counter names at most {MAX_SIDE} cards, not {cards}")


def check_addressed(to: tuple[int, ...], seat: int, seats: int) -> None:
    """Check that `to` names other seats than `seat`, at least one, ascending."""
    check_positions(to, seats, "seats")
    if not to:
        raise IllegalActionError("an offer or a call must address at least one other seat")
    if seat in to:
        raise IllegalActionError(f"seat {seat} cannot address itself")


def check_offer(offer: Offer, *, seat: int, seats: int, turned: int, hand: int, cards_of: Mapping[Kind, int]) -> None:
    """Check an offer of `seat`, of so many turned-over cards and cards in its hand."""
    check_addressed(offer.to, seat, seats)
    check_positions(offer.turned, turned, "turned-over cards")
    check_positions(offer.hand, hand, "cards in your hand")
    check_kinds(offer.wants, cards_of)
    if not (offer.turned or offer.hand or offer.wants):
        raise IllegalActionError("an offer must give or want something; to ask for offers, call")
    check_side(len(offer.turned) + len(offer.hand))
    check_side(len(offer.wants))


def check_counter(counter: Counter, *, turned: int, hand: int, cards_of: Mapping[Kind, int]) -> None:
    """Check a counter, where so many cards are turned over and in the hand."""
    check_positions(counter.hand, hand, "cards in your hand")
    check_positions(counter.turned, turned, "turned-over cards")
    check_kinds(counter.wants, cards_of)
    if not (counter.hand or counter.turned or counter.wants):
        raise IllegalActionError("a counter must give or want something; to say no, decline")
    check_side(len(counter.hand))
    check_side(len(counter.turned) + len(counter.wants))


def check_given(given: tuple[Kind, ...], wanted: tuple[Kind, ...]) -> None:
    """Check that the kinds `given` are exactly the kinds `wanted`, in any order."""
    if len(given) == len(wanted) == 1:
        if given[0] == wanted[0]:
            return
    elif sorted(given) == sorted(wanted):
        return
    raise IllegalActionError(f"the cards given are {_counted(given)}, but {_counted(wanted)} must be given")


def _refuse_positions(positions: tuple[int, ...], cards: int, where: str) -> None:
    if not cards:
        raise IllegalActionError(f"{shown(positions)} is not possible: there are no {where}")
    raise IllegalActionError(
        f"{shown(positions)} must be numbers of {where} from 0 to {cards - 1}, ascending and without repeats"
    )


def _counted(kinds: Collection[Kind]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(Multiset(kinds).items())) or "nothing"
