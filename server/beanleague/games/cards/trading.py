"""Checks of what is said in a trade. Each raises `IllegalActionError` with a sentence for the bot's author."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Collection

from beanleague.games.errors import IllegalActionError
from beanleague.games.kinds import Kind


def check_positions(positions: tuple[int, ...], cards: int, where: str) -> None:
    """Check that `positions` are ascending positions among `cards` cards lying in `where`."""
    before = -1
    for position in positions:
        if type(position) is not int or not before < position < cards:
            _refuse_positions(positions, cards, where)
        before = position


def check_kinds(kinds: tuple[Kind, ...], known: Collection[Kind]) -> None:
    """Check that all of `kinds` are among `known`."""
    for kind in kinds:
        if kind not in known:
            raise IllegalActionError(f"{kind!r} is not a kind in this game; there are: {', '.join(known)}")


def check_addressed(to: tuple[int, ...], seat: int, seats: int) -> None:
    """Check that `to` names other seats than `seat`, at least one, ascending."""
    if not to:
        raise IllegalActionError("an offer or a call must address at least one other seat")
    check_positions(to, seats, "seats")
    if seat in to:
        raise IllegalActionError(f"seat {seat} cannot address itself")


def check_given(given: list[Kind], wanted: tuple[Kind, ...]) -> None:
    """Check that the kinds `given` are exactly the kinds `wanted`, in any order."""
    if len(given) == len(wanted) == 1:
        if given[0] == wanted[0]:
            return
    elif sorted(given) == sorted(wanted):
        return
    raise IllegalActionError(f"the cards given are {_told(given)}, but {_told(wanted)} must be given")


def _refuse_positions(positions: tuple[int, ...], cards: int, where: str) -> None:
    have = f"positions 0 to {cards - 1}" if cards else "no positions"
    raise IllegalActionError(
        f"{positions!r} must be ascending whole numbers without repeats among the {where}, which have {have}"
    )


def _told(kinds: Collection[Kind]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(Multiset(kinds).items())) or "nothing"
