"""Links of the README and the documentation lead somewhere on GitHub; `make docs` checks those of the site."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    """The targets of a page's links to files and headings of the project."""
    targets = LINK.findall(CODE.sub("", page.read_text("utf-8")))
    return sorted({target for target in targets if not urlsplit(target).scheme})


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors that GitHub gives to the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


@pytest.mark.parametrize(
    ("page", "target"),
    [pytest.param(page, target, id=f"{page.name}: {target}") for page in PAGES for target in links(page)],
)
def test_a_link_leads_to_a_file_and_a_heading_that_exist(page: Path, target: str) -> None:
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    assert file.exists()
    assert not anchor or anchor in anchors(file)


def test_the_readme_lists_each_page_once() -> None:
    listed = re.findall(r"^- \[(\S+\.md)\]", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    assert len(listed) > 20
    assert sorted(set(listed)) == sorted(listed)


def test_links_were_found() -> None:
    found = [link for page in PAGES for link in links(page)]
    assert len(found) > 30
    assert any("#" in link for link in found)


def test_every_page_is_in_the_navigation_of_the_site() -> None:
    listed = re.findall(r"^ +- (?:.+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= set(listed)
