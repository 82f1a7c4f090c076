"""Checks of the options of a game."""

from __future__ import annotations

from collections.abc import Mapping

from beanleague.games.core.errors import SetupError, shown
from beanleague.games.core.game import Option
from beanleague.games.core.similar import suggestion


def check_option_names(options: Mapping[str, Option], known: tuple[str, ...]) -> None:
    """Check that every option is one of `known`.

    Raises:
        SetupError: if one is not.
    """
    for name in options:
        if name not in known:
            raise SetupError(f"unknown option {shown(name)}; {suggestion(name, known)}")
