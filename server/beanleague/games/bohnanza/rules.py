"""Rules of the card games as data, hidden parts of their states, and assignment of concrete cards to kinds."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

from beanleague.games.core.game import Hidden, Kind, KindRule, Option, SetupError, brief
from beanleague.games.core.kinds import KindsInPlay, all_kinds, data_table
from beanleague.games.core.values import dataclass, field


@dataclass(frozen=True, slots=True)
class CardRules(KindsInPlay):
    """The rules of one ruleset at one table size."""

    ruleset: str
    """The id of the ruleset."""
    seats: int
    """The number of seats."""
    kinds: tuple[KindRule, ...]
    """The kinds in play, rarest first."""
    fields: int
    """Fields per player at the start."""
    start_hands: tuple[int, ...]
    """Cards dealt, per seat."""
    draws: int
    """Cards drawn at the end of a turn."""
    turned: int
    """Cards turned over in a turn."""
    run_outs: int
    """Number of times the draw pile must run out to end the game."""
    field_price: int = 0
    """Price in dollars of an extra field, once per player; 0 if none is sold."""
    all_draw: bool = False
    """Whether every player draws at the end of a turn, not only the active one."""
    hand_breaks_ties: bool = False
    """Whether the larger hand breaks ties in dollars, with a shared place if hands are equal. If not, the tied player
    furthest clockwise from seat 0 is better."""


@dataclass(frozen=True, slots=True, eq=False)
class CardRuleset:
    """Ruleset of the card games, with its rules for each number of players."""

    id: str
    """Id of the ruleset."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    tables: Mapping[int, CardRules]
    """The rules by number of players."""

    @property
    def least_seats(self) -> int:
        """Minimum number of players."""
        return min(self.tables)

    @property
    def most_seats(self) -> int:
        """Maximum number of players."""
        return max(self.tables)

    def rules(self, seats: int) -> CardRules:
        """Return the rules for `seats` players.

        Raises:
            SetupError: if the ruleset is not for this number of players.
        """
        if type(seats) is not int or seats not in self.tables:
            least, most = self.least_seats, self.most_seats
            number = f"{least} to {most}" if least < most else f"{least}"
            raise SetupError(f"{self.id} is for {number} seats, not {brief(seats)}")
        return self.tables[seats]


@cache
def card_rulesets() -> Mapping[str, CardRuleset]:
    """Return the rulesets of the card games by their ids, from `data/card_games.toml`."""
    return {
        name: CardRuleset(
            name,
            row["source"],
            row["summary"],
            {int(seats): _rules(name, int(seats), **table) for seats, table in row["tables"].items()},
        )
        for name, row in data_table("card_games.toml").items()
    }


def _rules(
    ruleset: str, seats: int, *, removed: Collection[Kind], dealt: Iterable[int] = (), **others: Any
) -> CardRules:
    """Return the rules of a table in the data file. `others`: further fields of `CardRules`."""
    return CardRules(
        ruleset=ruleset,
        seats=seats,
        kinds=tuple(kind for kind in all_kinds() if kind.name not in removed),
        start_hands=tuple(dealt) or (5,) * seats,
        **{"draws": 3, "turned": 2, "run_outs": 3, **others},
    )


@dataclass(frozen=True, slots=True)
class CardsHidden(Hidden):
    """Hidden part of a card game with one kind per field; all cards not named are in the pile."""

    hands: tuple[tuple[Kind, ...], ...]
    """Per seat: the hand, the card to be planted first at the front; the viewing seat's entry is ignored."""
    dollars: tuple[tuple[Kind, ...], ...]
    """Per seat: the kinds of its dollar cards, in the order earned."""
    left: tuple[Kind, ...] = ()
    """In the game for two: kinds of the cards that were paid for fields and so left the game."""
    given: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """In games with trading: hand positions of the cards that other seats give, in the offer and answers of the
    view."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """The options of the game."""


def take(cards: list[int], positions: tuple[int, ...]) -> list[int]:
    """Take the cards at `positions` (ascending) out of `cards`."""
    taken = [cards[i] for i in positions]
    for i in reversed(positions):
        del cards[i]
    return taken


class CardsOfKinds:
    """Allocator of numbered cards by kind."""

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
        """Return an unallocated card for each of `kinds`."""
        following, cards = self._next, []
        for kind in kinds:
            cards.append(following[kind])
            following[kind] += 1
        return cards

    def alike(self, kind: Kind | None, count: int) -> list[int]:
        """Return `count` unallocated cards of `kind`."""
        if kind is None:
            return []
        first = self._next[kind]
        self._next[kind] = first + count
        return list(range(first, first + count))

    def rest(self, count: int) -> bytearray:
        """Return a byte for each card: 1 if it is not allocated.

        Raises:
            SetupError: if more cards of a kind were allocated than exist, or the rest is not `count` cards.
        """
        left = bytearray(self._cards)
        for kind, end in self._end.items():
            first = self._next[kind]
            if first > end:
                raise SetupError(f"the view and the hidden cards have {first - end} {kind} more than the game")
            left[first:end] = b"\1" * (end - first)
        if left.count(1) != count:
            raise SetupError(
                f"the view and the hidden cards leave {left.count(1)} cards for the draw pile, which has {count}"
            )
        return left
