"""The rules of the duel as data (rulings, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.game import Option
from beanleague.games.core.interludes import interludes_option
from beanleague.games.core.kinds import Kind, KindRule, all_kinds
from beanleague.games.core.options import check_option_names
from beanleague.games.duel.bohnus import MOST_SYMBOLS, BohnusCard, own_deck, read_deck
from beanleague.games.duel.column import Column


@dataclass(frozen=True, slots=True)
class DuelRuleset:
    """The ruleset: who can play it and where it comes from."""

    id: str
    least_seats: int
    most_seats: int
    source: str
    summary: str


DUEL_RULESET = DuelRuleset(
    id="duel",
    least_seats=2,
    most_seats=2,
    source="Bohnanza: The Duel (Amigo)",
    summary="104 cards of 8 kinds for two, with gifts, bluffs and bo(h)nus cards",
)
_NOT_IN_PLAY = frozenset({"cocoa", "wax", "coffee"})


@dataclass(frozen=True, slots=True)
class DuelRules:
    """The rules of a duel.

    `kinds`: in play, lowest number first. `bohnus`: the bo(h)nus cards, told by their place here everywhere else.
    `fields`: per player. `start_dollars`, `start_hand`: bean cards dealt to each.
    `start_bohnus`: bo(h)nus cards dealt to each, and drawn up to in phase 4.
    `turned`: cards turned over in phase 2. `draws`: beans drawn in phase 4.
    `number`: of each kind, how many cards of it there are. `deck`: the kind of every bean card.
    """

    kinds: tuple[KindRule, ...]
    bohnus: tuple[BohnusCard, ...]
    ruleset: str = DUEL_RULESET.id
    seats: int = DUEL_RULESET.most_seats
    fields: int = 3
    start_dollars: int = 3
    start_hand: int = 5
    start_bohnus: int = 3
    turned: int = 3
    draws: int = 2
    number: Mapping[Kind, int] = field(init=False, compare=False, repr=False)
    deck: tuple[Kind, ...] = field(init=False, compare=False, repr=False)
    _met: dict[tuple[int, ...], frozenset[int]] = field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "number", {kind.name: kind.cards for kind in self.kinds})
        object.__setattr__(self, "deck", tuple(kind.name for kind in self.kinds for _ in range(kind.cards)))

    def kind(self, name: Kind) -> KindRule:
        """Return the kind called `name`; KeyError if it is not in play."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    @property
    def cards(self) -> int:
        """How many bean cards are in play."""
        return sum(kind.cards for kind in self.kinds)

    def may_follow(self, kind: Kind, last: Kind | None) -> bool:
        """Return whether `kind` may be planted where `last` was planted last: the same or the next higher number."""
        return last is None or 0 <= self.number[kind] - self.number[last] <= 2

    def met_by(self, column: Column) -> frozenset[int]:
        """Return the bo(h)nus cards that could be fulfilled with a field that is `column`."""
        tail = column.runs[-MOST_SYMBOLS:]
        met = self._met.get(tail)
        if met is None:
            met = frozenset(i for i, card in enumerate(self.bohnus) if column.ends_with(card.sequence))
            self._met[tail] = met
        return met

    def dollars(self, last: Kind, cards: int) -> int:
        """Return the dollars that a field of `cards` beans earns, of which the last is of kind `last`."""
        return self.kind(last).dollars(cards)


def duel_options(options: Mapping[str, Option]) -> dict[str, Option]:
    """Return the options of a duel.

    `deck`: the text of a deck of bo(h)nus cards; without it ours is played. `interludes`: the seats that are asked
    between turns, none if it is not given.

    Raises:
        SetupError: an unknown option or a bad value.
    """
    check_option_names(options, ("deck", "interludes"))
    if not isinstance(options.get("deck", ""), str):
        raise SetupError(f"deck must be the text of a deck in TOML, not {shown(options['deck'])}")
    return {**options, "interludes": interludes_option(options, DUEL_RULESET.most_seats)}


def duel_rules(options: Mapping[str, Option], seats: int) -> DuelRules:
    """Return the rules of a duel with checked `options`.

    Raises:
        SetupError: the deck is bad, or it is not for two.
    """
    if type(seats) is not int or seats != DUEL_RULESET.most_seats:
        raise SetupError(f"{DUEL_RULESET.id} is for {DUEL_RULESET.most_seats} seats, not {shown(seats)}")
    return _rules(str(options["deck"]) if "deck" in options else own_deck())


@lru_cache(maxsize=16)
def _rules(deck: str) -> DuelRules:
    kinds = tuple(kind for kind in all_kinds() if kind.name not in _NOT_IN_PLAY)
    return DuelRules(kinds, read_deck(deck, kinds))
