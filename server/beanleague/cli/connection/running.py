"""Running a league from the command line, and stopping it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import grpc

from beanleague.cli.connection.following import STOP_TIMEOUT_S, follow, wait_until_stopped
from beanleague.cli.connection.session import Session
from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.views.progress import RunView
from beanleague.cli.views.text import count_of
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
    """Play the remaining deals of a league and return the last progress report.

    Raises:
        Stopped: by Ctrl-C or SIGTERM; deals that are done stay. A second signal ends the process at once.
        CliError: the run ended early without a reason.
        grpc.RpcError: the run was refused or failed.
    """
    again = session.run_command(request.name)

    def stopped(last: Progress | None) -> Stopped:
        final = _final_progress(stub, request.name, last or Progress())
        if final.standings:
            view.stopped(final)
        deals = count_of(final.deals_done, final.deals_total, "deal")
        return Stopped(f"stopped after {deals}; continue with: {again}")

    with view:
        last = follow(lambda: stub.RunLeague(request), view.show, stopped)
    if last is None or last.state != RUN_STATE_DONE:
        raise CliError(f"the run of {request.name} ended early; continue with: {again}")
    return last


def _final_progress(stub: LeagueStub, name: str, last: Progress) -> Progress:
    """Return the progress of a stopped run; without standings if they are not available at once."""
    final = Progress()
    final.CopyFrom(last)
    final.ClearField("seconds_left")
    final.ClearField("standings")
    info = wait_until_stopped(stub, name)
    if info is None:
        return final  # the numbers of the last report are good enough
    final.deals_done, final.deals_total = info.deals_done, info.deals_total
    if info.deals_done and info.state != LEAGUE_STATE_RUNNING:
        with suppress(grpc.RpcError):
            final.standings.extend(stub.Standings(StandingsRequest(league=name), timeout=STOP_TIMEOUT_S).standings)
    return final
