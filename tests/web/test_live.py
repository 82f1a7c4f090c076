"""Standings move on a page while a league runs."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect

from beanleague.service.server import embedded
from beanleague.web.app import make_app
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.fakepool import FakePools, play
from tests.league.helpers import SECRET, bundle
from tests.service.helpers import submit
from tests.web.conftest import Open

CODE = """
from beanbot import Bot, run

class Any(Bot):
    def decide(self, view):
        return view.default()

run(Any)
"""


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["fake", "real"])
def test_standings_move_while_a_league_runs(tmp_path: Path, open_page: Open, *, real: bool) -> None:
    pool = None if real else FakePools(play=play)
    with embedded(
        f"sqlite:///{tmp_path / 'a.db'}", cache=tmp_path / "cache", start_pool=pool, trust_bots=True
    ) as channel:
        stub = LeagueStub(channel)
        for name in ("ann", "ben"):
            submit(stub, bundle(name, CODE, ["duel"]))
        stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="duel", deals=3, secret=SECRET))
        with serving(make_app(stub, SiteSettings()), "127.0.0.1:0") as url:
            page = open_page(f"{url}/leagues/spring")
            expect(page.locator("#rows")).to_contain_text("has not played yet")
            run = threading.Thread(
                target=lambda: list(stub.RunLeague(pb.RunLeagueRequest(name="spring", workers=1, in_flight=2)))
            )
            run.start()
            try:
                expect(page.locator("#progress .state")).to_have_text("finished", timeout=60_000)
                expect(page.locator("#rows tr").first).to_contain_text("3")
            finally:
                run.join()
