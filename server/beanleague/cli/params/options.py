"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

_MOST = 2**32 - 1  # what a message holds


class Count(click.IntRange):
    """A whole number that fits into a message. What is sensible beyond that is for the server to say."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> int:
        """Return the number."""
        count = int(super().convert(value, param, ctx))
        if count > _MOST:
            self.fail(f"{count} is too large.", param, ctx)
        return count


class Speed(click.FloatRange):
    """A number above 0, and no pretence of one."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Return the number."""
        speed = float(super().convert(value, param, ctx))
        if not isfinite(speed):
            self.fail(f"{value} is not a number of turns.", param, ctx)
        return speed


def as_json(command: Command) -> Command:
    """Give a command the flag --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(command)
