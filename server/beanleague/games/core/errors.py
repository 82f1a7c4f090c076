"""Errors of the rules engine; each is a `GameError`."""

from __future__ import annotations


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
