"""Errors the rules engine raises; every one is a `GameError`."""

from __future__ import annotations


class GameError(Exception):
    """Base of every error that `beanleague.games` raises on purpose."""


class IllegalActionError(GameError):
    """An action the rules do not allow now; the game is as it was before.

    The message is one sentence for a bot's author: what was wrong and what would have been allowed.
    """


class UnknownRulesetError(GameError):
    """The ruleset id is not one of `rulesets()`."""


class SetupError(GameError):
    """A game cannot be set up: wrong number of seats, a bad seed, or an unknown or bad option."""


class RecordError(GameError):
    """A record is not what a record is; the message begins with the place, e.g. "moves[12].field: ..."."""


def shown(value: object) -> str:
    """Return `value` for an error message, however large or odd it is."""
    try:
        return f"{value!r:.80}"
    except Exception as problem:  # noqa: BLE001 - a bot's value may fail in any way
        return f"{type(value).__name__} ({type(problem).__name__} when shown)"
