"""Groups of commands that suggest a command where a name is misspelt."""

from __future__ import annotations

import click

from beanleague.games.core.errors import suggestion


class Group(click.Group):
    """A group of commands."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command named in `args`; if the name is unknown, the error suggests a similar one."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"no command {name!r}; {suggestion(name, known)}", ctx)
        return super().resolve_command(ctx, args)
