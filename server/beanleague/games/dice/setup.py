"""Lookup tables for each ruleset, table size and deck, and the option of the dice games."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from beanleague.games.core.errors import SetupError, check_option_names, shown
from beanleague.games.core.game import Option
from beanleague.games.core.kinds import Kind
from beanleague.games.dice.orders import Code, covers, needs
from beanleague.games.dice.rules import DiceRules, dice_ruleset


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Lookup tables for the engine, computed once for all games with the same rules and deck."""

    rules: DiceRules
    """The rules."""
    faces: tuple[tuple[int, ...], ...]
    """`faces[die]`: the six faces of a die, as indices in `rules.kinds`."""
    digits: tuple[Code, ...]
    """`digits[kind]`: the code of one bean of a kind."""
    names: tuple[Kind | None, ...]
    """`names[kind]`: the name of a kind; `names[-1]` is None."""
    needs: tuple[tuple[tuple[Code, ...], ...], ...]
    """`needs[card][order]`: the codes that meet an order, as the function `needs` returns them."""
    all_dice: tuple[int, ...]
    """The index of every die."""
    _met: tuple[dict[Code, int], ...] = field(repr=False)

    def met(self, card: int, beans: Code) -> int:
        """Return the orders of `card` that `beans` meet, as a bit mask; bit 0 is the lowest order."""
        known = self._met[card]
        found = known.get(beans)
        if found is None:
            found = sum(
                1 << i for i, order in enumerate(self.needs[card]) if any(covers(beans, need) for need in order)
            )
            known[beans] = found
        return found


@lru_cache(maxsize=64, typed=True)  # typed: 2.0 seats must be refused although 2.0 == 2
def tables(ruleset: str, seats: int, deck: str | None) -> Tables:
    """Return the tables for `ruleset` with `seats` seats and the deck in the text `deck`, or the standard deck.

    Raises:
        UnknownRulesetError, SetupError: as for `DiceRuleset.rules`.
    """
    return _tables(dice_ruleset(ruleset).rules(seats, deck))


def tables_of(rules: DiceRules) -> Tables:
    """Return the tables for `rules`, made once for this very object: comparing the cards of two takes long."""
    for known in _BY_RULES:
        if known.rules is rules:
            return known
    made = _tables(rules)
    _BY_RULES.appendleft(made)
    return made


_BY_RULES: deque[Tables] = deque(maxlen=16)


def _tables(rules: DiceRules) -> Tables:
    return Tables(
        rules=rules,
        faces=tuple(tuple(rules.kinds.index(kind) for kind in faces) for faces in rules.dice),
        digits=tuple(1 << 4 * kind for kind in range(len(rules.kinds))),
        names=(*rules.kinds, None),
        needs=tuple(tuple(needs(order, rules.kinds) for order in card.orders) for card in rules.cards),
        all_dice=tuple(range(len(rules.dice))),
        _met=tuple({} for _ in rules.cards),
    )


def dice_options(options: Mapping[str, Option]) -> dict[str, Option]:
    """Return the options of a dice game.

    `deck`: the text of a deck, see `beanleague.games.dice.deck` (default: the standard deck).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    check_option_names(options, ("deck",))
    if "deck" in options and not isinstance(options["deck"], str):
        raise SetupError(f"deck must be the text of a deck in TOML, not {shown(options['deck'])}")
    return dict(options)
