"""Runs that belong to servers, with a server whose answers are laid down."""

from __future__ import annotations

import json

from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_RUNNING,
    LEAGUE_STATE_STOPPED,
    RUN_STATE_DONE,
    RUN_STATE_STARTING,
    RunLeagueRequest,
)
from tests.cli.conftest import Run
from tests.cli.fake_server import FakeLeague
from tests.cli.samples import info, progress


def test_a_detached_run_is_left_to_the_server(run: Run, league: FakeLeague) -> None:
    league.answers["RunLeague"] = lambda *_: iter([progress(RUN_STATE_STARTING)])
    result = run("league", "run", "spring", "--detach", "--server", league.address)
    assert result.exit_code == 0
    (asked,) = league.asked
    assert isinstance(asked, RunLeagueRequest)
    assert asked.detach
    assert "spring is being run by the server; see: beanleague league watch spring" in result.output


def test_a_run_without_a_server_cannot_be_detached(run: Run) -> None:
    result = run("league", "run", "spring", "--detach")
    assert result.exit_code == 2
    assert "start one with 'beanleague serve', and name it with --server" in " ".join(result.stderr.split())


def test_watching_ends_with_the_run(run: Run, league: FakeLeague) -> None:
    league.answers["FollowRun"] = lambda *_: iter([progress(), progress(RUN_STATE_DONE)])
    result = run("league", "watch", "spring", "--json", "--server", league.address)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["state"] == "done"


def test_a_server_that_ends_while_one_watches_is_an_error(run: Run, league: FakeLeague) -> None:
    league.answers["FollowRun"] = lambda *_: iter([progress()])
    result = run("league", "watch", "spring", "--server", league.address)
    assert result.exit_code == 1
    assert "the server no longer tells of the run of spring" in result.stderr


def test_stop_says_how_to_continue(run: Run, league: FakeLeague) -> None:
    league.answers["StopRun"] = info(LEAGUE_STATE_STOPPED, deals_done=3)
    result = run("league", "stop", "spring", "--server", league.address)
    assert result.exit_code == 0
    assert "stopped after 3 of" in result.stdout
    assert "continue with: beanleague league run spring" in result.stdout


def test_a_league_says_who_runs_it_and_why_its_last_run_failed(run: Run, league: FakeLeague) -> None:
    shown = info(LEAGUE_STATE_RUNNING)
    shown.run_by = "process 7 on moor"
    league.answers["ShowLeague"] = shown
    assert "run by   process 7 on moor" in run("league", "show", "spring", "--server", league.address).stdout
    shown.run_by, shown.run_error = "", "no memory"
    assert "failed   the last run: no memory" in run("league", "show", "spring", "--server", league.address).stdout
