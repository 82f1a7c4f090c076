"""The site as files: all pages, only what is new, nothing that not everybody may see."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from beanleague.service.server import embedded
from beanleague.web.export import Counts, ExportError, export
from beanproto.v1.league_pb2 import LEAGUE_STATE_CREATED, HideLeagueRequest, LeagueInfo, ListLeaguesResponse
from beanproto.v1.league_pb2_grpc import LeagueStub
from tests.league.helpers import SECRET
from tests.web.export.conftest import service

_MAX_MATCH_BYTES = 12_000
_KILLED_AT = 7

_KILLED = """
import os, signal, sys
from pathlib import Path
from beanleague.web.export import export
from tests.web.export.conftest import service

def die(done, total):
    if done == {at}:
        Path(sys.argv[2], ".part").write_text("half a pa")
        os.kill(os.getpid(), signal.SIGKILL)

with service(Path(sys.argv[1])) as stub:
    export(stub, Path(sys.argv[2]), die)
"""


def contents(target: Path) -> dict[str, bytes]:
    return {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}


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
    assert {"index.html", "games.html", "leagues/spring.html", "bots/ann.html", "matches/spring/3.3.html"} <= names


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
    with pytest.raises(ExportError, match="has files that are not of a site; choose an empty or a new folder"):
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
