"""The check of words that the project does not use."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools/check_words.py"))

RULES = """
[[identifiers]]
words = ["blob"]
instead = "message"

[[identifiers]]
words = ["MOST"]
instead = "MAX_"
constants = true
except = { "old.py" = "a format of others" }

[[modules]]
words = ["hall"]
instead = "in_flight"

[[phrases]]
pattern = 'as many as may be'
instead = "maximum number"
"""


@pytest.fixture
def problems() -> Callable[[str, str], list[str]]:
    rules: list[Any] = TOOL["read_rules"](RULES)
    return lambda file, text: list(TOOL["problems"](file, text, rules))


@pytest.mark.parametrize("name", ["blob", "blob_size", "a_blob", "_blob", "class Blob: ...", "class EventBlob: ..."])
def test_a_word_is_found_as_a_part_of_a_name(problems: Callable[[str, str], list[str]], name: str) -> None:
    assert len(problems("a.py", f"{name}\n")) == 1


@pytest.mark.parametrize("text", ["blobs", "'blob'", "# blob", "most = 1", "ALMOST = 1"])
def test_other_names_and_prose_are_left_alone(problems: Callable[[str, str], list[str]], text: str) -> None:
    assert not problems("a.py", text + "\n")


def test_a_phrase_is_found_in_prose_across_lines_with_its_line(problems: Callable[[str, str], list[str]]) -> None:
    found = problems("a.md", "One.\n\nAs many as\nmay be.\n")
    assert found == ["a.md:3: 'As many as may be': write maximum number"]


@pytest.mark.parametrize("code", ['"""As many as may be."""', "# as many as may be", "f'as many as may be {n}'"])
def test_a_phrase_is_found_in_docstrings_comments_and_texts(
    problems: Callable[[str, str], list[str]], code: str
) -> None:
    assert len(problems("a.py", f"n = 1\n{code}\n")) == 1


def test_a_word_may_be_wrong_for_a_module_alone(problems: Callable[[str, str], list[str]]) -> None:
    assert problems("a/hall.py", "") == ["a/hall.py:1: 'hall': write in_flight"]
    assert not problems("a/halls.py", "hall = 1\n")


def test_a_file_may_be_an_exception(problems: Callable[[str, str], list[str]]) -> None:
    assert problems("new.py", "MOST = 1\n")
    assert not problems("old.py", "MOST = 1\n")


def test_every_exception_of_the_project_is_a_file_and_has_a_reason() -> None:
    rules = TOOL["read_rules"](TOOL["WORDS"].read_text("utf-8"))
    assert rules
    for rule in rules:
        for file, reason in rule.exceptions.items():
            assert (TOOL["ROOT"] / file).is_file()
            assert reason
