"""Files for addresses, and links between them."""

from __future__ import annotations

import pytest

from beanleague.web.export.addresses import file_of, relative_link, with_relative_links


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("/leagues/spring", "leagues/spring.html"),
        ("/leagues/spring/deals", "leagues/spring/deals.html"),
        ("/leagues/spring/deals?after=100", "leagues/spring/deals-after-100.html"),
        ("/leagues/spring/standings.csv", "leagues/spring/standings.csv"),
        ("/matches/spring/12.0", "matches/spring/12.0.html"),
        ("/matches/spring/12.0#move=3", "matches/spring/12.0.html"),
        ("/static/viewer/viewer.js", "static/viewer/viewer.js"),
    ],
)
def test_an_address_has_its_file(address: str, file: str) -> None:
    assert file_of(address) == file


@pytest.mark.parametrize(
    "address",
    [
        "/play",
        "/submit",
        "/compare?a=ann&b=ben",
        "/leagues/../../etc/passwd",
        "/leagues/%2e%2e/%2e%2e/x",
        "/leagues/.hidden",
        "/leagues/a%00b",
        "/leagues/spring/deals?after=../../x",
        "/?next=x",
    ],
)
def test_what_needs_a_server_or_leaves_the_folder_has_no_file(address: str) -> None:
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
    assert relative_link(file, address) == link


def test_scripts_are_no_modules() -> None:
    page = '<script type="module" src="/static/viewer/page.js"></script>'
    assert with_relative_links(page, "index.html") == '<script defer src="static/viewer/page.js"></script>'


def test_a_page_has_links_to_files_alone() -> None:
    found: list[str] = []
    page = '<a class="x" href="/bots/ann?after=1&amp;n=2#top">a</a><a href="/submit">s</a><img src="/static/icon.svg">'
    page += '<a href="//other.example/x">o</a><a href="#main">m</a>'
    assert with_relative_links(page, "leagues/spring.html", found.append) == (
        '<a class="x" href="../bots/ann-after-1-n-2.html#top">a</a><a>s</a><img src="../static/icon.svg">'
        '<a>o</a><a href="#main">m</a>'
    )
    assert found == ["/bots/ann?after=1&n=2", "/static/icon.svg"]
