"""The version of the rules: of all rulesets together, so that a record says by which of them it was played."""

from __future__ import annotations

from beanleague.games.core.errors import RulesVersionError

RULES_VERSION = 2
"""The version that this program plays. It rises when equal moves no longer give equal events in some ruleset."""


def check_rules_version(version: int, what: str) -> None:
    """Check that `what`, e.g. "the league spring", is of the version that this program plays.

    Raises:
        RulesVersionError: if it is not.
    """
    if version != RULES_VERSION:
        age = "a newer" if version > RULES_VERSION else "an earlier"
        raise RulesVersionError(
            f"{what} needs rules {version}, but this Beanleague plays rules {RULES_VERSION}; use {age} Beanleague"
        )
