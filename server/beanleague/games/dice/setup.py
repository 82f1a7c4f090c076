"""What is worked out once for a ruleset, table size and deck, and the option of the dice games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.game import Option
from beanleague.games.core.kinds import Kind
from beanleague.games.core.options import check_option_names
from beanleague.games.dice.orders import Code, covers, needs
from beanleague.games.dice.rules import DiceRules, dice_ruleset


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Tables for the engine, so that nothing is worked out twice while games are played.

    `faces[die]`: the six faces of a die, as positions in the kinds of the rules. `digits[kind]`: one bean of a kind
    as a code. `names[kind]`: its name; `names[-1]` is None. `needs[card][order]`: see `needs`. `all_dice`: their
    numbers.
    """

    rules: DiceRules
    faces: tuple[tuple[int, ...], ...]
    digits: tuple[Code, ...]
    names: tuple[Kind | None, ...]
    needs: tuple[tuple[tuple[Code, ...], ...], ...]
    all_dice: tuple[int, ...]
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


@lru_cache(maxsize=64, typed=True)  # 2.0 seats are no table, though they equal 2
def tables(ruleset: str, seats: int, deck: str | None) -> Tables:
    """Return the tables for `ruleset` with `seats` seats and the deck in the text `deck`, or the standard deck.

    Raises:
        UnknownRulesetError, SetupError: as for `DiceRuleset.rules`.
    """
    rules = dice_ruleset(ruleset).rules(seats, deck)
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
