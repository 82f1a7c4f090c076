"""Running, watching, stopping and verifying leagues; `league pair` and `bot times`."""

import json
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from beanproto.v1 import league_pb2 as pb
from tests.cli.conftest import On, Run
from tests.cli.helpers import FakeLeague
from tests.cli.samples import info, progress, standings


def test_a_run_off_the_terminal_prints_lines_and_then_the_standings(run: Run, league: FakeLeague) -> None:
    league.answers["RunLeague"] = lambda *_: iter([progress(pb.RUN_STATE_STARTING), progress(pb.RUN_STATE_DONE)])
    result = run("league", "run", "spring", "--workers", "2", "--server", league.address)
    assert result.exit_code == 0
    assert result.output.splitlines()[:2] == [
        "spring: starting the bots",
        "spring: 100 of 100 deals, 35.2 matches/s, 9,812 decisions/s",
    ]
    assert "trader@1" in result.output
    (asked,) = league.asked
    assert isinstance(asked, pb.RunLeagueRequest)
    assert (asked.workers, asked.in_flight, asked.fresh) == (2, 0, False)


def test_a_verbose_run_ends_with_the_number_of_starts_and_how_full_messages_were(run: Run, league: FakeLeague) -> None:
    last = progress(pb.RUN_STATE_DONE)
    last.batch = 8.25
    last.starts = 1400
    league.answers["RunLeague"] = lambda *_: iter([last])
    result = run("league", "run", "spring", "-v", "--server", league.address)
    assert result.output.splitlines()[-1] == "1,400 starts of bots, 8.2 requests a message to a bot"


def test_a_run_as_json_prints_one_object_and_its_lines_on_stderr(run: Run, league: FakeLeague) -> None:
    league.answers["RunLeague"] = lambda *_: iter([progress(pb.RUN_STATE_DONE)])
    result = run("league", "run", "spring", "--json", "--server", league.address)
    last = json.loads(result.stdout)
    assert last["league"] == "spring"
    assert last["state"] == "done"
    assert [standing["bot"] for standing in last["standings"]] == ["trader", "farmer", "new"]
    assert result.stderr.startswith("spring: 100 of 100 deals")


