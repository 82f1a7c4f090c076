"""Limits of bot processes, as users write them on the command line."""

from __future__ import annotations

from typing import Literal, get_args

import click

from beanleague.games.core.errors import suggestion

Size = Literal["memory_bytes", "processes", "scratch_bytes", "stderr_bytes", "message_bytes"]
SIZES: tuple[Size, ...] = get_args(Size)
"""Fields of `Limits` in league.proto."""

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


class SizeLimit(click.ParamType[tuple[str, int]]):
    """A limit, e.g. "memory_bytes=512M": its name and the number."""

    name = "NAME=NUMBER"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Return the name and the number; K, M and G are multiplied out."""
        name, _, number = str(value).partition("=")
        if name not in SIZES:
            self.fail(f"{name!r} is not a limit; {suggestion(name, SIZES)}", param, ctx)
        digits = number.rstrip("KMG")
        unit = number[len(digits) :]
        if unit not in _UNITS or not (digits.isascii() and digits.isdecimal() and len(digits) <= 10):
            self.fail(f"{value!r} is not NAME=NUMBER, e.g. memory_bytes=512M", param, ctx)
        return name, int(digits) * _UNITS[unit]


def each_once(
    ctx: click.Context, param: click.Parameter, limits: tuple[tuple[str, int], ...]
) -> tuple[tuple[str, int], ...]:
    """Refuse a limit that is given twice; a click callback."""
    names = [name for name, _ in limits]
    for name in names:
        if names.count(name) > 1:
            raise click.BadParameter(f"{name} is given twice; give it once", ctx, param)
    return limits
