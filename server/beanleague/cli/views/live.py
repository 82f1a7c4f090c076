"""What a long call shows while it runs: a drawing on a terminal, otherwise a line every few seconds."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import click
from rich.console import Console, RenderableType
from rich.live import Live

from beanleague.safe_text import replace_controls

_LINE_INTERVAL_S = 5.0


def can_draw(console: Console) -> bool:
    """Return whether a drawing can be replaced by the next one there."""
    return console.is_terminal and not console.is_dumb_terminal


class LiveOutput:
    """A context in which drawings replace each other, or lines follow each other.

    `draw`: whether to draw. `transient`: the last drawing disappears. `to_stderr`: lines go there.
    """

    def __init__(self, console: Console, *, draw: bool, transient: bool = False, to_stderr: bool = True) -> None:
        self._live = Live(console=console, auto_refresh=False, transient=transient) if draw else None
        self._to_stderr = to_stderr
        self._printed_at = 0.0

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    @property
    def draws(self) -> bool:
        """Whether this is a drawing."""
        return self._live is not None

    def _draw(self, page: RenderableType) -> None:
        """Draw it over the previous one."""
        if self._live:
            self._live.update(page, refresh=True)

    def _print_if_due(self, line: str, seconds: float) -> None:
        """Print the line if the last one is some seconds old. `seconds`: the time now, by any clock."""
        if seconds - self._printed_at >= _LINE_INTERVAL_S:
            self._printed_at = seconds
            click.echo(replace_controls(line), err=self._to_stderr)
