"""A click group that imports its commands when they are used, so that `--help` costs nothing."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group of commands named by where they are.

    `lazy`: per command, "module:attribute" and its short help, which is shown without importing it.
    """

    def __init__(self, *, lazy: Mapping[str, tuple[str, str]], **settings: Any) -> None:  # noqa: ANN401 - click's own
        super().__init__(**settings)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order they were given."""
        del ctx
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if there is none of that name."""
        del ctx
        if cmd_name not in self.lazy:
            return None
        module, _, attribute = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command in `args`; a name that is unknown is answered with those like it."""
        name = args[0]
        if name not in self.lazy and not name.startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(name, self.lazy, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(self.lazy)}"
            raise click.UsageError(f"no command {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in self.lazy.items()])
