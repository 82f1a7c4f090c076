"""Key presses as terminals send them."""

from __future__ import annotations

import os
import pty
import sys
import termios
from collections.abc import Iterator

import pytest

from beanleague.cli.replay.player import Keys


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The far end of a terminal that is standard input."""
    far, near = pty.openpty()
    with os.fdopen(near, "r") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield far
    os.close(far)


def test_keys_are_returned_by_name_even_when_they_arrive_together(terminal: int) -> None:
    with Keys() as keys:
        os.write(terminal, b"\x1b[C\x1bOD\r q\x1b[6~\x7f+")
        pressed = [keys.wait(1.0) for _ in range(8)]
    assert pressed == ["right", "left", "enter", "space", "q", "pagedown", "backspace", "+"]


def test_an_unknown_sequence_is_one_key_that_means_nothing(terminal: int) -> None:
    with Keys() as keys:
        os.write(terminal, b"\x1b[24;5~")
        assert keys.wait(1.0) == "\x1b[24;5~"
        assert keys.wait(0.0) is None


def test_waiting_ends_in_time_without_a_key(terminal: int) -> None:
    with Keys() as keys:
        assert keys.wait(0.01) is None


def test_the_terminal_is_put_back_as_it_was(terminal: int) -> None:
    before = termios.tcgetattr(sys.stdin)
    with Keys():
        assert termios.tcgetattr(sys.stdin) != before
    assert termios.tcgetattr(sys.stdin) == before
