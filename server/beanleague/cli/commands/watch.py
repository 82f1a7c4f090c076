"""`beanleague league watch` and `stop`: runs of leagues, in whichever process they are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from beanleague.answers.shapes import shape
from beanleague.cli.connection.completion import leagues
from beanleague.cli.connection.options import connected
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.views.output import Output, with_output
from beanleague.cli.views.text import count_of
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_RUNNING,
    RUN_STATE_DONE,
    FollowRunRequest,
    Progress,
    ShowLeagueRequest,
    StopRunRequest,
)

if TYPE_CHECKING:
    from beanleague.cli.views.progress import RunView
    from beanproto.v1.league_pb2_grpc import LeagueStub


@click.command("watch")
@click.argument("name", shell_complete=leagues)
@with_output
@connected
def watch(session: Session, name: str, out: Output) -> None:
    """Follow the run of the league NAME, wherever it is played. Ctrl-C stops watching, not the run."""
    from beanleague.cli.views.progress import run_view

    try:
        with session.league() as stub:
            last = follow_run(session, stub, name, run_view(name, out))
    except KeyboardInterrupt:  # before the call began
        raise Stopped("stopped") from None
    out.show({"league": name, **shape(last)}, [])


def follow_run(session: Session, stub: LeagueStub, name: str, view: RunView) -> Progress:
    """Follow the run of a league to its end; return the last progress.

    Raises:
        Stopped: by Ctrl-C or SIGTERM; the run goes on.
        CliError: the connection ended before the run.
        grpc.RpcError: the league is not being run, or its run ended early.
    """
    from beanleague.cli.connection.following import follow

    def stopped(last: Progress | None) -> Stopped:
        del last
        return Stopped(f"no longer watching; the run goes on. Stop it with: {session.command(f'league stop {name}')}")

    with view:
        last = follow(lambda: stub.FollowRun(FollowRunRequest(name=name)), view.show, stopped)
    if last is None or last.state != RUN_STATE_DONE:
        raise CliError(
            f"the server no longer tells of the run of {name}; see: {session.command(f'league show {name}')}"
        )
    return last


def wants_to_watch(stub: LeagueStub, name: str) -> bool:
    """If the league is being run elsewhere, ask at a terminal whether to watch; without a terminal nobody does."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    info = stub.ShowLeague(ShowLeagueRequest(name=name))
    if info.state != LEAGUE_STATE_RUNNING:
        return False
    return click.confirm(f"{name} is being run already, by {info.run_by}. Watch it?", default=True, err=True)


@click.command("stop")
@click.argument("name", shell_complete=leagues)
@with_output
@connected
def stop(session: Session, name: str, out: Output) -> None:
    """Stop the run of the league NAME, wherever it is played. Deals that are done are kept."""
    with session.league() as stub:
        info = stub.StopRun(StopRunRequest(name=name))
    deals = count_of(info.deals_done, info.deals_total, "deal")
    again = session.run_command(name)
    elsewhere = "" if session.server else " (and with --cluster, if it was played on one)"
    stopped = f"stopped after {deals}; continue with: {again}{elsewhere}"
    text = stopped if info.deals_done < info.deals_total else f"done: {deals}"
    out.show({"league": name, "deals_done": info.deals_done, "deals_total": info.deals_total}, [text])
