"""The games as environments for reinforcement learning, with PettingZoo's interface. Requires `beanleague[rl]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from beanleague.extras import installation
from beanleague.games import Option

if TYPE_CHECKING:
    from pettingzoo import AECEnv

__all__ = ["aec"]


def aec(
    ruleset: str,
    seats: int | None = None,
    *,
    options: Mapping[str, Option] | None = None,
    render_mode: str | None = None,
) -> AECEnv:
    """Return the game `ruleset` as an environment of PettingZoo, in which one seat acts at a time.

    The agents are "seat_0", which starts, "seat_1" and so on. An observation is a dictionary: "observation" is a
    `float32` vector of fixed length with everything the seat may know, and "action_mask" an `int8` vector with a 1 for
    each legal action. `env.unwrapped.coding` names the entries of both. Rewards come at the end: the mean over the
    other seats of 1 for each that is behind, -1 for each that is ahead, 0 for a tie; against the Thief, 1 or -1. An
    illegal action ends the game, with a reward of -1 for its agent, as in PettingZoo's own games.

    Args:
        ruleset: The id of the game.
        seats: Seats at the table. Default: the fewest that the game allows.
        options: Options of the game, as in a league.
        render_mode: "ansi": `render` returns the acting seat's view as text. "human": it prints the text.

    Raises:
        ImportError: if PettingZoo is not installed.
        UnknownRulesetError: if the game is unknown.
        SetupError: if the game does not allow this number of seats or these options.
    """
    try:
        from beanbot.env.table import wrapped
    except ModuleNotFoundError as missing:
        raise ImportError(f"environments need {missing.name}; install it with: {installation('rl')}") from None
    return wrapped(ruleset, seats, options or {}, render_mode)
