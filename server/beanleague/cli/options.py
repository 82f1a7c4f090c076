"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def as_json(command: Command) -> Command:
    """Give a command the flag --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(command)
