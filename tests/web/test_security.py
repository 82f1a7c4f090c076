"""What a site refuses and how it says so, and whom it believes behind a proxy."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit
from urllib.robotparser import RobotFileParser

import grpc
import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from beanleague.service.access import Cost, Role
from beanleague.service.gate import Allowance
from beanleague.service.server import served
from beanleague.store import Store
from beanleague.web import security
from beanleague.web.app import make_app
from beanleague.web.security import POLICY, visitor
from beanleague.web.serving import serving
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.nginx import NGINX, block_of, free_port, running
from tests.service.helpers import WithToken
from tests.waiting import until
from tests.web import asking
from tests.web.conftest import site_of

HOSTILE = ["<script>alert(1)</script>", "../../etc/passwd", "x" * 5000, "\u202egnirps", "%00", "a\r\nset-cookie: a=b"]

NAME = "league.example.org"


def test_every_answer_has_the_headers_that_keep_browsers_safe(site: str) -> None:
    for path in ("/", "/static/site.css", "/nothing", "/leagues/spring/standings.json"):
        headers = asking.get(site + path).headers
        assert headers["content-security-policy"] == POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers
    assert "unsafe" not in POLICY


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "", "[::1"])
def test_another_host_is_refused(site: str, host: str) -> None:
    answer = asking.get(site, headers={"host": host})
    assert answer.status_code in {400, 421}
    assert "spring" not in answer.text


def test_hosts_are_those_of_the_site(site: str) -> None:
    port = urlsplit(site).port
    for host in (f"localhost:{port}", f"LOCALHOST:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "localhost"):
        assert asking.get(site, headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1", "https://{netloc}"])
@pytest.mark.parametrize("fetched", ["cross-site", "same-site", "same-origin"])
def test_a_post_that_is_not_from_a_page_of_the_site_is_refused(site: str, origin: str, fetched: str) -> None:
    headers = {"origin": origin.format(netloc=urlsplit(site).netloc), "sec-fetch-site": fetched}
    for path in ("/sign-in", "/sign-out", "/submit"):
        answer = asking.post(site + path, headers=headers, data={"token": "a"})
        assert answer.status_code == 403
        assert "request did not come from a page of this site" in answer.text


@pytest.mark.parametrize("origin", [{}, {"origin": "null"}, {"origin": ""}])
@pytest.mark.parametrize("fetched", [{}, *({"sec-fetch-site": site} for site in ("cross-site", "same-site", "none"))])
def test_a_post_from_a_page_that_is_not_named_is_refused_for_that(
    site: str, origin: dict[str, str], fetched: dict[str, str]
) -> None:
    answer = asking.post(f"{site}/sign-out", headers={**origin, **fetched})
    assert answer.status_code == 403
    assert "does not say which page sent this" in answer.text


@pytest.mark.parametrize("origin", [{}, {"origin": "null"}])
def test_a_post_passes_whose_browser_hides_the_page_but_knows_that_it_is_of_the_site(
    site: str, origin: dict[str, str]
) -> None:
    headers = {**origin, "sec-fetch-site": "same-origin"}
    assert asking.post(f"{site}/sign-out", headers=headers).status_code == 303


@pytest.mark.parametrize(("host", "origin"), [(f"{NAME}:443", f"https://{NAME}"), (NAME, f"https://{NAME}:443")])
def test_a_port_that_browsers_leave_out_makes_no_other_origin(database: Path, host: str, origin: str) -> None:
    """Some proxies name it: proxy_set_header Host $host:$server_port."""
    settings = SiteSettings(hosts=frozenset({NAME}), behind_proxy=True)
    with site_of(database, guest=Role.VIEWER, settings=settings) as (url, _):
        headers = {"host": host, "x-forwarded-proto": "https"}
        assert asking.post(f"{url}/sign-out", headers={**headers, "origin": origin}).status_code == 303
        wrong = asking.post(f"{url}/sign-out", headers={**headers, "origin": f"{origin.removesuffix(':443')}:80"})
        assert wrong.status_code == 403


PUBLIC = ("/matches/spring/1.0.json", "/matches/spring/1.0/replay.json")
DOWNLOADS = tuple(
    f"/leagues/spring/{kind}.{form}" for kind in ("standings", "matrix", "deals") for form in ("csv", "json")
)
OWN = ("/", "/leagues/spring", "/matches/spring/1.0", "/bots/ann", "/play", "/matches/spring/1.0/legal?move=0")


def test_pages_of_other_sites_may_read_the_records_and_tables_of_a_public_site_alone(database: Path, site: str) -> None:
    with site_of(database, guest=Role.VIEWER, settings=SiteSettings(public=True)) as (url, _):
        shared = {path: allowed(url + path) for path in (*PUBLIC, *DOWNLOADS, *OWN)}
        tag = asking.get(url + PUBLIC[0]).headers["etag"]
        unchanged = asking.get(url + PUBLIC[0], headers={"if-none-match": tag})
    assert {path for path, found in shared.items() if found == ("*", "cross-origin")} == {*PUBLIC, *DOWNLOADS}
    assert {shared[path] for path in OWN} == {(None, "same-origin")}
    assert (unchanged.status_code, unchanged.headers["access-control-allow-origin"]) == (304, "*")
    assert {allowed(site + path) for path in (*PUBLIC, *DOWNLOADS)} == {(None, "same-origin")}


def allowed(address: str) -> tuple[str | None, str]:
    """Whom an answer lets read it."""
    headers = asking.get(address, headers={"origin": "https://elsewhere.example"}).headers
    return headers.get("access-control-allow-origin"), headers["cross-origin-resource-policy"]


def test_robots_are_asked_to_leave_matches_alone(site: str) -> None:
    robots = RobotFileParser()
    answer = asking.get(f"{site}/robots.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    robots.parse(answer.text.splitlines())
    assert all(robots.can_fetch("any", path) for path in ("/", "/leagues/spring", "/bots/ann", "/games/duel"))
    assert not any(robots.can_fetch("any", path) for path in ("/matches/spring/1.0", "/deals/spring/1", "/play"))


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("path", ["/leagues/{}", "/leagues/{}/matrix", "/leagues/{}/standings.csv", "/submit/{}"])
def test_an_unknown_name_is_not_found_and_is_shown_as_text(site: str, path: str, name: str) -> None:
    answer = asking.get(site + path.format(quote(name, safe="")))
    assert answer.status_code in {400, 404}
    assert "<script>alert" not in answer.text
    assert "\u202e" not in answer.text
    assert "set-cookie" not in answer.headers
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("after", ["-1", "x", "1e9", "9" * 15, "9" * 40, "<b>", "٣"])
def test_a_page_of_deals_that_cannot_be_is_refused(site: str, after: str) -> None:
    answer = asking.get(f"{site}/leagues/spring/deals", params={"after": after})
    assert answer.status_code == 400
    assert "<b>" not in answer.text


LONG = "9" * 5000  # digits, more than Python reads as a number


@pytest.mark.parametrize(
    "path",
    [
        f"/games/duel/{LONG}",
        f"/play?game=bohnanza&seats={LONG}",
        "/play?game=bohnanza&seats=\u00b2",
        f"/leagues/spring/deals?after={LONG}",
        f"/matches/spring/1.0/legal?move={LONG}",
        f"/matches/spring/{LONG}.0",
        f"/compare?league=spring&a=ann@{LONG}&b=ben@1",
        f"/bots/ann/log?version={LONG}",
    ],
)
def test_a_number_that_cannot_be_in_an_address_is_refused(site: str, path: str) -> None:
    answer = asking.get(site + path)
    assert 400 <= answer.status_code < 500
    assert LONG[:100] not in answer.text


@pytest.mark.parametrize("charset", ["undefined", "punycode", "unicode_escape", "utf-16"])
def test_a_form_in_other_letters_is_refused(site: str, charset: str) -> None:
    part = '--b\r\ncontent-disposition: form-data; name="{}"\r\n\r\n\\ud800\u00ff\r\n'
    body = "".join(part.format(name) for name in ("token", "game", "opponent1", "what")) + "--b--\r\n"
    headers = {"origin": site, "content-type": f"multipart/form-data; boundary=b; charset={charset}"}
    for path in ("/sign-in", "/play", "/submit"):
        assert asking.post(site + path, headers=headers, content=body.encode()).status_code == 415


def test_an_error_is_json_for_programs(site: str) -> None:
    answer = asking.get(f"{site}/leagues/nothing/standings.json")
    assert answer.status_code == 404
    assert list(answer.json()) == ["error"]


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "PUT", "TRACE"])
@pytest.mark.parametrize("path", ["/", "/submit", "/leagues/spring/standings.csv", "/static/site.css"])
def test_a_method_that_no_page_has_is_refused_for_that_wherever_it_comes_from(
    site: str, method: str, path: str
) -> None:
    for headers in ({"origin": site}, {"origin": "https://evil.example"}, {}):
        answer = asking.request(method, site + path, headers=headers)
        assert answer.status_code == 405
        assert "<main" in answer.text


@pytest.mark.parametrize("length", [None, 6 * 2**20 + 82])
@pytest.mark.parametrize(
    ("path", "kind", "most"),
    [
        ("/sign-in", "application/x-www-form-urlencoded", "65,536"),
        ("/submit", "multipart/form-data; boundary=x", "5,242,880"),
    ],
)
def test_a_body_that_is_too_large_is_refused_while_it_arrives(
    site: str, path: str, kind: str, most: str, length: int | None
) -> None:
    def body() -> Iterator[bytes]:
        yield b'--x\r\ncontent-disposition: form-data; name="bundle"; filename="a.zip"\r\n\r\n'.ljust(82)
        for _ in range(96):
            yield bytes(2**16)

    headers = {"origin": site, "content-type": kind}
    if length is not None:
        headers["content-length"] = str(length)
    answer = asking.post(site + path, headers=headers, content=body(), timeout=60)
    assert answer.status_code == 413
    assert most in answer.text


@pytest.mark.parametrize(
    "body", [b"", b"--x\r\n", b"--x\r\ncontent-disposition: form-data; name=bundle\r\n\r\nabc\r\n--x--\r\n"]
)
def test_a_form_without_a_file_is_refused(site: str, body: bytes) -> None:
    headers = {"origin": site, "content-type": "multipart/form-data; boundary=x"}
    answer = asking.post(f"{site}/submit", headers=headers, content=body)
    assert answer.status_code == 400
    assert "<main" in answer.text


def test_data_that_is_no_http_is_refused(site: str) -> None:
    parts = urlsplit(site)
    with socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=60) as connection:
        connection.sendall(b"\x00\xff" * 40 + b"\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_a_visitor_who_asks_too_often_is_refused_and_hears_how_long_to_wait(database: Path) -> None:
    few = {Cost.READ: Allowance(rate=0.001, burst=2, open=2), Cost.WORK: Allowance(rate=0.001, burst=1, open=1)}
    with site_of(database, allowances=few) as (url, _):
        answers = [asking.get(f"{url}/games") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert "too many" in answers[-1].text
        assert int(answers[-1].headers["retry-after"]) > 100
        posts = [asking.post(f"{url}/sign-in", headers={"origin": url}, data={"token": "a"}) for _ in range(2)]
        assert [answer.status_code for answer in posts] == [401, 429]


def test_of_forwarded_addresses_only_that_of_the_own_proxy_counts() -> None:
    scope = {"type": "http", "client": ("127.0.0.1", 5)}
    headers = Headers({"x-forwarded-for": "10.0.0.1, 198.51.100.7"})
    assert visitor(scope, headers, SiteSettings(behind_proxy=True)) == "198.51.100.7"
    assert visitor(scope, headers, SiteSettings()) == "127.0.0.1"


def test_behind_a_proxy_posts_come_from_its_name_by_tls(database: Path) -> None:
    settings = SiteSettings(hosts=frozenset({"league.example.org"}), behind_proxy=True)
    with site_of(database, guest=Role.VIEWER, settings=settings) as (url, _):
        forwarded = {"host": "league.example.org", "x-forwarded-proto": "https", "x-forwarded-for": "198.51.100.7"}
        assert asking.get(url).status_code == 421
        wrong = asking.post(f"{url}/sign-out", headers={**forwarded, "origin": "http://league.example.org"})
        assert wrong.status_code == 403
        assert "the proxy must set X-Forwarded-Proto" in wrong.text
        right = asking.post(f"{url}/sign-out", headers={**forwarded, "origin": "https://league.example.org"})
        assert right.status_code == 303
        assert "__Host-session" in right.headers["set-cookie"]
        assert "Secure" in right.headers["set-cookie"]


def test_a_database_that_is_damaged_is_said_so_without_its_place(database: Path) -> None:
    with site_of(database) as (url, _):
        assert asking.get(f"{url}/leagues/spring").status_code == 200
        database.write_bytes(b"this is no database" * 10_000)
        answer = asking.get(f"{url}/leagues/spring/deals?after=3")
        assert answer.status_code == 503
        assert "cannot be reached at the moment" in answer.text
        assert str(database.parent) not in answer.text


def test_a_server_that_goes_away_is_said_so_and_pages_come_back_with_it(database: Path, tmp_path: Path) -> None:
    address = f"unix:{tmp_path / 'socket'}"
    url = f"sqlite:///{database}"
    with Store(url) as store:
        viewer = store.tokens.new("viewer", "viewer", None)[1]
    with grpc.insecure_channel(address, options=[("grpc.max_reconnect_backoff_ms", 100)]) as channel:
        stub = LeagueStub(grpc.intercept_channel(channel, WithToken(viewer)))
        with serving(make_app(stub, SiteSettings()), "127.0.0.1:0") as site:
            with served(address, url):
                assert asking.get(f"{site}/leagues/spring/matrix").status_code == 200
            gone = asking.get(f"{site}/leagues/spring/deals")
            assert gone.status_code == 503
            assert "cannot be reached at the moment" in gone.text
            assert asking.get(f"{site}/static/site.css").status_code == 200
            with served(address, url):
                until(lambda: asking.get(f"{site}/leagues/spring/deals").status_code != 503)
                assert asking.get(f"{site}/leagues/spring/deals").status_code == 200


def test_a_guest_may_not_submit(database: Path) -> None:
    with site_of(database, guest=Role.VIEWER) as (url, _):
        answer = asking.post(f"{url}/submit", headers={"origin": url}, files={"bundle": ("a.zip", b"zip")})
        assert answer.status_code == 403
        assert "sign in" in answer.text


GUIDE = (Path(__file__).parents[2] / "docs" / "web.md").read_text("utf-8")
CONFIG = """
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        server_name league.example.org;
{location}
    }}
}}
"""


@contextmanager
def nginx_before(upstream: str, folder: Path, path: str = "/") -> Iterator[str]:
    """Run nginx with the location of docs/web.md before the site at `upstream`, below `path`; give its URL."""
    location = block_of(GUIDE)
    assert "http://127.0.0.1:8411" in location
    assert location.startswith("location / {")
    location = location.replace("location /", f"location {path}")
    # TLS ends at the proxy; here it has none, so what it would say is said for it.
    location = location.replace("http://127.0.0.1:8411", upstream).replace("$scheme", "https")
    port = free_port()
    with running(folder, CONFIG.format(folder=folder, port=port, location=location), port):
        yield f"http://127.0.0.1:{port}"


@pytest.mark.skipif(not NGINX, reason="nginx is not installed (docs/web.md)")
def test_pages_posts_and_streams_pass_through_nginx(database: Path, tmp_path: Path) -> None:
    with site_of(database) as (_, stub):
        stub.CreateLeague(pb.CreateLeagueRequest(name="autumn", ruleset="bohnanza", seats=4, deals=10))
    settings = SiteSettings(hosts=frozenset({NAME}), behind_proxy=True)
    with (
        site_of(database, guest=Role.VIEWER, settings=settings) as (url, _),
        nginx_before(url, tmp_path) as proxy,
        asking.Client(base_url=proxy, headers={"host": NAME}) as client,
    ):
        assert client.get("/leagues/spring").status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 421
        # What a visitor says of its own address, or of its scheme, is not believed.
        forged = {"x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http", "origin": f"http://{NAME}"}
        assert client.post("/sign-out", headers=forged).status_code == 403
        signed = client.post("/sign-in", headers={"origin": f"https://{NAME}"}, data={"token": "wrong"})
        assert signed.status_code == 401
        with client.stream("GET", "/leagues/autumn/live", headers={"accept": "text/event-stream"}) as stream:
            assert next(stream.iter_lines()) == "event: standings"


def test_an_answer_to_a_post_may_take_longer_than_the_post_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "_BODY_TIMEOUT_S", 0.01)
    heard: list[str] = []

    async def receive() -> Message:
        if heard:
            await asyncio.sleep(0.05)
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": b""}

    async def app(_: Scope, receive: Receive, __: Send) -> None:
        heard.append((await receive())["type"])
        heard.append((await receive())["type"])

    async def send(_: Message) -> None: ...

    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost")]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "scheme": "http", "client": ("::1", 1)}
    asyncio.run(security.Guarded(app, SiteSettings())(scope, receive, send))
    assert heard == ["http.request", "http.disconnect"]
