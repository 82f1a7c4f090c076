"""`beanleague match replay --single-file` and `--browser`."""

import re
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from beanleague.games import record_to_json
from tests.cli.conftest import On, Run
from tests.cli.helpers import played


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
    found = re.fullmatch(r"There is no browser here; open (.+)\n", done.stderr)
    assert found
    assert Path(found[1]).is_file()


def test_a_page_that_cannot_be_written_is_an_error(run: Run, record: Path) -> None:
    refused = run("match", "replay", str(record), "--single-file", "/proc/nowhere/match.html")
    assert refused.exit_code == 1
    assert "cannot write /proc/nowhere/match.html" in refused.stderr
