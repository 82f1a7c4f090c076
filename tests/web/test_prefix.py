"""A site below a path of a host that it shares: no address leads out of it."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Request
from starlette.requests import Request as Asked
from starlette.responses import Response

from beanleague.service.access import Role
from beanleague.web.security import Sessions, Visitor
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from tests.nginx import NGINX
from tests.web import asking
from tests.web.conftest import Open, site_of
from tests.web.test_security import NAME, nginx_before

PREFIX = "/beans"
PATHS = re.compile(r"""["'(]/(?![/>])(?!beans[/"'?#])[^"'\s<>]*""")
"""A text in a page that can only be an address, without the prefix."""
HAS_ADDRESS = re.compile(r"""(?:href|src|action|data-record|data-table|hx-get|sse-connect)="(/[^"]*)""")
MOST_PAGES = 120


@pytest.fixture(scope="module")
def shared(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the site of `played` below a path, with a league that is not over, where everybody may do all."""
    database = tmp_path_factory.mktemp("shared") / "leagues.db"
    database.write_bytes(played.read_bytes())
    with site_of(database, settings=SiteSettings(prefix=PREFIX)) as (url, stub):
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=10))
        stub.CreateLadder(pb.CreateLadderRequest(name="climb", ruleset="bohnanza", without_house_bots=True))
        stub.EnterLadder(pb.EnterLadderRequest(name="climb", bot="ann"))
        yield url


def test_all_pages_lead_to_pages_below_the_prefix(shared: str) -> None:
    """From the first page on, and of addresses that differ by numbers and queries alone one."""
    found, kinds = [f"{PREFIX}/"], set[str]()
    with asking.Client(base_url=shared) as client:
        for address in found:
            answer = client.get(address)
            assert answer.status_code == 200, address
            if "text/html" not in answer.headers["content-type"]:
                continue
            assert PATHS.findall(answer.text) == [], address
            for linked in HAS_ADDRESS.findall(answer.text):
                path = linked.replace("&amp;", "&").partition("#")[0]
                kind = re.sub(r"ann|ben|cid|dora|eve|\d+", "", path)
                if kind not in kinds and not path.endswith("/live") and len(found) < MOST_PAGES:
                    kinds.add(kind)
                    found.append(path)
    parts = {address.split("/")[2].partition("?")[0] for address in found}
    assert parts >= {"leagues", "bots", "matches", "deals", "games", "guide", "play", "submit", "compare", "static"}


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [("", "/"), ("?x=1&y=%2F", "/?x=1&y=%2F"), ("/bots/", "/bots"), ("/games/?q=a", "/games?q=a")],
)
def test_redirects_stay_below_the_prefix(shared: str, path: str, leads_to: str) -> None:
    answer = asking.get(f"{shared}{PREFIX}{path}")
    assert answer.is_redirect
    assert answer.headers["location"] == PREFIX + leads_to


@pytest.mark.parametrize("path", ["/", "/bots", "/beansprout", "/beansprout/bots", "/static/site.css"])
def test_other_paths_of_the_host_are_not_the_sites(shared: str, path: str) -> None:
    answer = asking.get(shared + path)
    assert answer.status_code == 404
    assert "This site starts at /beans/" in answer.text


def test_a_proxy_that_cuts_the_prefix_off_is_told_where_there_is_one(played: Path) -> None:
    settings = SiteSettings(hosts=frozenset({NAME}), prefix=PREFIX, behind_proxy=True)
    with site_of(played, guest=Role.VIEWER, settings=settings) as (url, _):
        answer = asking.get(f"{url}/bots", headers={"host": NAME})
    assert (answer.status_code, "a proxy in front of it must keep /beans in the paths" in answer.text) == (404, True)


def test_cached_files_are_not_sent_again_below_the_prefix(shared: str) -> None:
    for path in ("/static/site.css", "/matches/spring/1.0/replay.json"):
        first = asking.get(f"{shared}{PREFIX}{path}")
        again = asking.get(f"{shared}{PREFIX}{path}", headers={"if-none-match": first.headers["etag"]})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


