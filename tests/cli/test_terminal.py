"""Through a real terminal, with the real referee and real bots."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pexpect
import pytest

from beanleague.games import record_to_json
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest
from beanleague.store import Store
from beanproto.v1.league_pb2 import LEAGUE_STATE_RUNNING, LeagueInfo, Progress
from tests.cli.helpers import fake_league, played
from tests.cli.samples import info, progress
from tests.league.helpers import bundle, keep
from tests.processes import bots_in, left_in
from tests.waiting import TIMEOUT_S

PROGRAM = """
from beanleague.cli import main
from beanleague.cli.connection import following
following.STOP_TIMEOUT_S = 600.0  # a run that is stopped may need longer than people like to wait
main(prog_name="beanleague")
"""
BOT = """
import time
from beanbot import run
from beanbot.two import BohnanzaTwoBot

class Slow(BohnanzaTwoBot):
    def decide(self, view):
        time.sleep(0.005)  # costs no CPU, and terminals are looked at for seconds
        return super().decide(view)

run(Slow)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is all that the commands know of the user's."""
    return tmp_path_factory.mktemp("user")


@pytest.fixture(scope="module")
def env(home: Path) -> dict[str, str]:
    """The environment of the commands."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BEANLEAGUE", "NO_COLOR"))}
    own = {
        "BEANLEAGUE_DB": str(home / "leagues.db"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "TERM": "xterm-256color",
    }
    return {**kept, **own}


def start(env: dict[str, str], *words: str) -> pexpect.spawn[str]:
    """Start `beanleague` at a terminal of 80 by 24."""
    return pexpect.spawn(
        sys.executable, ["-c", PROGRAM, *words], env=env, dimensions=(24, 80), encoding="utf-8", timeout=TIMEOUT_S
    )


def finish(env: dict[str, str], *words: str) -> str:
    """Run `beanleague`, which must succeed, and return what it printed."""
    line = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.run(line, env=env, capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout


def found(shown: pexpect.spawn[str]) -> re.Match[str]:
    """What was expected last."""
    assert isinstance(shown.match, re.Match)
    return shown.match


@pytest.fixture(scope="module")
def league(env: dict[str, str], home: Path) -> str:
    """A league that takes long, of bots that are kept without trials."""
    with Store(f"sqlite:///{env['BEANLEAGUE_DB']}") as store:
        for name in ("ann", "ben"):
            keep(store, bundle(name, BOT, ["bohnanza-two"]))
        create_league(store, LeagueRequest(name="long", ruleset="bohnanza-two", deals=5000))
    return "long"


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_run_shows_a_bar_and_standings_and_stops_at_once_leaving_nothing(
    env: dict[str, str], home: Path, league: str, number: signal.Signals
) -> None:
    shown = start(env, "league", "run", league, "--workers", "1", "--in-flight", "1", "--trust-bots")
    shown.logfile_read = everything = io.StringIO()
    shown.expect("long.*(━|-)")
    shown.expect(r"[1-9]\d* of 5,000 deals, [\d.,]+ matches/s, [\d,]+ decisions/s, \d+:\d\d so far")
    shown.expect("rating")
    assert bots_in(home)
    if number == signal.SIGINT:
        shown.sendintr()
    else:
        shown.kill(number)
    shown.expect(r"stopped after (\d+) of 5,000 deals; continue with: beanleague league run long")
    done = int(found(shown)[1])
    assert done > 0
    shown.expect(pexpect.EOF)
    shown.close()
    assert shown.exitstatus == 130
    assert "Traceback" not in everything.getvalue()
    assert left_in(home) == []
    assert f"{done} of 5,000" in finish(env, "league", "show", league)


@pytest.mark.slow  # tests/service/test_runs.py follows and stops a run
def test_a_run_is_watched_and_stopped_from_other_terminals(env: dict[str, str], home: Path, league: str) -> None:
    running = start(env, "league", "run", league, "--workers", "1", "--in-flight", "1", "--trust-bots")
    running.expect("matches/s")
    watching = start(env, "league", "run", league, "--trust-bots")
    watching.expect(rf"long is already being run by process {running.pid} on .*Watch it\? \[Y/n\]")
    watching.sendline("y")
    watching.expect("matches/s")
    watching.sendintr()
    watching.expect(r"no longer watching; the run goes on. Stop it with:\s+beanleague league stop long")
    watching.expect(pexpect.EOF)
    assert "stopped after" in finish(env, "league", "stop", league)
    running.expect("the run was stopped; deals played before are kept")
    running.expect(pexpect.EOF)
    running.close()
    assert running.exitstatus == 1
    assert left_in(home) == []


def test_a_second_ctrl_c_ends_at_once(env: dict[str, str]) -> None:
    stopping = threading.Event()
    with fake_league() as fake:

        def play(_: object, context: grpc.ServicerContext) -> Iterator[Progress]:
            yield progress()
            while context.is_active():
                time.sleep(0.01)

        def still_running(*_: object) -> LeagueInfo:
            stopping.set()
            return info(LEAGUE_STATE_RUNNING)

        fake.answers |= {"RunLeague": play, "ShowLeague": still_running}
        shown = start(env, "--server", fake.address, "league", "run", "spring")
        shown.expect("30 of 100 deals")
        shown.sendintr()
        assert stopping.wait(TIMEOUT_S)
        shown.sendintr()
        shown.expect(pexpect.EOF)
        shown.close()
    assert shown.exitstatus == 130
    assert "continue with" not in plain(shown.before)


@pytest.fixture
def replay(env: dict[str, str], tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    """A replay of a match at a terminal."""
    file = tmp_path / "match.json"
    file.write_text(record_to_json(played(players=["ann@1", "ben@1", "cid@1"])))
    shown = start(env, "match", "replay", str(file))
    shown.expect("paused")
    yield shown
    shown.close()


def plain(text: str | None) -> str:
    """What a terminal shows of this, without its control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text or "")


def test_a_replay_follows_keys(replay: pexpect.spawn[str]) -> None:
    assert "is dealt" in plain(replay.before)
    replay.send("\x1b[B")  # down: the next turn
    replay.expect("turn 2")
    replay.send("\x1b[A")  # up: back
    replay.expect("turn 1 ")
    replay.send("\x1b[F")  # End
    replay.expect("Game over")
    replay.send("q")
    replay.expect(pexpect.EOF)
    assert "Game over" in plain(replay.before)
    replay.close()
    assert replay.exitstatus == 0


def test_a_replay_can_be_left_with_ctrl_c_and_the_terminal_is_as_before(replay: pexpect.spawn[str]) -> None:
    replay.sendintr()
    replay.expect(pexpect.EOF)
    assert "\x1b[?1049l" in (replay.before or "")
    assert "\x1b[?25h" in (replay.before or "")
    assert "Traceback" not in (replay.before or "")


def test_a_replay_at_a_speed_plays_by_itself_to_the_end(env: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    file.write_text(record_to_json(played()))
    shown = start(env, "match", "replay", str(file), "--speed", "1000")
    shown.expect(pexpect.EOF)
    shown.close()
    assert "Game over" in plain(shown.before)
    assert shown.exitstatus == 0
