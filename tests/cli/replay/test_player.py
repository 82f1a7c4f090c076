"""Where a replay stands after keys and time, and the keys of a terminal."""

import os
import pty
import sys
import termios
from collections.abc import Iterator

import pytest

from beanleague.cli.replay.show import Keys, ReplayPosition

TURNS = (1, 1, 1, 2, 2, 3, 3, 3, 3)
LANDMARKS = {"trade": (1, 2, 6), "harvest": (4,), "fault": ()}


def at(*keys: str, start: int = 0) -> int:
    """The step a paused replay of `TURNS` shows after these keys."""
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=1.0, playing=False)
    player.at = start
    for key in keys:
        player.press(key)
    return player.at


@pytest.mark.parametrize(
    ("start", "key", "shown"),
    [
        (0, "right", 1),
        (0, "enter", 1),
        (1, "left", 0),
        (1, "backspace", 0),
        (0, "left", 0),
        (8, "right", 8),
        (1, "down", 3),
        (3, "pagedown", 5),
        (6, "down", 8),
        (5, "up", 3),
        (7, "up", 5),
        (4, "pageup", 3),
        (1, "up", 0),
        (4, "home", 0),
        (4, "end", 8),
        (4, "x", 4),
        (0, "t", 1),
        (1, "t", 2),
        (2, "t", 6),
        (6, "t", 6),
        (8, "T", 6),
        (6, "T", 2),
        (1, "T", 1),
        (0, "h", 4),
        (8, "H", 4),
        (3, "f", 3),
        (3, "F", 3),
    ],
)
def test_a_key_goes_where_it_says(start: int, key: str, shown: int) -> None:
    assert at(key, start=start) == shown


def test_a_key_that_finds_nothing_says_so_until_the_next_key() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=1.0, playing=True)
    notes = []
    for key in ("f", "T", "t", "right"):
        player.press(key)
        notes.append(player.note)
    assert notes == ["no fault after this", "no trade before this", "", ""]


def test_q_leaves() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=1.0, playing=False)
    player.press("q")
    assert player.done


def test_every_turn_takes_as_long_as_any_other_while_playing() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=2.0, playing=True)
    shown = []
    for _ in range(3):
        player.tick(0.5001)
        shown.append(TURNS[player.at])
    assert shown == [2, 3, 3]
    assert player.at_end
    assert not player.playing


def test_time_does_nothing_while_paused() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=64.0, playing=False)
    player.tick(100.0)
    assert player.at == 0


def test_space_plays_and_pauses_and_a_step_by_hand_pauses() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=1.0, playing=False)
    player.press("space")
    assert player.playing
    player.press("space")
    assert not player.playing
    player.press("space")
    player.press("right")
    assert not player.playing


def test_plus_and_minus_double_and_halve_the_speed_within_bounds() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=1.0, playing=False)
    player.press("+")
    assert player.speed == 2.0
    for _ in range(20):
        player.press("-")
    assert player.speed == 0.125
    for _ in range(20):
        player.press("+")
    assert player.speed == 64.0


def test_help_is_shown_until_the_next_key() -> None:
    player = ReplayPosition(TURNS, landmarks=LANDMARKS, speed=1.0, playing=False)
    shown = []
    for key in ("?", "right", "?", "?"):
        player.press(key)
        shown.append(player.help)
    assert shown == [True, False, True, False]


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
