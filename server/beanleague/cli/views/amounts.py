"""Amounts and numbers as people read them."""

from __future__ import annotations

from beanleague.games import UnknownRulesetError, ruleset


def amount(score: int, game: str) -> str:
    """Return the score of a seat in dollars, without the sign, e.g. "7", or "3.40" in a game with cents."""
    try:
        dollar = ruleset(game).dollar
    except UnknownRulesetError:  # the server knows more games than this program
        return str(score)
    return str(score) if dollar == 1 else f"{score / dollar:.2f}"


def counted(number: int, one: str, many: str = "") -> str:
    """Return how many there are of what is called `one`, e.g. "1 deal", "1,200 matches"; `many`: if not `one` + s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def part(done: int, total: int, one: str, many: str = "") -> str:
    """Return how many of all there are, e.g. "1 of 1 deal", "30 of 1,200 deals"."""
    return f"{done:,} of {counted(total, one, many)}"
