"""Every page in a browser: readable by everybody, on a telephone too, without errors."""

import contextlib
import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import expect

from beanleague.answers import RATED
from beanleague.games.families import rulesets
from beanleague.service.access import Role
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from tests.league.helpers import bundle
from tests.service.helpers import submit
from tests.web import asking
from tests.web.browsing import BY_LOOKS, expect_refusal, violations, wider_than_the_window
from tests.web.conftest import Open, site_of

HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'\n<script>alert(2)<script> #?&%2f;"
PAGES = [
    "/",
    pytest.param("/games", marks=pytest.mark.slow),
    pytest.param("/games/bohnanza/4", marks=pytest.mark.slow),
    pytest.param("/games/duel", marks=pytest.mark.slow),
    pytest.param("/games/dice", marks=pytest.mark.slow),
    pytest.param("/games/bean-thief-hard", marks=pytest.mark.slow),
    pytest.param("/submit", marks=pytest.mark.slow),
    pytest.param("/guide", marks=pytest.mark.slow),
    pytest.param("/guide/sdk", marks=pytest.mark.slow),
    "/leagues/spring",
    pytest.param("/leagues/spring/history", marks=pytest.mark.slow),
    pytest.param("/leagues/spring/matrix", marks=pytest.mark.slow),
    pytest.param("/leagues/spring/seats", marks=pytest.mark.slow),
    pytest.param("/leagues/spring/gifts", marks=pytest.mark.slow),
    pytest.param("/leagues/spring/deals", marks=pytest.mark.slow),
    pytest.param("/bots", marks=pytest.mark.slow),
    pytest.param("/bots/ann", marks=pytest.mark.slow),
    pytest.param("/bots/ann/report", marks=pytest.mark.slow),
    "/matches/spring/3.1#move=100",
    pytest.param("/compare", marks=pytest.mark.slow),
    pytest.param("/deals/spring/3?bot=ann", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_violation_and_fits_a_telephone(site: str, open_page: Open, path: str) -> None:
    page = open_page(site + path)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 740})
    assert violations(page, BY_LOOKS) == []
    assert not wider_than_the_window(page)


@pytest.mark.parametrize(
    "path", ["/", "/leagues/spring", "/leagues/spring/history", "/bots/ann", "/matches/spring/3.1"]
)
def test_a_page_with_ratings_says_what_a_rating_is_of(site: str, path: str) -> None:
    assert f'<span class="mark" title="{RATED}">?</span>' in asking.get(site + path).text


def test_a_card_of_a_league_says_what_a_rating_is_of(site: str) -> None:
    _, _, cards = asking.get(site).text.partition('<ul class="cards">')
    assert f'Best by rating <span class="mark" title="{RATED}">?</span>' in cards


def test_the_first_page_has_a_match_that_plays_the_busiest_league_and_all_leagues(site: str, open_page: Open) -> None:
    page = open_page(site)
    card = page.locator(".league")
    assert "spring" in card.inner_text()
    assert "finished" in card.inner_text()
    assert "10 of 10 deals" in card.inner_text()
    assert card.locator(".leaders li").count() == 3
    assert page.locator(".list li").count() == 5
    assert page.locator(".front .standings tbody tr").count() == 5
    page.get_by_role("button", name="Play", exact=False).click()
    expect(page.locator("#replay button")).to_contain_text("Pause")
    page.locator("#replay button").click()
    assert "#move" not in page.url
    page.get_by_role("link", name="The whole replay").click()
    assert "/matches/spring/10." in page.url


def test_the_first_page_before_anything_was_played_says_where_to_begin(tmp_path: Path) -> None:
    with site_of(tmp_path / "new.db") as (url, _):
        text = asking.get(url).text
    assert "No league has been made yet" in text
    assert "Play against a bot" in text
    assert "Newest match" not in text


def test_the_league_with_most_matches_is_the_busiest(database: Path) -> None:
    with site_of(database) as (url, stub):
        assert "Standings of spring" in asking.get(url).text
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=11))
        for _ in stub.RunLeague(pb.RunLeagueRequest(name="autumn", workers=1, in_flight=4)):
            pass
    with site_of(database) as (url, _):
        assert "Standings of autumn" in asking.get(url).text


def test_an_unknown_page_says_so(site: str, open_page: Open) -> None:
    page = open_page(site)
    expect_refusal(page, "404")
    answer = page.goto(f"{site}/nothing")
    assert answer
    assert answer.status == 404
    assert "There is no such page" in page.inner_text("main")
    assert violations(page) == []


