"""What the views of the card games do not show, and concrete cards for kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.errors import SetupError
from beanleague.games.core.game import Hidden, Option
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class CardsHidden(Hidden):
    """What a view of a card game whose fields hold one kind each does not show. All other cards are in the pile."""

    hands: tuple[tuple[Kind, ...], ...]
    """Per seat: its hand, the first card planted first; of the seat of the view, anything."""
    dollars: tuple[tuple[Kind, ...], ...]
    """Per seat: the kinds of its dollar cards, in the order earned."""
    left: tuple[Kind, ...] = ()
    """For two: the kinds of the cards paid for fields, which left the game."""
    given: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """With trading: where the hand cards lie that other seats give in the offer and the answers of the view."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """The options of the game."""


class CardsOfKinds:
    """The cards of a game, numbered kind by kind, handed out by kind."""

    def __init__(self, rules: CardRules) -> None:
        self._next: dict[Kind, int] = {}
        self._end: dict[Kind, int] = {}
        end = 0
        for kind in rules.kinds:
            self._next[kind.name] = end
            end += kind.cards
            self._end[kind.name] = end
        self._cards = end

    def of(self, kinds: Iterable[Kind]) -> list[int]:
        """Return a card of each of `kinds`, none of them handed out before."""
        following, cards = self._next, []
        for kind in kinds:
            cards.append(following[kind])
            following[kind] += 1
        return cards

    def alike(self, kind: Kind | None, count: int) -> list[int]:
        """Return `count` cards of `kind`."""
        if kind is None:
            return []
        first = self._next[kind]
        self._next[kind] = first + count
        return list(range(first, first + count))

    def rest(self, count: int) -> bytearray:
        """Return, for each card, 1 if it has not been handed out.

        Raises:
            SetupError: if more cards of a kind were handed out than there are, or not `count` cards are left.
        """
        left = bytearray(self._cards)
        for kind, end in self._end.items():
            first = self._next[kind]
            if first > end:
                raise SetupError(f"view and hidden cards have {first - end} {kind} more than there are")
            left[first:end] = b"\1" * (end - first)
        if left.count(1) != count:
            raise SetupError(f"view and hidden cards leave {left.count(1)} cards for the draw pile, which has {count}")
        return left
