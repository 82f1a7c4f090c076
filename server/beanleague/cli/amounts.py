"""Amounts of money as people read them."""

from __future__ import annotations

from beanleague.games import UnknownRulesetError, ruleset


def amount(score: int, game: str) -> str:
    """Return the score of a seat in dollars, without the sign, e.g. "7", or "3.40" in a game with cents."""
    try:
        dollar = ruleset(game).dollar
    except UnknownRulesetError:  # the server knows more games than this program
        return str(score)
    return str(score) if dollar == 1 else f"{score / dollar:.2f}"
