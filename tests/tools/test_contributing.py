"""CONTRIBUTING.md names what there is."""

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def environments() -> set[str]:
    """Return the names of the environments that tox.ini has a section for."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", "utf-8")
    return {name.removeprefix("testenv:") for name in tox.sections() if name.startswith("testenv:")}


def test_every_target_that_is_named_is_in_the_makefile() -> None:
    named = set(re.findall(r"(?:`|^)make ([\w-]+)", PAGE, re.MULTILINE))
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert {"dev", "lint", "fmt", "test"} <= named <= set(phony.split())


def test_the_makefile_starts_with_a_line_for_each_target() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
    assert re.findall(r"^# make ([\w-]+) ", MAKEFILE, re.MULTILINE) == phony.split()


def test_the_table_holds_every_environment() -> None:
    rows = set(re.findall(r"^\| `([\w-]+)`", PAGE, re.MULTILINE))
    assert {name for name in rows if not re.match(r"py\d", name)} == environments()


@pytest.mark.parametrize("folder", sorted(set(re.findall(r"pytest (?:[^`\n#]* )?(tests/[a-z/]+)", PAGE))))
def test_a_folder_of_tests_that_is_named_is_there(folder: str) -> None:
    assert (ROOT / folder).is_dir()
