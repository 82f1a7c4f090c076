"""What a step changed, marked in the picture of the table after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.text import Text

from beanleague.games import Kind

T = TypeVar("T")

CHANGED = "reverse"
"""The style of what changed: visible without colours too."""


def changed(draw: Callable[[T], Text], now: T, before: T) -> Text:
    """Return what `draw` makes of `now`, marked if it makes something else of `before`."""
    drawn = draw(now)
    if drawn.plain != draw(before).plain:
        drawn.stylize(CHANGED)
    return drawn


def new_cards(now: Sequence[Kind], before: Sequence[Kind]) -> int:
    """Return how many cards at the back of the hand `now` were not in the hand `before`."""
    rest = iter(before)
    kept = 0
    while kept < len(now) and now[kept] in rest:  # cards that leave a hand do not change the order of the others
        kept += 1
    return len(now) - kept