def test_the_page_of_a_game_has_its_rules_and_its_cards_drawn(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/games/bohnanza")
    expect(page.locator(".deck svg.bl-card")).to_have_count(8)
    assert "104" in page.inner_text(".legend >> nth=0")
    assert "Nothing to shuffle" in page.inner_text(".prose")
    page.get_by_role("link", name="5 seats").click()
    assert page.url.endswith("/bohnanza/5")


@pytest.mark.parametrize("name", [ruleset.id for ruleset in rulesets()])
def test_every_game_has_a_page_with_its_rules(site: str, name: str) -> None:
    answer = asking.get(f"{site}/games/{name}")
    assert answer.status_code == 200
    assert "<h2>Rules</h2>" in answer.text
    assert asking.get(f"{site}/games/{name}/9").status_code == 404


def test_a_game_that_does_not_exist_is_not_found(site: str) -> None:
    assert asking.get(f"{site}/games/poker").status_code == 404


def test_a_league_shows_its_matches_newest_first_in_pages(played: Path) -> None:
    every = [f"{deal}.{rotation}" for deal in range(10, 0, -1) for rotation in range(3, -1, -1)]
    with site_of(played, settings=SiteSettings(page=25)) as (site, _):

        def shown(address: str) -> list[str]:
            return re.findall(r'href="/matches/spring/([0-9.]+)"', asking.get(site + address).text)

        assert shown("/leagues/spring") == every[:8]
        assert shown("/leagues/spring/matches") == every[:25]
        assert 'href="/leagues/spring/matches?after=4.3"' in asking.get(f"{site}/leagues/spring/matches").text
        assert shown("/leagues/spring/matches?after=4.3") == every[25:]
        assert asking.get(f"{site}/leagues/spring/matches?after=x").status_code == 400


def test_only_leagues_of_trading_games_have_a_page_of_gifts(database: Path) -> None:
    with site_of(database) as (url, stub):
        assert ">Gifts<" in asking.get(f"{url}/leagues/spring").text
        for name in ("ann", "ben"):
            submit(stub, bundle(name, games=["duel"]))
        stub.CreateLeague(pb.CreateLeagueRequest(name="duels", ruleset="duel", deals=2))
        assert ">Gifts<" not in asking.get(f"{url}/leagues/duels").text


def test_gifts_between_bots_are_for_organisers(database: Path) -> None:
    with site_of(database, guest=Role.VIEWER) as (url, _):
        assert ">Gifts<" not in asking.get(f"{url}/leagues/spring").text
        assert asking.get(f"{url}/leagues/spring/gifts").status_code == 403


def test_deals_come_in_pages(played: Path, open_page: Open) -> None:
    with site_of(played, settings=SiteSettings(page=4)) as (site, _):
        page = open_page(f"{site}/leagues/spring/deals")
        assert page.locator(".deals tbody tr").count() == 4
        for first in ("5", "9"):
            page.get_by_role("link", name="Later deals").click()
            page.locator(".deals tbody th").get_by_text(first, exact=True).wait_for()
        assert page.locator(".deals tbody th").all_inner_texts() == ["9", "10"]
        page.get_by_role("link", name="Earlier deals").click()
        page.locator(".deals tbody th").get_by_text("5", exact=True).wait_for()


def test_nodes_are_shown_if_several_played(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database)) as changed, changed:
        changed.execute("UPDATE deal SET layer = 'landlock' WHERE number = 2")
        changed.execute("INSERT INTO node VALUES (2, 'right', 'another CPU', '0.2.0', '3.11.2')")
        changed.execute("UPDATE deal SET node_id = 2 WHERE number > 6")
        faults = changed.execute("SELECT count(*) FROM fault WHERE deal > 6").fetchone()
    with site_of(database) as (url, _):
        before, _, shown = asking.get(f"{url}/leagues/spring/deals").text.partition('<table class="nodes">')
        assert "Some deals were played under landlock, a weaker sandbox" in before
        left, right = (re.findall(r">([^<>\n]+)</t[hd]>", row) for row in shown.split("<tr>")[2:])
        assert (left[0], left[4]) == ("left", "6")
        assert right == ["right", "another CPU", "0.2.0", "3.11.2", "4", f"{faults[0]}", f"{faults[0]}", "0"]
        csv = asking.get(f"{url}/leagues/spring/deals.csv").text.splitlines()
        assert [line.rpartition(",")[2] for line in csv] == ["node", *["left"] * 6, *["right"] * 4]


def test_a_league_of_one_node_does_not_name_it(site: str) -> None:
    page = asking.get(f"{site}/leagues/spring/deals").text
    assert "<h2>Nodes</h2>" not in page
    assert "a weaker sandbox" not in page


