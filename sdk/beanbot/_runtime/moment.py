"""Naming a moment of a game for a bot's author."""

from __future__ import annotations

from beanleague.games import View


def moment(view: View) -> str:
    """Return where in the game `view` asks for something: ", turn 3, TRADE"."""
    turn, decision = getattr(view, "turn", None), getattr(view, "decision", None)
    return (f", turn {turn}" if turn is not None else "") + (f", {decision.name}" if decision is not None else "")
