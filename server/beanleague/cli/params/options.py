"""Types of plain values: numbers, secrets, choices."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from beanleague.model import MAX_SECRET_BYTES, MIN_SECRET_BYTES

_MAX_COUNT = 2**32 - 1  # what a message holds


class Count(click.IntRange):
    """A whole number that fits into a message. Which numbers make sense beyond that is for the server to say."""

    name = "integer"

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's own
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> int:
        """Return the number."""
        count = int(super().convert(value, param, ctx))
        if count > _MAX_COUNT:
            self.fail(f"{count} is too large.", param, ctx)
        return count


class Speed(click.FloatRange):
    """A finite number above 0."""

    name = "number"

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
            self.fail(f"{value} is not a valid speed.", param, ctx)
        return speed


class Secret(click.ParamType[bytes]):
    """A master secret in hexadecimal."""

    name = "HEX"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Return the secret."""
        if isinstance(value, bytes):
            return value
        try:
            secret = bytes.fromhex(str(value))
        except ValueError:
            self.fail("the secret must consist of hexadecimal digits", param, ctx)
        if not MIN_SECRET_BYTES <= len(secret) <= MAX_SECRET_BYTES:
            self.fail(
                f"the secret must have {2 * MIN_SECRET_BYTES} to {2 * MAX_SECRET_BYTES} hexadecimal digits",
                param,
                ctx,
            )
        return secret


class OneOf(click.Choice[str]):
    """A choice that lists its values in one line when none is given."""

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return the values to choose from."""
        del param, ctx
        return f"Choose from {', '.join(self.choices)}."
