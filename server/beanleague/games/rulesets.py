"""Every game that can be played, by the id that users type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.bohnanza.rules import CARD_RULESETS
from beanleague.games.core.errors import UnknownRulesetError, shown
from beanleague.games.core.game import Game, Option
from beanleague.games.dice.game import DiceGame
from beanleague.games.dice.rules import DICE_RULESETS
from beanleague.games.dice.thief import BeanThief
from beanleague.games.duel.game import Duel
from beanleague.games.duel.rules import DUEL_RULESET
from beanleague.games.two.game import TWO, BohnanzaTwo


class _Told(Protocol):
    """What the rules of a family say of a ruleset."""

    @property
    def id(self) -> str: ...
    @property
    def least_seats(self) -> int: ...
    @property
    def most_seats(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def summary(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game that can be played."""

    id: str
    """Its id, as users type it."""
    least_seats: int
    """The smallest number of seats."""
    most_seats: int
    """The largest number of seats."""
    source: str
    """The rule book."""
    summary: str
    """A description in one line."""
    options: Mapping[str, str]
    """Its options: names and descriptions."""
    interludes: bool = False
    """Whether bots may ask to act between turns. The option of this name is set by the seats that do, not by users."""
    dollar: int = 1
    """What a dollar counts in scores: 100 in the duel, else 1."""


_New: TypeAlias = Callable[[int, bytes, Mapping[str, Option]], Game]
"""Sets up a game, given seats, seed and options."""

_RULESETS: dict[str, Ruleset] = {}
_NEW: dict[str, _New] = {}


def _add(told: _Told, new: _New, options: Mapping[str, str], *, interludes: bool = False, dollar: int = 1) -> None:
    _RULESETS[told.id] = Ruleset(
        told.id, told.least_seats, told.most_seats, told.source, told.summary, options, interludes, dollar
    )
    _NEW[told.id] = new


_TRADING = {"max_rounds": "trade rounds a turn (default 12)"}
_DECK = {"deck": "cards of your own, deck=FILE; see docs/decks.md"}

for _cards in CARD_RULESETS.values():
    if _cards.id == TWO:
        _add(_cards, BohnanzaTwo, {})
    else:
        _add(_cards, partial(Bohnanza, _cards.id), _TRADING, interludes=True)
_add(DUEL_RULESET, Duel, _DECK, interludes=True, dollar=100)
for _dice in DICE_RULESETS.values():
    _add(_dice, partial(BeanThief if _dice.thief else DiceGame, _dice.id), _DECK)


def rulesets() -> tuple[Ruleset, ...]:
    """Return every ruleset."""
    return tuple(_RULESETS.values())


def ruleset(name: str) -> Ruleset:
    """Return the ruleset called `name`.

    Raises:
        UnknownRulesetError: if there is no such ruleset.
    """
    try:
        return _RULESETS[name]
    except KeyError:
        raise UnknownRulesetError(f"unknown ruleset {shown(name)}; there are: {', '.join(_RULESETS)}") from None


def new_game(name: str, *, seats: int, seed: bytes, options: Mapping[str, Option] | None = None) -> Game:
    """Set up a game and deal.

    `seed` is 1 to 64 bytes that decide all chance. `options`: see `Ruleset.options` and `Ruleset.interludes`.

    Raises:
        UnknownRulesetError: if there is no ruleset called `name`.
        SetupError: if the ruleset does not allow this number of seats, or the seed or an option is bad.
    """
    return _NEW[ruleset(name).id](seats, seed, options or {})
