"""What is worked out once for a ruleset and table size, and the options of the trading card games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from beanleague.games.cards.rules import CardRules
from beanleague.games.cards.view import EMPTY, Field
from beanleague.games.errors import SetupError, shown
from beanleague.games.game import Option
from beanleague.games.kinds import Kind

MAX_ROUNDS = 12  # rulings, section 3
MOST_ROUNDS = 1000
_OPTIONS = ("max_rounds", "interludes")


@dataclass(frozen=True, slots=True, eq=False)
class Deck:
    """Tables for the engine, so that nothing is worked out while a game is played.

    `kinds[card]`, `index[card]`: kind of a card by name and by number. `cards_of[name]`: cards of a kind.
    `earnings[kind][cards]`: dollars of a harvest. `filled[kind][cards]`: the field that holds so many cards.
    `alone[seat]`: the tuple of just that seat.
    """

    kinds: tuple[Kind, ...]
    index: tuple[int, ...]
    cards_of: Mapping[Kind, int]
    earnings: tuple[tuple[int, ...], ...]
    filled: tuple[tuple[Field, ...], ...]
    empty: Field
    alone: tuple[tuple[int, ...], ...]


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
        alone=tuple((seat,) for seat in range(rules.seats)),
    )


def trading_options(options: Mapping[str, Option], seats: int) -> dict[str, Option]:
    """Return all options of a trading card game, defaults filled in.

    `max_rounds`: trade rounds a turn, 0 to 1000 (default 12). `interludes`: the seats offered a harvest between
    turns, ascending (default none).

    Raises:
        SetupError: an unknown option or a bad value.
    """
    for name in options:
        if name not in _OPTIONS:
            raise SetupError(f"unknown option {shown(name)}; there are: {', '.join(_OPTIONS)}")
    rounds = options.get("max_rounds", MAX_ROUNDS)
    if type(rounds) is not int or not 0 <= rounds <= MOST_ROUNDS:
        raise SetupError(f"max_rounds must be a whole number from 0 to {MOST_ROUNDS}, not {shown(rounds)}")
    interludes = options.get("interludes", ())
    if not isinstance(interludes, tuple) or not _ascending(interludes, seats):
        raise SetupError(f"interludes must be ascending seats from 0 to {seats - 1}, not {shown(interludes)}")
    return {"max_rounds": rounds, "interludes": interludes}


def _ascending(chosen: tuple[object, ...], seats: int) -> bool:
    return all(type(seat) is int for seat in chosen) and chosen == tuple(
        seat for seat in range(seats) if seat in chosen
    )
