"""What the views of the duel do not show."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from beanleague.games.core.errors import SetupError
from beanleague.games.core.game import Hidden, Option
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class DuelHidden(Hidden):
    """What a view of the duel does not show. All other cards are in the piles."""

    hand: tuple[Kind, ...]
    """The other seat's hand, the first card planted first."""
    dollars: tuple[Kind, ...]
    """The kinds of all beans that became dollars of either seat."""
    bohnus: tuple[int, ...]
    """The other seat's bo(h)nus cards."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """The options of the game."""


def left_of(deck: Sequence[Kind], gone: Iterable[Kind], count: int) -> bytearray:
    """Return, for each card of `deck`, 1 if it is left when cards of the kinds `gone` are taken out.

    Raises:
        SetupError: if they are not all in it, or not `count` cards are left.
    """
    taken = Multiset(gone)
    left = bytearray(len(deck))
    for card, kind in enumerate(deck):
        if taken[kind]:
            taken[kind] -= 1
        else:
            left[card] = 1
    if taken.total() or left.count(1) != count:
        raise SetupError(f"view and hidden cards leave {left.count(1)} cards for the pile, which has {count}")
    return left
