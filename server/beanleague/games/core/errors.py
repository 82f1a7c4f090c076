"""Errors of the rules engine, each a `GameError`, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice


class GameError(Exception):
    """Base of every error that `beanleague.games` raises on purpose."""


class IllegalActionError(GameError):
    """Raised for an action that the rules do not allow now. The game is unchanged.

    The message says in one sentence what was wrong and what is allowed, for the bot's author.
    """


class UnknownRulesetError(GameError):
    """Raised for a ruleset id that is not one of `rulesets()`."""


class SetupError(GameError):
    """Raised when a game cannot be set up: wrong number of seats, bad seed, or unknown or bad option."""


class RulesVersionError(GameError):
    """Raised for a match or league that needs other rules than this program plays."""


class RecordError(GameError):
    """Raised when a record is malformed; the message begins with the place, e.g. "moves[12].field: ..."."""


def shown(value: object) -> str:
    """Return `value` as short text for an error message; never fails."""
    try:
        return f"{value!r:.80}"
    except Exception as problem:  # noqa: BLE001 - a bot's value may fail in any way
        return f"{type(value).__name__} ({type(problem).__name__} in repr)"


_MAX_LISTED = 12
_MAX_COMPARED = 1000  # strangers may ask for names that do not exist as often as they like


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about a `name` that is none of `known`: the one it is like, or which there are."""
    from difflib import get_close_matches  # bots that make no mistake need not load it

    names = list(islice(known, _MAX_COMPARED))
    similar = get_close_matches(str(name), names, n=1)
    if similar:
        return f"did you mean {similar[0]!r}?"
    more = ", ..." if len(names) > _MAX_LISTED else ""
    return f"there are: {', '.join(names[:_MAX_LISTED]) or 'none'}{more}"


def check_option_names(options: Mapping[str, object], known: tuple[str, ...]) -> None:
    """Check that every option is one of `known`.

    Raises:
        SetupError: if one is not.
    """
    for name in options:
        if name not in known:
            raise SetupError(f"unknown option {shown(name)}; {suggestion(name, known)}")
