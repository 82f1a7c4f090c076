"""A whole screen of a replay: the table, the newest lines below it, and a footer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from beanleague.cli.replay.families import picture
from beanleague.cli.replay.steps import ReplayTable

_MIN_LINES = 4  # below the table
_FEWER_CARDS = (16, 10, 6, 3)  # of every hand; tried in this order on a low terminal


def fitted_picture(
    console: Console, table: ReplayTable[Any], names: Sequence[str], title: str, before: ReplayTable[Any] | None = None
) -> RenderableType:
    """Return the table with as many cards of each hand as leave room for lines below it, changes marked."""
    room = console.height - _MIN_LINES - 2
    drawn = picture(table, names, title, console.width, before=before)
    for cards in _FEWER_CARDS:
        if len(console.render_lines(drawn)) <= room:
            break
        drawn = picture(table, names, title, console.width, cards=cards, before=before)
    return drawn


class Screen:
    """A whole screen: the table, the newest lines, and a footer, cut to the height of the terminal."""

    def __init__(self, board: RenderableType, lines: Sequence[Text], fresh: int, footer: Text) -> None:
        """`lines`: oldest first; the last `fresh` of them are new in this step, and the others are dimmed."""
        self._board = board
        self._lines = lines
        self._fresh = fresh
        self._footer = footer

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or options.max_height
        free = options.update(height=None)
        top = console.render_lines(self._board, free)[: max(0, height - 1 - _MIN_LINES)]
        room = max(0, height - len(top) - 2)
        lines = [*top, [Segment("")], *self._log(console, free, room)]
        lines = lines[: height - 1]
        lines += [[Segment("")]] * (height - 1 - len(lines))
        footer = self._footer.copy()
        footer.truncate(options.max_width, overflow="ellipsis")
        lines += console.render_lines(footer, free)[:1]
        for index, line in enumerate(lines):
            yield from line
            if index < len(lines) - 1:
                yield Segment.line()

    def _log(self, console: Console, options: ConsoleOptions, room: int) -> list[list[Segment]]:
        lines: list[list[Segment]] = []
        for age, text in enumerate(reversed(self._lines)):
            if len(lines) >= room:
                break
            shown = text
            if age >= self._fresh:
                shown = text.copy()
                shown.stylize("dim")
            lines = [*console.render_lines(shown, options), *lines]
        return lines[-room:] if room else []
