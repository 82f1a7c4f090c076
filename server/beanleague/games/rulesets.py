"""Every game that can be played, by the id that users type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from beanleague.games.cards.bohnanza import Bohnanza
from beanleague.games.cards.rules import CARD_RULESETS
from beanleague.games.errors import UnknownRulesetError, shown
from beanleague.games.game import Game, Option


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game one can play. `source`: the rule book; `options`: names and what they mean."""

    id: str
    least_seats: int
    most_seats: int
    source: str
    summary: str
    options: Mapping[str, str]


_TRADING_OPTIONS = {
    "max_rounds": "trade rounds a turn (default 12)",
    "interludes": "seats that are offered a harvest between turns (set by the bots that ask for it)",
}

_RULESETS = {
    rules.id: Ruleset(rules.id, rules.least_seats, rules.most_seats, rules.source, rules.summary, _TRADING_OPTIONS)
    for rules in CARD_RULESETS.values()
}


def rulesets() -> tuple[Ruleset, ...]:
    """Return every ruleset."""
    return tuple(_RULESETS.values())


def ruleset(name: str) -> Ruleset:
    """Return the ruleset called `name`.

    Raises:
        UnknownRulesetError: there is none.
    """
    try:
        return _RULESETS[name]
    except KeyError:
        raise UnknownRulesetError(f"unknown ruleset {shown(name)}; there are: {', '.join(_RULESETS)}") from None


def new_game(name: str, *, seats: int, seed: bytes, options: Mapping[str, Option] | None = None) -> Game:
    """Set up a game and deal.

    `seed`: 1 to 64 bytes that decide all chance. `options`: see `Ruleset.options`.

    Raises:
        UnknownRulesetError: there is no ruleset called `name`.
        SetupError: it is not for so many seats, or the seed or an option is bad.
    """
    return Bohnanza(ruleset(name).id, seats, seed, options or {})
