"""Replays as one file: everything is in it, nothing is asked of anybody, and names stay text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from beanleague.games import record_from_json
from beanleague.web.viewer import bundled, single_file
from tests.web.browsing import watched
from tests.web.viewer.replaying import GOLDEN

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>\"'&"
RECORD = record_from_json((GOLDEN / "duel.json").read_bytes())


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, list[str]]]:
    """A replay of hostile names opened from a file, and what the page asked for."""
    record = replace(RECORD, players=(HOSTILE, "</title>"))
    file = tmp_path_factory.mktemp("page") / "replay.html"
    file.write_text(single_file(record, HOSTILE, {"ratings": [1712, None], "seat": 1}), "utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with watched(page, file.as_uri()):
        page.goto(f"{file.as_uri()}#move=50")
        page.locator("[data-ready]").wait_for()
        yield page, asked
    context.close()


def test_a_replay_in_one_file_works_without_a_server(opened: tuple[Page, list[str]]) -> None:
    page, asked = opened
    assert "50 / 293" in page.locator(".bl-position").inner_text()
    page.get_by_label("Seen by").select_option("")
    assert "was asked: " in page.locator(".bl-decision").inner_text()
    page.get_by_label("Seen by").select_option("1")
    page.keyboard.press("End")
    assert page.locator('[data-seat="0"] .bl-money').inner_text() == "$5.00"
    assert "(1712)" in page.locator(".bl-players").inner_text()
    assert page.get_by_label("Seen by").input_value() == "1"
    assert [url for url in asked if not url.startswith("file:")] == []
    assert len(asked) == 1


def test_names_in_one_file_stay_text(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    assert page.title() == HOSTILE
    assert HOSTILE in page.locator("h1").inner_text()
    assert page.locator('[data-seat="0"] .bl-name').inner_text() == HOSTILE
    assert page.locator("img, main script").count() == 0


def test_a_page_runs_only_its_own_script_and_style() -> None:
    page = single_file(RECORD, "a match")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert "default-src 'none'; script-src 'sha256-" in policy[1]
    assert "unsafe" not in policy[1]
    assert policy[1].count("sha256-") == 2
    assert "http" not in policy[1]
    assert not re.search(r'(?:src|href)="(?!data:,)', page)


def test_a_module_that_imports_and_exports_in_another_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.js").write_text("export default 1;\n")
    entry = tmp_path / "entry.js"
    entry.write_text('import { one } from "./other.js";\n')
    with pytest.raises(AssertionError, match=r"other\.js: 'export default 1;' cannot be put into one script"):
        bundled(entry)
