from __future__ import annotations

import pytest

from beanleague.model import League
from beanleague.store.logs import MAX_BYTES, newest
from beanleague.store.store import Store
from tests.store.helpers import add_league


def test_what_a_version_writes_is_kept_for_each_league(store: Store, league: League) -> None:
    other = add_league(store, [1, 2], "autumn", seats=2)
    store.logs.append(league.id, {1: "one\n", 2: "two\n"})
    store.logs.append(league.id, {1: "three\n"})
    store.logs.append(other.id, {1: "four\n"})
    store.logs.append(other.id, {})
    assert [(log.league, log.text) for log in store.logs.get(1)] == [("autumn", "four\n"), ("spring", "one\nthree\n")]
    assert [log.text for log in store.logs.get(2, league.id)] == ["two\n"]
    assert store.logs.get(2, other.id) == ()


def test_the_newest_lines_are_kept(store: Store, league: League) -> None:
    lines = "".join(f"line {number}\n" for number in range(50_000))
    for start in range(0, len(lines), 100_000):
        store.logs.append(league.id, {1: lines[start : start + 100_000]})
    (log,) = store.logs.get(1)
    assert log.truncated
    assert MAX_BYTES - 20 < len(log.text) <= MAX_BYTES
    assert lines.endswith("\n" + log.text)


def test_a_nul_is_replaced(store: Store, league: League) -> None:
    store.logs.append(league.id, {1: "a\0b"})
    assert store.logs.get(1)[0].text == "a\N{REPLACEMENT CHARACTER}b"


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("abc\ndef\n", 8, "abc\ndef\n"),
        ("abc\ndef\n", 7, "def\n"),
        ("abc\ndef\n", 4, "def\n"),
        ("abcdef", 4, "cdef"),
        ("abc\n", 3, "bc\n"),
        ("\N{EURO SIGN}\N{EURO SIGN}", 4, "\N{EURO SIGN}"),
    ],
)
def test_the_end_of_a_text_is_whole_lines_if_it_can_be(text: str, most: int, kept: str) -> None:
    assert newest(text, most) == (kept, kept != text)
