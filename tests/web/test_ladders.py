"""The page of a ladder's entries."""

from pathlib import Path

from beanproto.v1 import league_pb2 as pb
from tests.league.fakepool import FakePools
from tests.league.helpers import store_with_bots
from tests.web import asking
from tests.web.conftest import site_of


def test_a_ladder_shows_who_is_placed_who_plays_and_why(tmp_path: Path) -> None:
    store_with_bots(tmp_path / "a.db", 4).close()
    with site_of(tmp_path / "a.db", pools=FakePools()) as (url, stub):
        stub.CreateLadder(
            pb.CreateLadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True)
        )
        for bot in ("bot1", "bot2"):
            stub.EnterLadder(pb.EnterLadderRequest(name="spring", bot=bot))
        stub.LeaveLadder(pb.LeaveLadderRequest(name="spring", bot="bot2"))
        stub.CreateLeague(pb.CreateLeagueRequest(name="cup", ruleset="bohnanza", seats=3))
        page = asking.get(f"{url}/ladders/spring").text
        for words in ("Being placed now", "0 of about 30", "when the ladder is played", "an organiser took it out"):
            assert words in page
        assert '<a href="/leagues/spring/entries" aria-current="page">Entries</a>' in page
        assert asking.get(f"{url}/leagues/spring").status_code == 200
        assert "/entries" not in asking.get(f"{url}/leagues/cup").text
        assert asking.get(f"{url}/leagues/cup/entries").status_code == 404
