"""Write the reference of the command line, as Markdown, from the commands themselves.

`docs/cli.md` calls this through cog. To bring that page up to date: `make generated`, or

    cog -r -I tools docs/cli.md
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from beanleague.cli import main

EVERYWHERE = "See 'beanleague --help'."  # the help of options that are explained once, for all commands


def overview() -> str:
    """Return a table of all commands with their summaries."""
    rows = [
        f"| `{context.command_path}` | {_code(context.command.get_short_help_str(200))} |" for context in _commands()
    ]
    return "\n".join(["| command | does |", "|---|---|", *rows])


def global_options() -> str:
    """Return a table of the options that every command takes."""
    return "\n".join(_option_table(click.Context(main, info_name="beanleague")))


def reference() -> str:
    """Return a section for each command: usage, help and options."""
    return "\n\n".join("\n".join(_section(context)) for context in _commands())


def _commands(parent: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a context for each command that is not a group, in the order of the help pages."""
    context = parent or click.Context(main, info_name="beanleague")
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        child = click.Context(command, parent=context, info_name=name)
        if isinstance(command, click.Group):
            yield from _commands(child)
        else:
            yield child


def _section(context: click.Context) -> Iterator[str]:
    usage = " ".join([context.command_path, *context.command.collect_usage_pieces(context)])
    yield f"### {context.command_path}"
    yield ""
    yield f"    {usage}"
    yield ""
    yield _code(inspect.cleandoc(context.command.help or ""))
    options = list(_option_table(context))
    if options:
        yield ""
        yield from options


def _option_table(context: click.Context) -> Iterator[str]:
    options = [
        option
        for option in context.command.get_params(context)
        if isinstance(option, click.Option) and option.help != EVERYWHERE and "--help" not in option.opts
    ]
    if options:
        yield "| option | meaning |"
        yield "|---|---|"
    for option in options:
        names = ", ".join(option.opts)
        value = "" if option.is_flag else f" {option.make_metavar(context)}"
        yield f"| `{_cell(names + value)}` | {_meaning(option)} |"


def _meaning(option: click.Option) -> str:
    """Return the help of an option with its possible values and its default."""
    sentences = [_cell(_code(option.help or ""))]
    if option.required:
        sentences.append("Required.")
    if isinstance(option.type, click.IntRange):
        least, most = option.type.min, option.type.max
        sentences.append(f"{least} to {most}." if most is not None else f"At least {least}.")
    if option.show_default and not option.is_flag:
        sentences.append(f"Default: `{option.default}`.")
    if option.envvar:
        sentences.append(f"Environment: `{option.envvar}`.")
    return " ".join(sentences)


def _cell(text: str) -> str:
    """Return text for a cell of a table."""
    return text.replace("|", r"\|")


def _code(text: str) -> str:
    """Return help text with its quoted commands as code: 'league run' becomes `league run`."""
    pieces = text.split(" '")
    quoted = [piece.partition("'") for piece in pieces[1:]]
    return pieces[0] + "".join(f" `{words}`{rest}" for words, _, rest in quoted)
