"""The command `beanleague`: global options, the commands there are, and how every failure ends."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from beanleague import __version__
from beanleague.cli.connection.session import chosen
from beanleague.cli.errors import Stopped
from beanleague.cli.params.lazy import LazyGroup
from beanleague.cli.views.safe_text import harmless


class App(LazyGroup):
    """The outermost group. Failures are told in one or two lines on stderr, and give the exit code."""

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's own
        """Run a command; end quietly if the reader of standard output has left."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            from beanleague.cli.views.output import end_unread

            end_unread()
        return result

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,  # noqa: ANN401 - click's own
    ) -> Any:  # noqa: ANN401
        """Run a command and exit: 0 it went well, 1 what was asked for failed, 2 wrong usage, 130 interrupted."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # of handshakes that fail people are told by us, in a line
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except click.exceptions.NoArgsIsHelpError as help_text:
            click.echo(help_text.format_message(), err=True)
            sys.exit(help_text.exit_code)
        except click.UsageError as error:
            _tell(error.format_message())
            if error.ctx:
                click.echo(f"Try '{error.ctx.command_path} --help'.", err=True)
            sys.exit(error.exit_code)
        except Stopped as stopped:
            click.echo(stopped.format_message(), err=True)
            sys.exit(stopped.exit_code)
        except click.ClickException as error:
            _tell(error.format_message())
            sys.exit(error.exit_code)
        except click.Abort:
            click.echo("Stopped.", err=True)
            sys.exit(Stopped.exit_code)
        sys.exit(code if isinstance(code, int) else 0)


def _tell(message: str) -> None:
    click.echo(f"Error: {harmless(message)}", err=True)


_COMMANDS = "beanleague.cli.commands"


@click.group(
    cls=App,
    lazy={
        "quickstart": (f"{_COMMANDS}.quickstart:quickstart", "Play a small league of the house bots."),
        "bot": (f"{_COMMANDS}.bot:bot", "Submit bots and look at them."),
        "league": (f"{_COMMANDS}.league:league", "Create leagues, run them and look at them."),
        "standings": (f"{_COMMANDS}.standings:standings", "Show how the bots of a league stand."),
        "compare": (f"{_COMMANDS}.compare:compare", "Find out whether one bot is better than another."),
        "match": (f"{_COMMANDS}.match:match", "Look at matches, replay and verify them."),
        "games": (f"{_COMMANDS}.games:games", "List the games that can be played."),
        "doctor": (f"{_COMMANDS}.doctor:doctor", "Show how bots are kept from doing harm here."),
        "token": (f"{_COMMANDS}.token:token", "Make and revoke tokens, which let others in."),
        "serve": (f"{_COMMANDS}.serve:serve", "Serve the database to other commands."),
    },
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--db",
    envvar="BEANLEAGUE_DB",
    show_envvar=True,
    metavar="FILE|URL",
    help="Where the data is: a file, or an SQLAlchemy URL. Default: a file in your user data folder.",
)
@click.option(
    "--server",
    envvar="BEANLEAGUE_SERVER",
    show_envvar=True,
    metavar="ADDRESS",
    help="Ask this server instead of opening the data here: host:port, or https://host:port for one with TLS.",
)
@click.option(
    "--tls-ca",
    envvar="BEANLEAGUE_TLS_CA",
    show_envvar=True,
    metavar="FILE",
    help="Trust a server whose certificate this one vouches for. Default: the well-known authorities.",
)
@click.option(
    "--token-file",
    envvar="BEANLEAGUE_TOKEN_FILE",
    show_envvar=True,
    metavar="FILE",
    help="Where the token for the server is. Default: it is in BEANLEAGUE_TOKEN.",
)
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def app(ctx: click.Context, /, **_: str | None) -> None:
    """Leagues for programs that play the Bohnanza family of games.

    --db, --server, --tls-ca and --token-file may also follow a command. Exit codes: 0 all went
    well, 1 what was asked for failed, 2 wrong usage, 130 interrupted.
    """
    ctx.obj = chosen(ctx)
