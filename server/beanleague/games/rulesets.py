"""Every game that can be played, by the id that users type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from beanleague.games.core.errors import UnknownRulesetError, shown, suggestion
from beanleague.games.families import FAMILIES, family_of_ruleset
from beanleague.games.lazy import OnDemand

if TYPE_CHECKING:
    from beanleague.games.core.game import Game, Hidden, Option, Ruleset, View

_IDS = [name for family in FAMILIES for name in family.ruleset_ids]


def rulesets() -> tuple[Ruleset, ...]:
    """Return every ruleset."""
    return tuple(map(ruleset, _IDS))


def ruleset(name: str) -> Ruleset:
    """Return the ruleset called `name`.

    Raises:
        UnknownRulesetError: if there is no such ruleset.
    """
    try:
        return _RULESETS[name]
    except KeyError:
        raise _unknown(name) from None


def points_per_dollar(name: str) -> int:
    """Return `Family.dollar` of the ruleset called `name`, without loading its game.

    Raises:
        UnknownRulesetError: if there is no such ruleset.
    """
    family = family_of_ruleset(name)
    if family is None:
        raise _unknown(name)
    return family.dollar


def new_game(name: str, *, seats: int, seed: bytes, options: Mapping[str, Option] | None = None) -> Game:
    """Set up a game and deal.

    `seed` is 1 to 64 bytes that decide all chance. `options`: see `Ruleset.options` and `Ruleset.interludes`.

    Raises:
        UnknownRulesetError: if there is no ruleset called `name`.
        SetupError: if the ruleset does not allow this number of seats, or the seed or an option is bad.
    """
    return ruleset(name).new(seats, seed, options or {})


def game_from_view(view: View, hidden: Hidden, seed: bytes) -> Game:
    """Return a game that looks like `view` to its seat, with all that it does not show as in `hidden`.

    See `Game.from_view`. `beanbot.search` guesses what is hidden.

    Raises:
        SetupError: if the seat is not asked, `seed` is bad, or `hidden` does not fit the view.
    """
    return ruleset(view.rules.ruleset).from_view(view, hidden, seed)


def _find(name: str) -> Ruleset:
    family = family_of_ruleset(name)
    if family is None:
        raise KeyError(name)
    return next(ruleset for ruleset in family.rulesets if ruleset.id == name)


def _unknown(name: str) -> UnknownRulesetError:
    return UnknownRulesetError(f"unknown ruleset {shown(name)}; {suggestion(name, _IDS)}")


_RULESETS = OnDemand(_find)
