"""What docs/architecture.md names is in the project."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGES = [ROOT, ROOT / "server/beanleague", ROOT / "sdk/beanbot"]
PATHS = sorted(set(re.findall(r"`((?:[\w.-]+/)+(?:[\w.-]+)?|\w+\.(?:py|toml|proto|md|ini))`", PAGE)))


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    """From the root of the project, or of one of its two packages."""
    assert any((package / path).exists() for package in PACKAGES)


def test_every_package_of_the_server_and_the_sdk_has_its_line() -> None:
    folders = [
        f"{file.parent.relative_to(root).as_posix()}/"
        for root in PACKAGES[1:]
        for file in root.rglob("__init__.py")
        if file.parent != root
    ]
    assert [folder for folder in folders if folder not in PATHS] == []


def test_a_class_or_function_named_with_its_file_is_in_it() -> None:
    named = re.findall(r"`(\w+)` in `((?:\w+/)+\w+\.py)`", PAGE)
    assert named
    for name, path in named:
        (file,) = (package / path for package in PACKAGES if (package / path).exists())
        assert re.search(rf"^\s*(?:class|(?:async )?def) {name}\b", file.read_text("utf-8"), re.MULTILINE), (name, path)
