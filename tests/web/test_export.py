"""The site as files, for any static host."""

import functools
import json
import re
import shutil
import signal
import subprocess
import sys
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from beanleague.games import record_to_json
from beanleague.service.access import Role
from beanleague.service.server import embedded
from beanleague.web.export import Counts, ExportError, SiteFolder, export, file_of, with_relative_links
from beanleague.wire import record_from_pb
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_CREATED,
    GetMatchRequest,
    HideLeagueRequest,
    LeagueInfo,
    ListLeaguesResponse,
)
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.helpers import SECRET
from tests.waiting import join
from tests.web.browsing import violations, wider_than_the_window
from tests.web.conftest import Open, shared_league


@contextmanager
def service(file: Path) -> Iterator[LeagueStub]:
    """The calls of a database for visitors."""
    with embedded(f"sqlite:///{file}", cache=file.parent / "cache", guest=Role.VIEWER) as channel:
        yield LeagueStub(channel)


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the league "spring" as elsewhere, but of three deals: every match becomes a page."""
    return Path(shutil.copy(shared_league(tmp_path_factory, deals=3), tmp_path_factory.mktemp("played")))


@pytest.fixture(scope="session")
def written(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of `played` as files, not to be changed; it is in a sub-folder of its parent."""
    target = tmp_path_factory.mktemp("host") / "some" / "site"
    with service(played) as stub:
        counts = export(stub, target)
    assert counts.matches == 12
    assert counts.dead == ()
    return target


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture(scope="session")
def host(written: Path) -> Iterator[str]:
    """The URL of a plain file server with the site in a sub-folder."""
    handler = functools.partial(_Quiet, directory=str(written.parent.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/some/site/"
        server.shutdown()
        join(thread)


_MAX_MATCH_BYTES = 12_000
_KILLED_AT = 7

_KILLED = """
import os, signal, sys
from pathlib import Path
from beanleague.web.export import export
from tests.web.test_export import service

def die(done, total):
    if done == {at}:
        Path(sys.argv[2], ".part").write_text("half a pa")
        os.kill(os.getpid(), signal.SIGKILL)

with service(Path(sys.argv[1])) as stub:
    export(stub, Path(sys.argv[2]), die)
"""


def contents(target: Path) -> dict[str, bytes]:
    """Return every file, the first page without the minute in which it was written."""
    files = {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    return files | {"index.html": re.sub(rb"<time>[0-9: -]{16}</time>", b"", files["index.html"], count=1)}


@pytest.fixture
def copy(written: Path, tmp_path: Path) -> Path:
    """A copy of `written` for one test."""
    return Path(shutil.copytree(written, tmp_path / "site"))


def exported(played: Path, target: Path) -> Counts:
    with service(played) as stub:
        return export(stub, target)


def test_every_link_leads_to_a_file(written: Path) -> None:
    pages = list(written.rglob("*.html"))
    for page in pages:
        links = re.findall(r'\s(?:href|src)="([^"#]+)', page.read_text())
        assert links
        assert not [link for link in links if "://" in link or link.startswith("/")]
        assert not [link for link in links if not (page.parent / link).is_file()], page
    names = {page.relative_to(written).as_posix() for page in pages}
    assert {
        "index.html",
        "games.html",
        "guide/tutorial.html",
        "leagues/spring.html",
        "bots/ann.html",
        "matches/spring/3.3.html",
    } <= names


def test_the_first_page_says_when_it_was_written(written: Path) -> None:
    text = (written / "index.html").read_text()
    assert re.search(r"Written <time>\d{4}-\d\d-\d\d \d\d:\d\d</time> UTC", text)
    assert "@written@" not in text


def test_the_page_of_a_match_is_small(written: Path) -> None:
    sizes = [page.stat().st_size for page in written.glob("matches/spring/*.html")]
    assert len(sizes) == 12
    assert max(sizes) <= _MAX_MATCH_BYTES


def test_only_what_is_new_is_written(played: Path, copy: Path, written: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    assert exported(played, copy) == Counts(0, 0, 0, ())
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == before
    for name in ("3.1", "2.0"):
        (copy / f"matches/spring/{name}.html").unlink()
    counts = exported(played, copy)
    assert (counts.files, counts.matches) == (2, 2)
    assert contents(copy) == contents(written)


@pytest.mark.slow
def test_a_killed_run_is_continued_to_the_same_files(played: Path, tmp_path: Path, written: Path) -> None:
    code = _KILLED.replace("{at}", str(_KILLED_AT))
    killed = subprocess.run([sys.executable, "-c", code, str(played), str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list((tmp_path / "matches/spring").iterdir())) == _KILLED_AT
    assert exported(played, tmp_path).matches == 12 - _KILLED_AT
    assert contents(tmp_path) == contents(written)


def test_matches_of_another_league_of_the_name_are_written_again(played: Path, copy: Path, written: Path) -> None:
    file = copy / "site.json"
    file.write_text(re.sub(r'"[^"]*"(?=\n *\})', '"an earlier one"', file.read_text(), count=1))
    (copy / "matches/spring/99.0.html").write_text("of an earlier league")
    assert exported(played, copy).matches == 12
    assert contents(copy) == contents(written)


def test_a_hidden_league_is_put_away_and_comes_back(played: Path, copy: Path, written: Path, database: Path) -> None:
    with embedded(f"sqlite:///{database}", cache=database.parent / "cache") as channel:
        LeagueStub(channel).HideLeague(HideLeagueRequest(name="spring"))
    exported(database, copy)
    assert not [name for name in contents(copy) if "spring" in name]
    assert b"spring" not in (copy / "index.html").read_bytes() + (copy / "bots" / "ann.html").read_bytes()
    exported(played, copy)
    assert contents(copy) == contents(written)


def test_secrets_and_logs_are_not_written(written: Path) -> None:
    everything = b"".join(contents(written).values())
    for secret in (SECRET, SECRET.hex().encode(), b64encode(SECRET)):
        assert secret not in everything


def test_a_folder_of_something_else_is_left_alone(played: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(
        ExportError, match="contains files that do not belong to a site; choose an empty or a new folder"
    ):
        exported(played, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps({"beanleague site": 3})])
def test_a_damaged_list_of_contents_is_an_error(played: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "site.json").write_text(text)
    with pytest.raises(ExportError, match=r"site.json is damaged; choose a new folder"):
        exported(played, tmp_path)


def test_a_server_cannot_name_files_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: Path) -> None:
    """Files of a folder beside the site stay, whatever leagues are called."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    hostile = ListLeaguesResponse(leagues=[LeagueInfo(name="../../mine", state=LEAGUE_STATE_CREATED)])
    with service(played) as stub, monkeypatch.context() as patch:
        patch.setattr(stub, "ListLeagues", lambda *_, **__: hostile)
        with pytest.raises(ExportError, match=r"'../../mine' is not the name of a league"):
            export(stub, tmp_path / "site")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("/leagues/spring", "leagues/spring.html"),
        ("/leagues/spring/deals", "leagues/spring/deals.html"),
        ("/leagues/spring/deals?after=100", "leagues/spring/deals~after~100.html"),
        ("/leagues/spring/standings.csv", "leagues/spring/standings.csv"),
        ("/matches/spring/12.0", "matches/spring/12.0.html"),
        ("/matches/spring/12.0#move=3", "matches/spring/12.0.html"),
        ("/static/viewer/viewer.js", "static/viewer/viewer.js"),
        ("/bots/con", "bots/con~.html"),
        ("/bots/con?version=1", "bots/con~~version~1.html"),
        ("/matches/aux/1.0", "matches/aux~/1.0.html"),
        ("/leagues/com1/standings.csv", "leagues/com1~/standings.csv"),
        ("/bots/console", "bots/console.html"),
    ],
)
def test_an_address_has_its_file(address: str, file: str) -> None:
    assert file_of(address) == file


def test_two_addresses_have_two_files_whatever_bots_are_called() -> None:
    assert file_of("/bots/ann?league=l&version=1") != file_of("/bots/ann-league-l-version-1")
    assert file_of("/bots/ann?league=l~version&x=1") is None
    assert file_of("/bots/con~") is None


def test_a_second_content_of_a_file_is_an_error(tmp_path: Path) -> None:
    folder = SiteFolder(tmp_path)
    for _ in range(2):
        folder.write("bots/ann.html", b"ann")
    with pytest.raises(ExportError, match=r"two pages would be written to the file bots/ann\.html"):
        folder.write("bots/ann.html", b"another")
    with pytest.raises(ExportError, match=r"two pages would be written to the file bots/Ann\.html"):
        folder.write("bots/Ann.html", b"ann")  # one file with that of ann, where the site is put on another system
    assert (tmp_path / "bots/ann.html").read_bytes() == b"ann"
    assert sorted(path.name for path in (tmp_path / "bots").iterdir()) == ["ann.html"]


@pytest.mark.parametrize(
    "address",
    [
        "/play",
        "/submit",
        "/compare?a=ann&b=ben",
        "/leagues/../../etc/passwd",
        "/leagues/%2e%2e/%2e%2e/x",
        "/leagues/.hidden",
        "/leagues/spring.",
        "/leagues/spring%20",
        "/leagues/a%00b",
        "/leagues/spring/deals?after=../../x",
        "/?next=x",
    ],
)
def test_addresses_that_need_a_server_or_leave_the_folder_have_no_file(address: str) -> None:
    assert file_of(address) is None


@pytest.mark.parametrize(
    ("file", "address", "link"),
    [
        ("index.html", "/leagues/spring", "leagues/spring.html"),
        ("leagues/spring.html", "/", "../index.html"),
        ("leagues/spring/deals.html", "/leagues/spring", "../spring.html"),
        ("matches/spring/1.0.html", "/static/site.css", "../../static/site.css"),
        ("index.html", "/matches/spring/1.0#move=3", "matches/spring/1.0.html#move=3"),
    ],
)
def test_links_lead_from_file_to_file(file: str, address: str, link: str) -> None:
    assert with_relative_links(f'<a href="{address}">', file) == f'<a href="{link}">'


def test_scripts_are_no_modules() -> None:
    page = '<script type="module" src="/static/viewer/page.js"></script>'
    assert with_relative_links(page, "index.html") == '<script defer src="static/viewer/page.js"></script>'


def test_a_page_has_links_to_files_alone() -> None:
    found: list[str] = []
    page = '<a class="x" href="/bots/ann?after=1&amp;n=2#top">a</a><a href="/submit">s</a><img src="/static/icon.svg">'
    page += '<a href="//other.example/x">o</a><a href="#main">m</a>'
    assert with_relative_links(page, "leagues/spring.html", found.append) == (
        '<a class="x" href="../bots/ann~after~1~n~2.html#top">a</a><a>s</a><img src="../static/icon.svg">'
        '<a>o</a><a href="#main">m</a>'
    )
    assert found == ["/bots/ann?after=1&n=2", "/static/icon.svg"]


def test_a_file_that_is_as_it_should_be_is_not_written(tmp_path: Path) -> None:
    folder = SiteFolder(tmp_path)
    folder.write("a/b.html", b"one")
    before = (tmp_path / "a/b.html").stat().st_mtime_ns
    folder.write("a/b.html", b"one")
    assert (folder.written, folder.bytes) == (1, 3)
    assert (tmp_path / "a/b.html").stat().st_mtime_ns == before
    another = SiteFolder(tmp_path)
    another.write("a/b.html", b"other")
    assert (tmp_path / "a/b.html").read_bytes() == b"other"
    assert (another.written, another.bytes) == (1, 5)


def test_a_partial_file_of_a_killed_run_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".part").write_bytes(b"ha")
    folder = SiteFolder(tmp_path)
    with folder.locked() as alone:
        assert alone
        assert list(tmp_path.iterdir()) == []


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with SiteFolder(tmp_path / "new").locked() as first, SiteFolder(tmp_path / "new").locked() as second:
        assert (first, second) == (True, False)
    with SiteFolder(tmp_path / "new").locked() as third:
        assert third


def test_the_files_of_a_folder_can_be_listed_and_removed(tmp_path: Path) -> None:
    folder = SiteFolder(tmp_path)
    assert folder.names("a") == frozenset()
    folder.write_new("a/1", b"")
    folder.write_new("a/2", b"")
    assert folder.names("a") == {"1", "2"}
    folder.remove("a")
    assert folder.names("a") == frozenset()


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
