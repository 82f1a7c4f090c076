"""The page of who can do what names tests that there are."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "security.md").read_text("utf-8")


def test_each_file_that_is_named_is_there() -> None:
    files = set(re.findall(r"`([\w/]+/test_\w+\.py)`", PAGE))
    assert len(files) > 10
    assert [name for name in sorted(files) if not (TESTS / name).is_file()] == []


def test_each_test_that_is_named_is_there() -> None:
    names = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(names) > 20
    known = {name for file in TESTS.rglob("test_*.py") for name in re.findall(r"def (test_\w+)", file.read_text())}
    assert names - known == set()
