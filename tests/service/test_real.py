"""Leagues of real bot processes."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from beanleague.service.server import embedded
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.helpers import DERIVED, SECRET, bundle, contents, keep
from tests.processes import bots_in, left_in
from tests.waiting import ending

CODE = """
import sys, time
from beanbot import Bot, run

class Any(Bot):
    def decide(self, view):
        time.sleep(0.002)  # costs no CPU, and lets the run last for a while
        return view.default()

print("I am {name}", file=sys.stderr)
run(Any)
"""
RUN = """
import sys
from pathlib import Path
from beanleague.service.server import embedded
from beanproto.v1.league_pb2 import RunLeagueRequest
from beanproto.v1.league_pb2_grpc import LeagueStub
with embedded(sys.argv[1], cache=Path(sys.argv[2]), trust_bots=True) as channel:
    request = RunLeagueRequest(name="spring", workers=1, in_flight=4)
    for progress in LeagueStub(channel).RunLeague(request):
        print(progress.matches_done, flush=True)
"""
LEFT_OUT = DERIVED | {"bot_log", "run"}

DEALS = 4  # enough for some to be left when the run is killed


def set_up(url: str, cache: Path) -> None:
    """Make a league of two bots, which are kept without trials."""
    with Store(url) as store:
        for name in ("ann", "bob"):
            keep(store, bundle(name, CODE.format(name=name), ["bohnanza-two"]))
    with embedded(url, cache=cache, trust_bots=True) as channel:
        LeagueStub(channel).CreateLeague(
            pb.CreateLeagueRequest(name="spring", ruleset="bohnanza-two", deals=DEALS, secret=SECRET)
        )


def run(url: str, cache: Path, in_flight: int) -> int:
    """Play what is left of the league in this process; return how many matches are done."""
    with embedded(url, cache=cache, trust_bots=True) as channel:
        request = pb.RunLeagueRequest(name="spring", workers=1, in_flight=in_flight)
        *_, last = LeagueStub(channel).RunLeague(request)
    return last.matches_done


def test_a_league_that_is_killed_leaves_no_bot_and_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """One run goes through, with four matches at once; the other is killed with as many, and goes on with one."""
    cache = tmp_path / "cache"
    urls = [f"sqlite:///{tmp_path / name}" for name in ("whole.db", "killed.db")]
    set_up(urls[0], cache)
    shutil.copy(tmp_path / "whole.db", tmp_path / "killed.db")
    assert run(urls[0], cache, in_flight=4) == 2 * DEALS
    words = [sys.executable, "-c", RUN, urls[1], str(cache)]
    with ending(subprocess.Popen(words, stdout=subprocess.PIPE, text=True)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 2:
                break
        assert bots_in(cache)
        process.send_signal(signal.SIGKILL)
    assert left_in(cache) == []
    with Store(urls[1]) as killed:
        assert killed.leagues.get("spring").deals_done < DEALS
    assert run(urls[1], cache, in_flight=1) == 2 * DEALS
    with Store(urls[0]) as whole, Store(urls[1]) as killed:
        assert contents(killed, leave_out=LEFT_OUT) == contents(whole, leave_out=LEFT_OUT)
        assert killed.ratings.latest(1).ratings == whole.ratings.latest(1).ratings  # type: ignore[union-attr]
        (log,) = killed.logs.get(1)
        assert "I am ann\n" in log.text
    assert left_in(cache) == []
