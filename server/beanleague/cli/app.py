"""The command `beanleague`: global options, subcommands, and error handling."""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from beanleague import __version__
from beanleague.cli import params, streams
from beanleague.cli.connection.session import OPTIONS, flag, session_from
from beanleague.names import replace_controls
from beanleague.signs import at_words, make_legible


class App(params.Group):
    """Outermost click group, which prints failures on stderr, in one or two lines, and sets the exit code.

    Commands are imported at their first use, so that `--help` is fast. `lazy`: per command, "module:attribute" and its
    short help, which needs no import.
    """

    def __init__(self, *, lazy: Mapping[str, tuple[str, str]], **settings: Any) -> None:
        super().__init__(**settings)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order in which they were given."""
        del ctx
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, or None if no command has this name."""
        del ctx
        if cmd_name not in self.lazy:
            return None
        module, _, attribute = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in self.lazy.items()])

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run a command; exit silently on a broken pipe."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            streams.exit_broken_pipe()
        return result

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the command line; exit silently on a broken pipe."""
        try:
            ctx = super().make_context(*args, **extra)
        except BrokenPipeError:
            streams.exit_broken_pipe()
        if ctx.resilient_parsing:  # completion does not invoke the command
            ctx.obj = session_from(ctx)
        return ctx

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **extra: Any
    ) -> Any:  # noqa: ANN401
        """Run a command and exit with its code: 0 for success, 1 for failure, 2 for wrong usage, 130 if interrupted."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        try:
            streams.open_missing_streams()
            try:
                self._run(args, extra)
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            streams.exit_broken_pipe()
        except OSError as error:
            # an error of a named file, not of standard output
            if error.errno not in streams.CANNOT_WRITE or error.filename is not None:
                raise
            streams.discard_output()
            _print_error(f"cannot write to standard output: {error.strerror}")
            sys.exit(params.CliError.exit_code)

    def _run(self, args: Sequence[str] | None, extra: Mapping[str, Any]) -> NoReturn:
        if _COMPLETE in os.environ:
            from beanleague.cli import shells

            shells.use()
        os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # failed handshakes are reported by this program in one line
        make_legible(sys.stdout, sys.stderr)
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except (click.exceptions.NoArgsIsHelpError, params.Stopped) as message:
            streams.echo(replace_controls(message.format_message()), err=True)
            sys.exit(message.exit_code)
        except click.ClickException as error:
            _print_error(error.format_message())
            if isinstance(error, click.UsageError) and error.ctx:
                streams.echo(f"Try '{error.ctx.command_path} --help'.", err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            streams.echo("Stopped.", err=True)
            sys.exit(params.Stopped.exit_code)
        sys.exit(code if isinstance(code, int) else 0)


def _print_error(message: str) -> None:
    streams.echo(at_words(f"Error: {replace_controls(message)}", sys.stderr), err=True)


_COMMANDS = "beanleague.cli.commands"
_COMPLETE = "_BEANLEAGUE_COMPLETE"  # set by a shell that completes a command line


@click.group(
    cls=App,
    lazy={
        "quickstart": (f"{_COMMANDS}.play:quickstart", "Play a small league of the house bots."),
        "bot": (f"{_COMMANDS}.bot:bot", "Check, submit and inspect bots."),
        "league": (f"{_COMMANDS}.league:league", "Create, run and inspect leagues."),
        "ladder": (f"{_COMMANDS}.ladder:ladder", "Create, enter and run ladders."),
        "standings": (f"{_COMMANDS}.standings:standings", "Show the standings of a league."),
        "practice": (f"{_COMMANDS}.practice:practice", "Play bots against each other, and keep nothing."),
        "compare": (f"{_COMMANDS}.practice:compare", "Test whether one bot is better than another."),
        "match": (f"{_COMMANDS}.match:match", "List, show, replay, export and verify matches."),
        "play": (f"{_COMMANDS}.play:play", "Play a match against bots."),
        "games": (f"{_COMMANDS}.standings:games", "List the available games."),
        "environment": (f"{_COMMANDS}.machine:environment", "Install packages that bots can import."),
        "doctor": (f"{_COMMANDS}.machine:doctor", "Show which sandbox for bots works on this machine."),
        "token": (f"{_COMMANDS}.server:token", "Create, list and revoke access tokens."),
        "backup": (f"{_COMMANDS}.server:backup", "Copy the database to a file."),
        "web": (f"{_COMMANDS}.web:web", "Show leagues on a web site."),
        "site": (f"{_COMMANDS}.web:site", "Write leagues as pages for any static host."),
        "serve": (f"{_COMMANDS}.server:serve", "Serve a database to other commands."),
        "cluster": (f"{_COMMANDS}.cluster:cluster", "Play leagues on several machines."),
        "node": (f"{_COMMANDS}.cluster:node", "Play deals for runs on other machines."),
    },
    params=[
        click.Option([flag(name)], metavar=metavar, envvar=f"BEANLEAGUE_{name.upper()}", show_envvar=True, help=meaning)
        for name, (metavar, meaning) in OPTIONS.items()
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context, /, **_: str | None) -> None:
    """Leagues for programs that play the Bohnanza family of games.

    --db, --server, --tls-ca and --token-file may also follow a command. Exit codes: 0 success,
    1 failure, 2 wrong usage, 130 interrupted.
    """
    ctx.obj = session_from(ctx)
