"""Lines of a bot, each with a tag: whole or in parts, many or endless."""

from __future__ import annotations

import pytest

from beanleague.referee.child import TaggedLines


def test_each_line_gets_the_tag_of_when_it_begins() -> None:
    tags = iter(["[1.0 #1] ", "[1.0 #2] ", "[1.0 #3] "])
    lines = TaggedLines(1000, lambda: next(tags))
    lines.add(b"one\ntwo\nthr")
    lines.add(b"ee\n")
    lines.add(b"\nfour\n")
    assert lines.take() == "[1.0 #1] one\n[1.0 #1] two\n[1.0 #1] three\n[1.0 #3] \n[1.0 #3] four\n"
    assert lines.take() == ""


def test_without_a_tag_lines_are_as_they_were() -> None:
    lines = TaggedLines(1000, str)
    lines.add(b"one\n\ntwo")
    assert lines.take() == "one\n\ntwo"


@pytest.mark.parametrize("written", [b"x" * 500, b"\n" * 500])
def test_tags_count_for_the_limit(written: bytes) -> None:
    lines = TaggedLines(100, lambda: "[12.0 #34] ")
    for _ in range(3):
        lines.add(written)
    text = lines.take()
    note = "\n[more than 100 bytes; the rest is left out]\n"
    assert text.endswith(note)
    assert len(text) == 100 + len(note)


def test_a_note_has_its_own_tag_and_lines_of_its_own() -> None:
    lines = TaggedLines(1000, lambda: "[l/1.0, move 1] ")
    lines.add(b"begun")
    lines.note("[l/2.0, move 9] ", "error: lost\n[l/3.0, move 1] and found")
    lines.add(b"new\n")
    assert lines.take().splitlines() == [
        "[l/1.0, move 1] begun",
        "[l/2.0, move 9] error: lost",
        "[l/2.0, move 9] [l/3.0, move 1] and found",
        "[l/1.0, move 1] new",
    ]


def test_broken_text_is_replaced() -> None:
    lines = TaggedLines(100, str)
    lines.add(b"\xff\n")
    assert lines.take() == "\N{REPLACEMENT CHARACTER}\n"
