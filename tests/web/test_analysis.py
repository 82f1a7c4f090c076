"""What a site says of analyses: who may have them made, how far they are, and what is kept."""

import json
import zlib
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from beanleague.league.uses.programs import analysis_version
from beanleague.service.access import Role
from beanleague.store import Store
from beanproto.v1 import league_pb2 as pb
from tests.web import asking
from tests.web.conftest import site_of

PAGE = "/matches/spring/3.1"


def client_of(url: str) -> httpx.Client:
    return asking.Client(base_url=url, headers={"origin": url})


def posted(client: httpx.Client, address: str) -> list[dict[str, object]]:
    """Return what a post is answered with, line by line."""
    answer = client.post(address)
    assert answer.status_code == 200
    return [json.loads(line) for line in answer.text.splitlines()]


def test_visitors_see_what_is_kept_and_only_authors_have_matches_analysed(database: Path) -> None:
    with site_of(database, guest=Role.VIEWER) as (url, stub), client_of(url) as client:
        page = client.get(PAGE).text
        assert '"mayAnalyse": false' in page
        assert "askUrl" not in page
        assert '"course": null' in page
        for address in (f"{PAGE}/analysis", f"{PAGE}/analysis?move=2"):
            (line,) = posted(client, address)
            assert "call is for authors" in str(line["problem"])
        record = stub.GetMatch(pb.GetMatchRequest(match="spring/3.1")).record
        digest = sha256(record.SerializeToString(deterministic=True)).digest()
        with Store(f"sqlite:///{database}") as store:
            found = zlib.compress(json.dumps({"kept": "\x9b1m"}).encode())
            store.analyses.keep(store.leagues.get("spring").id, 3, 1, digest, analysis_version(), found)
    with site_of(database, guest=Role.VIEWER) as (url, _), client_of(url) as client:
        page = client.get(PAGE).text
        assert '"course": {"kept": "\\u009b1m"}' in page


REPORT = "/bots/ben/report?league=spring&version=1"


def test_authors_have_reports_made_and_visitors_read_that_they_may(database: Path) -> None:
    with site_of(database, guest=Role.VIEWER) as (url, _), client_of(url) as client:
        assert REPORT.replace("&", "&amp;") in client.get("/bots/ben").text
        assert '"may": false' in client.get(REPORT).text
        (line,) = posted(client, REPORT)
        assert "call is for authors" in str(line["problem"])


def test_a_report_stands_beside_the_next_better_bot_or_the_one_that_is_chosen(database: Path) -> None:
    with site_of(database) as (url, stub), client_of(url) as client:
        standings = stub.Standings(pb.StandingsRequest(league="spring")).standings
        best, second, third = (f"{standing.bot}@{standing.version}" for standing in standings[:3])
        address = f"/bots/{second.partition('@')[0]}/report?league=spring&version=1"
        page = client.get(address).text
        assert f'<option value="{best}" selected>{best}, the next better</option>' in page
        assert '"may": true' in page
        assert f"against={third.replace('@', '%40')}" in client.get(f"{address}&against={third}").text
        (line,) = posted(client, f"{address}&against=nobody")
        assert "Nobody does not play in the league" in str(line["problem"])
        assert client.get("/bots/ben/report?league=autumn").status_code == 404


def test_authors_are_offered_both_and_house_bots_answer(database: Path) -> None:
    with site_of(database) as (url, _), client_of(url) as client:
        page = client.get(PAGE).text
        assert '"mayAnalyse": true' in page
        assert f'"askUrl": "{PAGE}/analysis?move={{move}}"' in page
        assert client.post(f"{PAGE}/analysis?move=x").status_code == 400
        (line,) = posted(client, f"{PAGE}/analysis?move=99999")
        assert "The match has no move 99999" in str(line["problem"])


@pytest.mark.slow
def test_a_site_asks_house_bots(database: Path) -> None:
    with site_of(database) as (url, _), client_of(url) as client:
        *_, last = posted(client, f"{PAGE}/analysis?move=2")
    found = last["found"]
    assert isinstance(found, dict)
    assert [each["bot"] for each in found["bots"]][:4] == ["trader", "grandmaster", "merchant", "haggler"]