@pytest.mark.parametrize("path", ["", "/", "/leagues/autumn", "/leagues/autumn/live", "/matches/spring/1.0.json"])
def test_a_request_for_the_head_alone_ends_with_the_headers_of_the_page(shared: str, path: str) -> None:
    """Of a stream of events too, which else has no end."""
    answer = asking.head(f"{shared}{PREFIX}{path}")
    assert (answer.status_code, answer.content) == (308 if not path else 200, b"")
    if path.endswith("/live"):
        assert answer.headers["content-type"].startswith("text/event-stream")


def test_forms_lead_to_pages_below_the_prefix(shared: str) -> None:
    origin = {"origin": shared}
    out = asking.post(f"{shared}{PREFIX}/sign-out", headers=origin)
    assert (out.status_code, out.headers["location"]) == (303, "/beans/")
    form = {"game": "bohnanza-two", "opponent1": "nobody"}
    sat = asking.post(f"{shared}{PREFIX}/play", headers=origin, data=form)
    assert (sat.status_code, sat.headers["location"].rpartition("/")[0]) == (303, "/beans/play")


def test_robots_are_told_the_paths_of_the_host(shared: str) -> None:
    lines = asking.get(f"{shared}{PREFIX}/robots.txt").text.splitlines()
    assert {"Disallow: /beans/matches/", "Disallow: /beans/*.csv"} < set(lines)
    assert all(line.startswith("Disallow: /beans/") for line in lines if line.startswith("Disallow"))


@pytest.mark.parametrize(
    ("secure", "prefix", "name", "path"),
    [
        (True, "", "__Host-session", "/"),
        (True, PREFIX, "__Secure-session", PREFIX),  # a name with __Host- is for all paths
        (False, "", "session", "/"),
        (False, PREFIX, "session", PREFIX),
    ],
)
def test_a_session_is_for_the_paths_of_the_site(*, secure: bool, prefix: str, name: str, path: str) -> None:
    sessions, begun, ended = Sessions(secure=secure, prefix=prefix), Response(), Response()
    sessions.begin(begun, Visitor("ann", pb.ROLE_AUTHOR, "token"))
    sessions.end(Asked({"type": "http", "headers": []}), ended)
    for response in (begun, ended):
        cookie, *rest = response.headers["set-cookie"].split("; ")
        assert cookie.partition("=")[0] == name
        assert f"Path={path}" in rest
        assert ("Secure" in rest) == secure


def test_scripts_ask_and_link_below_the_prefix(shared: str, open_page: Open) -> None:
    page = open_page(f"{shared}{PREFIX}/")
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(urlsplit(request.url).path)

    page.on("request", note)
    page.goto(f"{shared}{PREFIX}/matches/spring/3.1")
    page.wait_for_selector("#replay[data-ready]")
    page.goto(f"{shared}{PREFIX}/deals/spring/3?bot=ann")
    page.wait_for_selector("[data-deal][data-ready]")
    assert page.locator(".beside a").first.get_attribute("href") in {f"/beans/matches/spring/3.{n}" for n in range(4)}
    with page.expect_request("**/live"):
        page.goto(f"{shared}{PREFIX}/leagues/autumn")
    page.remove_listener("request", note)
    assert all(path.startswith("/beans/") for path in asked)


@pytest.mark.skipif(not NGINX, reason="nginx is not installed (docs/web.md)")
def test_nginx_shows_the_site_below_a_path(database: Path, tmp_path: Path) -> None:
    with site_of(database) as (_, stub):
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=10))
    settings = SiteSettings(hosts=frozenset({NAME}), behind_proxy=True, prefix=PREFIX)
    with (
        site_of(database, guest=Role.VIEWER, settings=settings) as (url, _),
        nginx_before(url, tmp_path, "/beans/") as proxy,
        asking.Client(base_url=proxy, headers={"host": NAME}) as client,
    ):
        assert urlsplit(client.get("/beans").headers["location"]).path == "/beans/"
        assert client.get("/beans/bots/").headers["location"] == "/beans/bots"
        page = client.get("/beans/leagues/autumn")
        assert 'href="/beans/static/site.css"' in page.text
        assert client.get("/beans/static/site.css").status_code == 200
        out = client.post("/beans/sign-out", headers={"origin": f"https://{NAME}"})
        assert (out.status_code, out.headers["location"]) == (303, "/beans/")
        assert "Path=/beans" in out.headers["set-cookie"]
        with client.stream("GET", "/beans/leagues/autumn/live", headers={"accept": "text/event-stream"}) as stream:
            assert next(stream.iter_lines()) == "event: standings"
