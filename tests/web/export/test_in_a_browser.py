"""The site as files in a browser, from a plain file server."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from pathlib import Path

import pytest

from beanleague.games import record_to_json
from beanleague.wire import record_from_pb
from beanproto.v1.league_pb2 import GetMatchRequest
from tests.web.browsing import violations, wider_than_the_window
from tests.web.conftest import Open
from tests.web.export.conftest import service


@pytest.mark.parametrize(
    "file",
    [
        "index.html",
        pytest.param("leagues/spring.html", marks=pytest.mark.slow),
        pytest.param("bots/ann.html", marks=pytest.mark.slow),
        "matches/spring/1.0.html",
    ],
)
def test_a_page_works_without_a_server(host: str, open_page: Open, file: str) -> None:
    """And without JavaScript but for the replay; nothing is asked of other hosts, and nothing goes wrong."""
    page = open_page(host + file, width=360)
    page.wait_for_load_state("networkidle")
    assert page.locator("h1").count() == 1
    assert "matches" not in file or violations(page) == []  # the others are the same with a server
    assert not wider_than_the_window(page)


def test_links_lead_from_the_first_page_to_a_replay(host: str, open_page: Open) -> None:
    page = open_page(host + "index.html")
    page.click("main a:text-is('spring')")
    page.click("a:text-is('Deals')")
    page.click("td a:text-is('1') >> nth=0")
    page.wait_for_selector("#replay[data-ready]")
    assert "/matches/spring/" in page.url


def test_a_replay_shows_the_record_of_the_match(host: str, played: Path, open_page: Open) -> None:
    with service(played) as stub:
        record = record_from_pb(stub.GetMatch(GetMatchRequest(match="spring/2.1")).record)
    page = open_page(host + "matches/spring/2.1.html#move=5")
    page.wait_for_selector("#replay[data-ready]")
    inflated = zlib.decompress(b64decode(str(page.locator("#record").text_content())), -zlib.MAX_WBITS)
    shown = json.loads(inflated)
    assert {name: shown[name] for name in json.loads(record_to_json(record))} == json.loads(record_to_json(record))
    assert f"5 / {len(record.moves)}" in page.inner_text("#replay")
    assert "was asked" in page.inner_text(".bl-decision")
    page.keyboard.press("End")
    page.wait_for_url(f"**#move={len(record.moves)}")
    assert f"{len(record.moves)} / {len(record.moves)}" in page.inner_text("#replay")
    for player, score in zip(record.players, record.scores, strict=True):
        assert f"{player} ${score}" in " ".join(page.inner_text("#replay").split())


def test_a_replay_works_from_the_disk(written: Path, open_page: Open) -> None:
    page = open_page((written / "matches/spring/1.0.html").as_uri())
    page.wait_for_selector("#replay[data-ready]")
    page.click("a:text-is('spring')")
    assert page.url.endswith("/leagues/spring.html")
