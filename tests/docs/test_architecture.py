"""What docs/architecture.md names is in the project."""

import re
from pathlib import Path

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
