"""The rules of the duel as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from beanleague.games.core.errors import SetupError, check_option_names, shown
from beanleague.games.core.game import Option
from beanleague.games.core.kinds import Kind, KindRule, all_kinds
from beanleague.games.core.phased_game import interludes_option
from beanleague.games.duel.bohnus import MAX_SYMBOLS, BohnusCard, read_deck, standard_deck
from beanleague.games.duel.column import Column

DUEL = "duel"
SEATS = 2
_NOT_IN_PLAY = frozenset({"cocoa", "wax", "coffee"})


@dataclass(frozen=True, slots=True)
class DuelRules:
    """The rules of a duel."""

    kinds: tuple[KindRule, ...]
    """The kinds in play, lowest number first."""
    bohnus: tuple[BohnusCard, ...]
    """The bo(h)nus cards. Everywhere else, a bo(h)nus card is given by its index here."""
    ruleset: str = DUEL
    """The id of the ruleset."""
    seats: int = SEATS
    """The number of seats."""
    fields: int = 3
    """Fields per player."""
    start_dollars: int = 3
    """Bean cards dealt to each player as first dollars."""
    start_hand: int = 5
    """Bean cards dealt to each player's hand."""
    start_bohnus: int = 3
    """Bo(h)nus cards dealt to each player, and the number drawn up to in phase 4."""
    turned: int = 3
    """Cards turned over in phase 2."""
    draws: int = 2
    """Beans drawn in phase 4."""
    number: Mapping[Kind, int] = field(init=False, compare=False, repr=False)
    """The number of each kind, which is also how many cards of it there are."""
    deck: tuple[Kind, ...] = field(init=False, compare=False, repr=False)
    """The kind of every bean card."""
    _met: dict[tuple[int, ...], frozenset[int]] = field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", {kind.name: kind.cards for kind in self.kinds})
        object.__setattr__(self, "deck", tuple(kind.name for kind in self.kinds for _ in range(kind.cards)))

    def kind(self, name: Kind) -> KindRule:
        """Return the kind called `name`.

        Raises:
            KeyError: if it is not in play.
        """
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    @property
    def cards(self) -> int:
        """How many bean cards are in play."""
        return sum(kind.cards for kind in self.kinds)

    def may_follow(self, kind: Kind, last: Kind | None) -> bool:
        """Return whether `kind` may be planted on top of `last`: if it has the same or the next higher number."""
        return last is None or 0 <= self.number[kind] - self.number[last] <= 2

    def met_by(self, column: Column) -> frozenset[int]:
        """Return the numbers of the bo(h)nus cards that the field `column` fulfils."""
        tail = column.runs[-MAX_SYMBOLS:]
        met = self._met.get(tail)
        if met is None:
            met = frozenset(i for i, card in enumerate(self.bohnus) if column.ends_with(card.sequence))
            self._met[tail] = met
        return met

    def dollars(self, last: Kind, cards: int) -> int:
        """Return the dollars that a field of `cards` beans earns whose last bean is of kind `last`."""
        return self.kind(last).dollars(cards)


def duel_options(options: Mapping[str, Option]) -> dict[str, Option]:
    """Return the options of a duel.

    `deck`: the text of a deck of bo(h)nus cards (default: the standard deck). `interludes`: the seats asked between
    turns (default: none).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    check_option_names(options, ("deck", "interludes"))
    if not isinstance(options.get("deck", ""), str):
        raise SetupError(f"deck must be the text of a deck in TOML, not {shown(options['deck'])}")
    return {**options, "interludes": interludes_option(options, SEATS)}


def duel_rules(options: Mapping[str, Option], seats: int) -> DuelRules:
    """Return the rules of a duel with checked `options`.

    Raises:
        SetupError: if the deck is bad or `seats` is not 2.
    """
    if type(seats) is not int or seats != SEATS:
        raise SetupError(f"{DUEL} is for {SEATS} seats, not {shown(seats)}")
    return _rules(str(options["deck"]) if "deck" in options else standard_deck())


@lru_cache(maxsize=16)
def _rules(deck: str) -> DuelRules:
    kinds = tuple(kind for kind in all_kinds() if kind.name not in _NOT_IN_PLAY)
    return DuelRules(kinds, read_deck(deck, kinds))
