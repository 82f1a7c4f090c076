"""Options about where the data is and whom to trust; they make the `Session` of a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from beanleague.cli.connection.session import OPTIONS, Session, flag
from beanleague.cli.params.cluster import ADDRESS_VARIABLE, folder_option

Command = TypeVar("Command", bound=Callable[..., Any])

_EXCLUSIVE = frozenset({"db", "server"})


def session_from(context: click.Context) -> Session:
    """Return the session for the global options; one given on the command line beats one from the environment.

    Raises:
        click.UsageError: both a database and a server were given on the command line.
    """
    options = {name: context.params[name] for name in OPTIONS}
    commandline = click.core.ParameterSource.COMMANDLINE
    given = frozenset(name for name in OPTIONS if context.get_parameter_source(name) is commandline)
    if given >= _EXCLUSIVE:
        raise click.UsageError("--db and --server cannot be used together: a server has its own database", context)
    if "db" in given:
        options["server"] = None
    return Session(**options, given=given)


def connected(command: Command) -> Command:
    """Let the global options follow a command too, and pass it its `Session` as the first argument."""

    def choose(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            name = str(parameter.name)
            before: Session = context.obj
            others = _EXCLUSIVE - {name} if name in _EXCLUSIVE else frozenset()
            changed: dict[str, Any] = {**dict.fromkeys(others), name: value}
            context.obj = replace(before, given=before.given - others | {name}, **changed)

    for name, metavar in reversed(OPTIONS.items()):
        command = click.option(
            flag(name),
            metavar=metavar,
            callback=choose,
            expose_value=False,
            hidden=name not in _EXCLUSIVE,
            help="See 'beanleague --help'.",
        )(command)
    return click.pass_obj(command)  # type: ignore[return-value]


def trusting(command: Command) -> Command:
    """Give a command the flag --trust-bots, which its `Session` then has."""

    def choose(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        del parameter
        if value:
            context.obj = replace(context.obj, trust_bots=True)

    return click.option(
        "--trust-bots",
        is_flag=True,
        callback=choose,
        expose_value=False,
        help="If no sandbox works here, run bots without one; see 'beanleague doctor'.",
    )(command)


def clustered(command: Command) -> Command:
    """Give a command the options --cluster and --cluster-tls, which its `Session` then has.

    What the environment says of clusters is for those who play here: with --server it is ignored.
    """

    @wraps(command)
    def run(*args: Any, cluster: str | None, cluster_tls: Path | None, **others: Any) -> Any:  # noqa: ANN401
        context = click.get_current_context()
        commandline = click.core.ParameterSource.COMMANDLINE
        names = ("cluster", "cluster_tls")
        given = {name for name in names if context.get_parameter_source(name) is commandline}
        if cluster and others.get("workers"):
            raise click.UsageError(
                "--workers cannot be used with --cluster: each node says how many it has ('beanleague node --workers')",
                context,
            )
        session: Session = args[0]
        session = replace(session, cluster=cluster, cluster_tls=cluster_tls, given=session.given | given)
        return command(session, *args[1:], **others)

    for option in (
        folder_option,
        click.option(
            "--cluster",
            metavar="ADDRESS",
            envvar=ADDRESS_VARIABLE,
            show_envvar=True,
            help="Play on the nodes of this scheduler, tls://HOST:PORT; see 'beanleague cluster'.",
        ),
    ):
        run = option(run)
    return run  # type: ignore[return-value]
