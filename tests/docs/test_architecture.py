"""What docs/ names is in the project: files, tests, and where links lead."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from beanleague.games.families import FAMILIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGES = {ROOT / "server/beanleague": "", ROOT / "sdk/beanbot": "sdk/beanbot/"}
"""The packages of the project, and how their paths begin on the page."""
PATHS = sorted(set(re.findall(r"`((?:[a-z0-9_.-]+/)+(?:[a-z0-9_.-]+)?|[a-z_]+\.py)`", PAGE)))


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    """From the root of the project, or of one of its two packages."""
    assert any((folder / path).exists() for folder in (ROOT, *PACKAGES))


def test_every_package_of_the_server_and_the_sdk_has_its_line() -> None:
    families = {f"games/{family.name}/" for family in FAMILIES[1:]}  # the first stands for all
    folders = [
        f"{start}{file.parent.relative_to(package).as_posix()}/"
        for package, start in PACKAGES.items()
        for file in package.rglob("__init__.py")
        if file.parent != package
    ]
    assert [folder for folder in folders if folder not in PATHS and folder not in families] == []


def test_a_class_or_function_named_with_its_file_is_in_it() -> None:
    named = re.findall(r"`(\w+)` in `((?:\w+/)+\w+\.py)`", PAGE)
    assert named
    for name, path in named:
        (file,) = (folder / path for folder in (ROOT, *PACKAGES) if (folder / path).exists())
        assert re.search(rf"^\s*(?:class|(?:async )?def) {name}\b", file.read_text("utf-8"), re.MULTILINE), (name, path)


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


TESTS = Path(__file__).parents[1]
SECURITY = (TESTS.parent / "docs" / "security.md").read_text("utf-8")


def test_each_file_that_is_named_is_there() -> None:
    files = set(re.findall(r"`([\w/]+/test_\w+\.py)`", SECURITY))
    assert len(files) > 10
    assert [name for name in sorted(files) if not (TESTS / name).is_file()] == []


def test_each_test_that_is_named_is_there() -> None:
    names = set(re.findall(r"`(test_\w+)`", SECURITY))
    assert len(names) > 20
    known = {name for file in TESTS.rglob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text())}
    assert names - known == set()
