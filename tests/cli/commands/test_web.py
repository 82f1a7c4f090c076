"""`beanleague web`, `serve --web`, `site` and `match replay` for browsers."""

import re
import signal
import ssl
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from beanleague.games import record_to_json
from beanleague.service.server import embedded
from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.cli.conftest import On, Run
from tests.cli.helpers import FakeLeague, played
from tests.league.fakepool import FakePools
from tests.league.helpers import bundle
from tests.processes import listening
from tests.service.helpers import certified, guarded, submit
from tests.waiting import TIMEOUT_S, ending
from tests.web import asking

CERTIFICATE = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"]


@contextmanager
def started(*words: str, stop: signal.Signals = signal.SIGINT) -> Iterator[str]:
    """Start a command, give its site's URL, and see that it ends in peace."""
    command, pipe = [sys.executable, "-m", "beanleague", *words], subprocess.PIPE
    with ending(subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)) as process:
        assert process.stdout
        url = next(found[1] for line in process.stdout if (found := re.match(r"Open (\S+) in a browser", line)))
        yield url
        process.send_signal(stop)
        output, errors = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, output, errors) == (0, "Stopped.\n", "")


def test_a_database_is_shown_until_ctrl_c_which_a_live_page_does_not_hold_up(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with embedded(url, cache=tmp_path / "cache", start_pool=FakePools()) as channel:
        stub = LeagueStub(channel)
        for name in ("ann", "ben"):
            submit(stub, bundle(name, games=["duel"]))
        stub.CreateLeague(pb.CreateLeagueRequest(name="spring", ruleset="duel"))
    with ExitStack() as stack:
        with started("web", "--db", str(tmp_path / "a.db"), "--listen", "127.0.0.1:0") as site:
            answer = asking.get(site)
            assert answer.status_code == 200
            assert "spring" in answer.text
            headers = {"accept": "text/event-stream"}
            stream = stack.enter_context(asking.stream("GET", f"{site}/leagues/spring/live", headers=headers))
            lines = stream.iter_lines()
            assert next(lines) == "event: standings"
        assert "event: progress" in list(lines)  # it ended whole


def test_a_server_has_a_site_beside_it_on_which_guests_may_look_only(tmp_path: Path) -> None:
    words = ["serve", "--db", str(tmp_path / "a.db"), "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]
    with started(*words, "--require-tokens") as url:
        assert "Sign in" in asking.get(f"{url}/submit").text
    before = listening()
    with started(*words) as url:
        assert "Zip file" in asking.get(f"{url}/submit").text
        new = listening() - before
        assert [address for address, _ in new] == ["127.0.0.1"] * 2, "the server and the site, nothing else"


def test_a_site_shows_what_a_server_has_to_a_viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with guarded(tmp_path) as server:
        monkeypatch.setenv("BEANLEAGUE_TOKEN", server.token("viewer"))
        with started("web", "--server", server.address, "--listen", "127.0.0.1:0") as url:
            assert "No league has been made yet" in asking.get(url).text
            # A token of an author counts for the author, though the site has one of its own.
            with asking.Client(base_url=url, headers={"origin": url}) as author:
                signed = author.post("/sign-in", data={"token": server.token("zoe", "author")}, follow_redirects=True)
                assert "Signed in as <b>zoe</b>" in signed.text


def test_a_public_site_has_tls_and_guests_who_may_look_only(tmp_path: Path) -> None:
    """And a service manager stops it with a signal of its own."""
    certificate = certified(tmp_path, "localhost")
    files = ["--tls-cert", str(certificate.chain), "--tls-key", str(certificate.key)]
    place = ["--listen", "0.0.0.0:0", "--name", "localhost", *files]
    with started("web", "--db", str(tmp_path / "a.db"), *place, stop=signal.SIGTERM) as url:
        context = ssl.create_default_context(cafile=str(tmp_path / "authority.pem"))
        answer = httpx.get(f"https://localhost:{url.rpartition(':')[2]}/submit", verify=context, timeout=TIMEOUT_S)
        assert "Sign in" in answer.text
        assert answer.headers["strict-transport-security"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--listen", "0.0.0.0:0"], "needs a certificate"),
        (["--listen", "league.example.org:80"], "needs a certificate"),
        (["--listen", "0.0.0.0:0", *CERTIFICATE], "give the host name under which browsers reach the site"),
        (["--behind-proxy"], "give the host name under which browsers reach the site"),
        (["--listen", "nowhere"], "is not an address"),
        (["--listen", "unix:/tmp/site"], "host:port"),
        (["--listen", "127.0.0.1:0", "--tls-cert", "cert.pem"], "must be used together"),
        (["--listen", "127.0.0.1:0", *CERTIFICATE], "cannot read cert.pem"),
        (["--listen", "192.0.2.1:0", *CERTIFICATE], "cannot read cert.pem"),
    ],
)
def test_a_site_that_strangers_could_misuse_is_not_started(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("web", "--db", str(tmp_path / "a.db"), *words)
    assert result.exit_code
    assert reason in result.output


def test_a_public_site_is_not_put_before_a_server_that_requires_no_tokens(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with guarded(tmp_path) as server:
        monkeypatch.setenv("BEANLEAGUE_TOKEN", server.token("organiser"))
        place = ["--listen", "127.0.0.1:0", "--behind-proxy", "--name", "league.example.org"]
        result = run("web", "--server", server.address, *place)
    assert result.exit_code == 1
    assert "visitors could do more than view" in result.output


def test_without_the_extra_a_sentence_says_what_to_install(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "beanleague.web.app", None)
    for words in (["web"], ["serve", "--web", "127.0.0.1:0"]):
        result = run(*words, "--db", str(tmp_path / "a.db"))
        assert result.exit_code == 1
        assert "-m pip install 'jinja2" in result.output


def test_names_of_a_site_need_one(run: Run, tmp_path: Path) -> None:
    result = run("serve", "--db", str(tmp_path / "a.db"), "--name", "league.example.org")
    assert result.exit_code == 2
    assert "need --web" in result.output


def test_a_site_is_written_once(on: On, spring: str, tmp_path: Path) -> None:
    target = tmp_path / "public"
    first = on("site", str(target))
    assert first.exit_code == 0, first.output
    assert re.search(r"Wrote \d+ files \(1\.\d MiB\), including 12 matches\.", first.stdout)
    assert f"Start at {target / 'index.html'}" in first.stdout
    assert (target / f"matches/{spring}/4.2.html").is_file()
    assert on("site", str(target)).stdout == f"{target} is up to date.\n"


def test_a_folder_that_cannot_be_used_is_an_error(on: On, spring: str, tmp_path: Path) -> None:
    del spring
    (tmp_path / "thesis.txt").write_text("all of it")
    refused = on("site", str(tmp_path))
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "contains files that do not belong to a site" in refused.stderr
    nowhere = on("site", "/proc/nowhere")
    assert nowhere.exit_code == 1
    assert "cannot write /proc/nowhere: No such file or directory" in nowhere.stderr


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A record that was exported, or comes from practice."""
    file = tmp_path / "match.json"
    file.write_text(record_to_json(played(ruleset="duel", seats=2)))
    return file


def test_a_file_becomes_a_page(run: Run, record: Path, tmp_path: Path) -> None:
    page = tmp_path / "match.html"
    wrote = run("match", "replay", str(record), "--single-file", str(page), "--seat", "1")
    assert (wrote.exit_code, wrote.stdout, wrote.stderr) == (0, "", f"Wrote {page}\n")
    text = page.read_text("utf-8")
    assert "<title>match.json</title>" in text
    assert "&quot;seat&quot;: 1}" in text
    before = page.read_bytes()
    again = run("match", "replay", str(record), "--single-file", str(page))
    assert again.exit_code == 1
    assert "already exists" in again.stderr
    assert page.read_bytes() == before
    assert run("match", "replay", str(record), "--single-file", str(page), "--force").exit_code == 0


def test_a_match_of_a_league_becomes_a_page_with_places_and_ratings(on: On, spring: str, tmp_path: Path) -> None:
    page = tmp_path / "match.html"
    wrote = on("match", "replay", f"{spring}/1.0", "--single-file", str(page))
    assert wrote.exit_code == 0, wrote.output
    options = re.search(r'data-options="([^"]+)"', page.read_text("utf-8"))
    assert options
    assert re.search(r"&quot;places&quot;: \[\d.*&quot;ratings&quot;: \[\d", options[1])


def test_the_default_browser_opens_the_page(run: Run, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def opens(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setenv("BROWSER", "some-browser")
    monkeypatch.setattr(webbrowser, "get", object)
    monkeypatch.setattr(webbrowser, "open", opens)
    done = run("match", "replay", str(record), "--browser")
    assert done.exit_code == 0, done.output
    assert Path(urlsplit(opened[0]).path).read_text("utf-8").startswith("<!doctype html>")


def test_without_a_browser_the_path_is_printed(run: Run, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", none)
    done = run("match", "replay", str(record), "--browser")
    assert done.exit_code == 0
    found = re.fullmatch(r"No browser was found; open (.+)\n", done.stderr)
    assert found
    assert Path(found[1]).is_file()


def test_a_page_that_cannot_be_written_is_an_error(run: Run, record: Path) -> None:
    refused = run("match", "replay", str(record), "--single-file", "/proc/nowhere/match.html")
    assert refused.exit_code == 1
    assert "cannot write /proc/nowhere/match.html" in refused.stderr


@pytest.mark.parametrize("prefix", ["/be ans", "/../x", "/beans?x", "/bäns", "http://x"])
def test_a_prefix_that_cannot_be_in_an_address_is_refused(run: Run, prefix: str) -> None:
    result = run("web", "--prefix", prefix)
    assert result.exit_code == 2
    assert "write it as a URL path" in result.output


@pytest.mark.parametrize("prefix", ["/beans", "beans", "/beans/", "//beans//"])
def test_a_site_begins_at_its_prefix(
    run: Run, league: FakeLeague, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    league.answers["ServerInfo"] = pb.ServerInfoResponse(role=pb.ROLE_VIEWER)
    monkeypatch.setattr("beanleague.service.server.until_interrupted", lambda: nullcontext(lambda: None))
    result = run("web", "--server", league.address, "--listen", "127.0.0.1:0", "--prefix", prefix)
    assert re.search(r"Open http://127\.0\.0\.1:\d+/beans in a browser", result.output)
