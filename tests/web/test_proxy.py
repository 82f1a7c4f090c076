"""A site behind nginx, as docs/web.md says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from beanleague.service.access import Role
from beanleague.web.settings import SiteSettings
from beanproto.v1 import league_pb2 as pb
from tests.nginx import NGINX, block_of, free_port, running
from tests.web.conftest import site_of

PAGE = (Path(__file__).parents[2] / "docs" / "web.md").read_text("utf-8")
NAME = "league.example.org"
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
def before(upstream: str, folder: Path) -> Iterator[str]:
    """Run nginx with the location of docs/web.md before the site at `upstream`; give its URL."""
    location = block_of(PAGE)
    assert "http://127.0.0.1:8411" in location
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
        before(url, tmp_path) as proxy,
        httpx.Client(base_url=proxy, headers={"host": NAME}) as client,
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
