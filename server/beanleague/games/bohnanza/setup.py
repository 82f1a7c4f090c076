"""Lookup tables for each ruleset and table size, and the options of the trading card games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.bohnanza.view import EMPTY, Field
from beanleague.games.core.errors import SetupError, check_option_names, shown
from beanleague.games.core.game import Option
from beanleague.games.core.kinds import Kind
from beanleague.games.core.phased_game import interludes_option

DEFAULT_ROUNDS = 6
MAX_ROUNDS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """Lookup tables for the engine, computed once for all games with the same rules."""

    kinds: tuple[Kind, ...]
    """`kinds[card]`: the kind of a card."""
    index: tuple[int, ...]
    """`index[card]`: the index of its kind in the rules."""
    cards_of: Mapping[Kind, int]
    """How many cards of each kind there are."""
    earnings: tuple[tuple[int, ...], ...]
    """`earnings[kind][count]`: dollars for a harvest of `count` cards."""
    filled: tuple[tuple[Field, ...], ...]
    """`filled[kind][count]`: the field that holds `count` cards."""
    empty: Field
    """The field without cards."""


@cache
def deck(rules: CardRules) -> Deck:
    """Return the lookup tables for `rules`."""
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

    `max_rounds`: trade rounds a turn, 0 to 1000 (default 6). `interludes`: the seats offered a harvest between
    turns, ascending (default none).

    Raises:
        SetupError: if an option is unknown or its value is bad.
    """
    check_option_names(options, ("max_rounds", "interludes"))
    rounds = options.get("max_rounds", DEFAULT_ROUNDS)
    if type(rounds) is not int or not 0 <= rounds <= MAX_ROUNDS:
        raise SetupError(f"max_rounds must be a whole number from 0 to {MAX_ROUNDS}, not {shown(rounds)}")
    return {"max_rounds": rounds, "interludes": interludes_option(options, seats)}
