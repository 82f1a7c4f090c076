"""Running a league from the command line, and stopping it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import grpc

from beanleague.cli.connection.following import PATIENCE, follow, when_stopped
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.views.amounts import part
from beanleague.cli.views.progress import RunView
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_RUNNING,
    RUN_STATE_DONE,
    Progress,
    RunLeagueRequest,
    StandingsRequest,
)

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


def play(session: Session, stub: LeagueStub, request: RunLeagueRequest, view: RunView) -> Progress:
    """Play what is left of a league and return the last word on it.

    Raises:
        Stopped: by Ctrl-C or SIGTERM; what was played stays. A second one ends the process at once.
        CliError: the run ended early without saying why.
        grpc.RpcError: the run was refused or failed.
    """
    again = session.command(f"league run {request.name}")

    def stopped(last: Progress | None) -> Stopped:
        ended = _at_the_end(stub, request.name, last or Progress())
        if ended.standings:
            view.stopped(ended)
        return Stopped(f"stopped after {part(ended.deals_done, ended.deals_total, 'deal')}; go on with: {again}")

    with view:
        last = follow(lambda: stub.RunLeague(request), view.show, stopped)
    if last is None or last.state != RUN_STATE_DONE:
        raise CliError(f"the run of {request.name} ended early; go on with: {again}")
    return last


def _at_the_end(stub: LeagueStub, name: str, last: Progress) -> Progress:
    """Return how a run stands that was stopped; without standings if they are not to be had at once."""
    ended = Progress()
    ended.CopyFrom(last)
    ended.ClearField("seconds_left")
    ended.ClearField("standings")
    info = when_stopped(stub, name)
    if info is None:
        return ended  # the figures of the last progress do
    ended.deals_done, ended.deals_total = info.deals_done, info.deals_total
    if info.deals_done and info.state != LEAGUE_STATE_RUNNING:
        with suppress(grpc.RpcError):
            ended.standings.extend(stub.Standings(StandingsRequest(league=name), timeout=PATIENCE).standings)
    return ended
