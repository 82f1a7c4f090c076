"""The table of families: how the games of each are drawn and told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from beanleague.cli.replay.steps import Happening, Step, Table
from beanleague.games.families import FAMILIES

_MODULES = {family.view: family.module(__package__) for family in FAMILIES}


def picture(
    table: Table[Any], names: Sequence[str], title: str, width: int, *, cards: int | None = None
) -> RenderableType:
    """Return the table as it stands: each seat with what it has, then what lies between them.

    `cards`: how many of a hand are shown; None for all.
    """
    drawn: RenderableType = _MODULES[type(table.public)].picture(table, names, title, width, cards)
    return drawn


def tell(step: Step[Any], names: Sequence[str]) -> Iterator[tuple[Happening, Text]]:
    """Yield what happened in `step`, each with a line that tells it; several may share one."""
    lines: Iterator[tuple[Happening, Text]] = _MODULES[type(step.table.public)].tell(step, names)
    return lines