def test_an_interrupt_before_the_run_begins_says_how_to_go_on_too(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("beanleague.cli.connection.session.Session.store_url", interrupt)
    result = run("league", "run", "spring")
    assert result.exit_code == 130
    assert result.stderr == "stopped; continue with: beanleague league run spring\n"


def test_a_run_that_ends_early_says_how_to_go_on(run: Run, league: FakeLeague) -> None:
    league.answers["RunLeague"] = lambda *_: iter([progress()])
    result = run("league", "run", "spring", "--server", league.address)
    assert result.exit_code == 1
    assert result.stderr.endswith(
        f"the run of spring ended early; continue with: beanleague league run spring --server {league.address}\n"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_the_run_waits_for_it_and_says_how_to_go_on(
    run: Run, league: FakeLeague, number: signal.Signals
) -> None:
    cancelled = threading.Event()

    def play(_: object, context: Any) -> Iterator[object]:
        context.add_callback(cancelled.set)
        yield progress()
        os.kill(os.getpid(), number)
        cancelled.wait(60)

    def show(*_: object) -> object:
        looks.append(cancelled.is_set())
        return info(pb.LEAGUE_STATE_RUNNING if len(looks) < 3 else pb.LEAGUE_STATE_STOPPED, deals_done=40)

    looks: list[bool] = []
    league.answers["RunLeague"] = play
    league.answers["ShowLeague"] = show
    league.answers["Standings"] = standings(deals_done=40)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    try:
        result = run("league", "run", "spring", "--server", league.address)
        assert signal.getsignal(signal.SIGTERM) == before[1]
    finally:
        signal.signal(signal.SIGINT, before[0])
    assert result.exit_code == 130
    assert result.stderr == (
        f"stopped after 40 of 100 deals; continue with: beanleague league run spring --server {league.address}\n"
    )
    assert len(looks) == 3
    assert "1  trader@1  1712" in result.stdout


def test_a_detached_run_is_left_to_the_server(run: Run, league: FakeLeague) -> None:
    league.answers["RunLeague"] = lambda *_: iter([progress(pb.RUN_STATE_STARTING)])
    result = run("league", "run", "spring", "--detach", "--server", league.address)
    assert result.exit_code == 0
    (asked,) = league.asked
    assert isinstance(asked, pb.RunLeagueRequest)
    assert asked.detach
    assert "spring is being run by the server; see: beanleague league watch spring" in result.output


def test_a_run_without_a_server_cannot_be_detached(run: Run) -> None:
    result = run("league", "run", "spring", "--detach")
    assert result.exit_code == 2
    assert "start one with 'beanleague serve', and name it with --server" in " ".join(result.stderr.split())


def test_watching_ends_with_the_run(run: Run, league: FakeLeague) -> None:
    league.answers["FollowRun"] = lambda *_: iter([progress(), progress(pb.RUN_STATE_DONE)])
    result = run("league", "watch", "spring", "--json", "--server", league.address)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["state"] == "done"


def test_a_server_that_ends_while_one_watches_is_an_error(run: Run, league: FakeLeague) -> None:
    league.answers["FollowRun"] = lambda *_: iter([progress()])
    result = run("league", "watch", "spring", "--server", league.address)
    assert result.exit_code == 1
    assert "the server no longer reports the run of spring" in result.stderr


def test_stop_says_how_to_continue(run: Run, league: FakeLeague) -> None:
    league.answers["StopRun"] = info(pb.LEAGUE_STATE_STOPPED, deals_done=3)
    result = run("league", "stop", "spring", "--server", league.address)
    assert result.exit_code == 0
    assert "stopped after 3 of" in result.stdout
    assert "continue with: beanleague league run spring" in result.stdout


def test_a_league_says_who_runs_it_and_why_its_last_run_failed(run: Run, league: FakeLeague) -> None:
    shown = info(pb.LEAGUE_STATE_RUNNING)
    shown.run_by = "process 7 on moor"
    league.answers["ShowLeague"] = shown
    assert "run by   process 7 on moor" in run("league", "show", "spring", "--server", league.address).stdout
    shown.run_by, shown.run_error = "", "no memory"
    assert "failed   the last run: no memory" in run("league", "show", "spring", "--server", league.address).stdout
    shown.weak_layers.append("landlock")
    page = " ".join(run("league", "show", "spring", "--server", league.address).stdout.split())
    assert "sandbox some deals were played under landlock, where bots can signal to each other" in page


def test_without_a_replay_it_says_what_follows_from_the_results(on: On, spring: str) -> None:
    result = on("league", "verify", spring, "--no-replay")
    assert result.exit_code == 0
    assert result.stdout == (
        "spring: 12 matches not replayed; ratings, totals, suspensions and tables follow from their results.\n"
    )
    found = json.loads(on("league", "verify", spring, "--no-replay", "--json").stdout)
    assert (found["verified"], found["matches"]) == (True, 0)


def test_altered_data_is_listed_with_its_place_and_the_exit_code_is_1(on: On, spring: str, home: Path) -> None:
    copy = home / "altered.db"
    with closing(sqlite3.connect(home / "leagues.db")) as source, closing(sqlite3.connect(copy)) as database:
        source.backup(database)
        database.execute("UPDATE match_seat SET score = 99 WHERE deal = 2 AND rotation = 1 AND seat = 0")
        database.commit()
    result = on("league", "verify", spring, db=str(copy))
    assert result.exit_code == 1
    assert "spring/2.1  match_seat.score\n  seat 0: 99 is stored, but its record gives" in result.stdout
    assert "spring differs from what was played: 2 findings" in result.stderr  # the totals differ, too
    result = on("league", "verify", spring, "--json", db=str(copy))
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["verified"], found["matches"], found["finding_count"]) == (False, 12, 2)
    assert {finding["column"] for finding in found["findings"]} == {"match_seat.score", "entrant.score"}


def test_a_pair_is_shown_with_score_test_and_deals(on: On, spring: str) -> None:
    result = on("league", "pair", spring, "ann", "ben@1", "--limit", "1")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "ann@1 against ben@1 in spring"
    assert lines[1].startswith("4 deals: ahead in ")
    assert " of 12 pairs, Elo " in lines[1]
    assert "Sequential test over these deals:" in lines
    assert any(line.startswith("4 deals, LLR ") or "against ben@1: 4 deals, LLR " in line for line in lines)
    assert any("was ahead by most dollars" in line for line in lines)
    data = json.loads(on("league", "pair", spring, "ann", "ben", "--by", "dollars", "--json").stdout)
    assert (data["all"]["deals"], data["all"]["pairs"], data["test"]["by"]) == (4, 12, "dollars")


def test_bots_without_a_common_deal_are_said_to_have_none(on: On, spring: str) -> None:
    assert on(*["league", "create", "summer", "--game", "bohnanza", "--deals", "1"]).exit_code == 0
    result = on("league", "pair", "summer", "ann", "ben")
    assert result.stdout == "ann@1 and ben@1 have not played the same deal in summer yet.\n"


def test_thinking_times_are_a_row_a_league(run: Run, league: FakeLeague) -> None:
    time = pb.ThinkingTime(league="spring", matches=50, decisions=4321, mean_ms=1.234, slow_ms=9, most_ms=87)
    league.answers["ThinkingTimes"] = pb.ThinkingTimesResponse(name="trader", version=2, times=[time])
    result = run("bot", "times", "trader@2", "--league", "spring", BEANLEAGUE_SERVER=league.address)
    assert result.output.splitlines()[-1].split() == ["spring", "50", "4,321", "1.23", "9", "87"]
    assert league.asked[-1] == pb.ThinkingTimesRequest(name="trader", version=2, league="spring")