@pytest.mark.parametrize(
    ("kind", "lines", "key"), [("standings", 6, "standings"), ("matrix", 21, "matrix"), ("deals", 11, "deals")]
)
def test_tables_can_be_downloaded(site: str, kind: str, lines: int, key: str) -> None:
    as_csv = asking.get(f"{site}/leagues/spring/{kind}.csv")
    assert len(as_csv.text.splitlines()) == lines
    assert as_csv.headers["content-disposition"] == f'attachment; filename="spring-{kind}.csv"'
    assert asking.get(f"{site}/leagues/spring/{kind}.json").json()[key]
    assert asking.get(f"{site}/leagues/spring/{kind}.xml").status_code == 404


def test_standings_are_those_of_the_service(site: str, open_page: Open) -> None:
    page = open_page(f"{site}/leagues/spring", javascript=False)
    expected = asking.get(f"{site}/leagues/spring/standings.json").json()["standings"]
    shown = page.locator("#rows tr").all_inner_texts()
    assert len(shown) == len(expected) == 5
    for row, standing in zip(shown, expected, strict=True):
        assert f"{standing['bot']}@1" in row
        assert str(standing["deals"]) in row


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("/leagues/spring", "5 bots play bohnanza: "),
        ("/bots/ann", ""),
        ("/matches/spring/3.1", "bohnanza: 1. "),
    ],
)
def test_a_link_to_a_league_a_bot_or_a_match_has_a_preview(site: str, path: str, about: str) -> None:
    text = asking.get(site + path).text
    (title,) = re.findall(r'<meta property="og:title" content="([^"]+)">', text)
    (description,) = re.findall(r'<meta property="og:description" content="([^"]+)">', text)
    assert title == path.split("/", 2)[2]
    assert description.startswith(about)
    assert f'<meta name="description" content="{description}">' in text
    assert "og:" not in asking.get(f"{site}/bots").text


def test_tabs_with_nothing_are_hidden(database: Path) -> None:
    with site_of(database) as (url, stub):
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=10))

        def tabs(league: str) -> list[str]:
            _, nav = asking.get(f"{url}/leagues/{league}").text.split('<nav class="tabs"', 1)
            return re.findall(r"<a [^>]+>(\w+)</a>", nav.partition("</nav>")[0])

        assert tabs("autumn") == ["Standings", "Matches", "Deals"]
        assert tabs("spring") == ["Standings", "Matches", "History", "Matrix", "Seats", "Gifts", "Deals"]


def test_a_league_that_was_not_played_has_all_its_pages(database: Path) -> None:
    with site_of(database) as (url, stub):
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=10))
        for tab in ("", "/history", "/matrix", "/seats", "/gifts", "/deals"):
            assert asking.get(f"{url}/leagues/autumn{tab}").status_code == 200


def test_a_league_whose_run_ended_early_says_how_it_goes_on(database: Path) -> None:
    """Also in what is sent while somebody looks on; not of a league that is over."""
    how = "An organiser goes on with <code>beanleague league run spring</code>"
    with site_of(database) as (url, stub):
        assert how not in asking.get(f"{url}/leagues/spring").text
        stub.AddBots(pb.AddBotsRequest(league="spring", deals=20))
    with site_of(database) as (url, _):
        assert how in asking.get(f"{url}/leagues/spring").text
        with asking.Client(base_url=url) as browser, browser.stream("GET", "/leagues/spring/live", timeout=60) as sent:
            assert any(how in line for line in sent.iter_lines())


def test_hostile_texts_in_a_database_are_shown_as_text(database: Path, open_page: Open) -> None:
    """Nobody can submit them; a database may come from anywhere."""
    with contextlib.closing(sqlite3.connect(database)) as changed, changed:
        changed.execute("UPDATE bot_version SET description = ?, author = ?", [HOSTILE, HOSTILE * 20_000])
    with site_of(database) as (url, _):
        page = open_page(f"{url}/bots/ann")
        assert "<img src=x onerror=alert(1)>\ufffd" in page.inner_text("main")
        assert page.locator("main img, main script").count() == 0


def test_a_league_whose_name_is_none_is_not_shown(database: Path) -> None:
    with contextlib.closing(sqlite3.connect(database)) as changed, changed:
        changed.execute("UPDATE league SET name = ?", [HOSTILE])
    with site_of(database) as (url, _):
        answer = asking.get(url)
        assert answer.status_code >= 400
        assert "<img src=x" not in answer.text


def test_the_first_tab_stop_skips_to_the_content(site: str, open_page: Open) -> None:
    page = open_page(site)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
