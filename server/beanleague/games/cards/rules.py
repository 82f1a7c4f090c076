"""The rulesets of the trading card games as data (rulings, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from beanleague.games.errors import SetupError, UnknownRulesetError, shown
from beanleague.games.kinds import Kind, KindRule, all_kinds


@dataclass(frozen=True, slots=True)
class CardRules:
    """The rules of one ruleset at one table size.

    `fields`: per player. `start_hand`: cards dealt. `draws`: cards the active player draws in phase 4.
    `turned`: cards turned over in phase 2. `run_outs`: the game ends at this run-out of the draw pile.
    """

    ruleset: str
    seats: int
    kinds: tuple[KindRule, ...]
    fields: int
    start_hand: int
    draws: int
    turned: int
    run_outs: int

    def kind(self, name: Kind) -> KindRule:
        """Return the kind called `name`; KeyError if it is not in play."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)

    @property
    def cards(self) -> int:
        """How many cards are in play."""
        return sum(kind.cards for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class CardRuleset:
    """A ruleset: who can play it and its rules at each table size."""

    id: str
    least_seats: int
    most_seats: int
    source: str
    summary: str
    removed: frozenset[Kind]
    fields: dict[int, int]
    start_hand: int
    draws: int
    run_outs: int

    def rules(self, seats: int) -> CardRules:
        """Return the rules for `seats` players.

        Raises:
            SetupError: the ruleset is not for that many.
        """
        if type(seats) is not int or not self.least_seats <= seats <= self.most_seats:
            raise SetupError(f"{self.id} is for {self.least_seats} to {self.most_seats} seats, not {shown(seats)}")
        return _rules(self.id, seats)


BOHNANZA = CardRuleset(
    id="bohnanza",
    least_seats=3,
    most_seats=5,
    source="Bohnanza (Amigo), base game",
    summary="104 cards of 8 kinds, with trading",
    removed=frozenset({"cocoa", "wax", "coffee"}),
    fields={3: 3, 4: 2, 5: 2},
    start_hand=5,
    draws=3,
    run_outs=3,
)

CARD_RULESETS = {ruleset.id: ruleset for ruleset in (BOHNANZA,)}


def card_rules(ruleset: str, seats: int) -> CardRules:
    """Return the rules of `ruleset` for `seats` players.

    Raises:
        UnknownRulesetError: there is no such card ruleset.
        SetupError: it is not for that many players.
    """
    try:
        found = CARD_RULESETS[ruleset]
    except KeyError:
        raise UnknownRulesetError(f"unknown ruleset {shown(ruleset)}; there are: {', '.join(CARD_RULESETS)}") from None
    return found.rules(seats)


@cache
def _rules(ruleset: str, seats: int) -> CardRules:
    found = CARD_RULESETS[ruleset]
    return CardRules(
        ruleset=ruleset,
        seats=seats,
        kinds=tuple(kind for kind in all_kinds() if kind.name not in found.removed),
        fields=found.fields[seats],
        start_hand=found.start_hand,
        draws=found.draws,
        turned=2,
        run_outs=found.run_outs,
    )
