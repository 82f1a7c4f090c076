"""The guide for authors: its pages, and beginnings that can be submitted as they are."""

import io
import re
import zipfile
from urllib.parse import urldefrag

import pytest

from beanleague.games import rulesets
from beanleague.league.bots.bundles import read_bundle
from beanleague.starter import starter
from tests.web import asking

PAGES = ("/guide", "/guide/tutorial", "/guide/sdk", "/guide/languages", "/guide/search", "/guide/bots")


def test_every_link_of_the_guide_leads_somewhere_and_every_anchor_is_there(site: str) -> None:
    texts = {page: asking.get(site + page).text for page in PAGES}
    for page, text in texts.items():
        for link in re.findall(r'href="((?:/guide|#)[^"]*)"', text):
            address, anchor = urldefrag(link)
            if (address or page) not in texts:
                assert asking.get(site + address).status_code == 200, link
            elif anchor:
                assert f'id="{anchor}"' in texts[address or page], f"{page}: {link}"


def test_documents_have_no_links_to_files_and_their_code_keeps_its_lines(site: str) -> None:
    text = asking.get(f"{site}/guide/tutorial").text
    assert not re.search(r'href="[^"]*\.md', text)
    assert '<a href="/guide/sdk">' in text
    assert "beanleague bot new ann --game bohnanza\n" in text


@pytest.mark.parametrize("game", [ruleset.id for ruleset in rulesets()])
def test_a_beginning_in_python_is_a_bundle_as_it_comes(site: str, game: str) -> None:
    answer = asking.get(f"{site}/guide/python/{game}/ann-bot.zip")
    assert answer.headers["content-type"] == "application/zip"
    assert read_bundle(answer.content).manifest.name == "ann-bot"


def test_beginnings_in_other_languages_have_all_files_and_their_programs_can_be_run(site: str) -> None:
    data = asking.get(f"{site}/guide/java/bohnanza/ann-bot.zip").content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {file: archive.read(file).decode() for file in archive.namelist()} == starter(
            "ann-bot", "bohnanza", "java"
        )
        assert archive.getinfo("build.sh").external_attr >> 16 & 0o111
        assert not archive.getinfo("Bot.java").external_attr >> 16 & 0o111


@pytest.mark.parametrize("path", ["python/poker/a", "python/duel/A%20b", "cobol/bohnanza/a"])
def test_a_beginning_that_there_is_not_is_not_found(site: str, path: str) -> None:
    assert asking.get(f"{site}/guide/{path}.zip").status_code == 404
