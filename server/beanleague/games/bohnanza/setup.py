"""What is worked out once for a ruleset and table size, and the options of the trading card games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import EMPTY, Field
from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.game import Option
from beanleague.games.core.interludes import interludes_option
from beanleague.games.core.kinds import Kind
from beanleague.games.core.options import check_option_names

MAX_ROUNDS = 12  # rulings, section 3
MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """Tables for the engine, so that nothing is worked out while a game is played.

    `kinds[card]`, `index[card]`: kind of a card by name and by number. `cards_of[name]`: cards of a kind.
    `earnings[kind][cards]`: dollars of a harvest. `filled[kind][cards]`: the field that holds so many cards.
    """

    kinds: tuple[Kind, ...]
    index: tuple[int, ...]
    cards_of: Mapping[Kind, int]
    earnings: tuple[tuple[int, ...], ...]
    filled: tuple[tuple[Field, ...], ...]
    empty: Field


@cache
def deck(rules: CardRules) -> Deck:
    """Return the tables for `rules`."""
    return Deck(
        kinds=tuple(kind.name for kind in rules.kinds for _ in range(kind.cards)),
        index=tuple(i for i, kind in enumerate(rules.kinds) for _ in range(kind.cards)),
        cards_of={kind.name: kind.cards for kind in rules.kinds},
        earnings=tuple(tuple(map(kind.dollars, range(kind.cards + 1))) for kind in rules.kinds),
        filled=tuple((EMPTY, *(Field(kind.name, count) for count in range(1, kind.cards + 1))) for kind in rules.kinds),
        empty=EMPTY,
    )


def trading_options(options: Mapping[str, Option], seats: int) -> dict[str, Option]:
    """Return all options of a trading card game, defaults filled in.

    `max_rounds`: trade rounds a turn, 0 to 1000 (default 12). `interludes`: the seats offered a harvest between
    turns, ascending (default none).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    check_option_names(options, ("max_rounds", "interludes"))
    rounds = options.get("max_rounds", MAX_ROUNDS)
    if type(rounds) is not int or not 0 <= rounds <= MOST_ROUNDS:
        raise SetupError(f"max_rounds must be a whole number from 0 to {MOST_ROUNDS}, not {shown(rounds)}")
    return {"max_rounds": rounds, "interludes": interludes_option(options, seats)}
