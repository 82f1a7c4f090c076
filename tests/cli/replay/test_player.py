"""Where a replay stands after keys and time, and its table at terminals of several sizes."""

import io
import os
import pty
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from beanleague.cli.replay.lines import picture
from beanleague.cli.replay.show import Keys, ReplayPosition, Screen, fitted_picture, landmarks
from beanleague.cli.replay.steps import ReplayTable, steps
from beanleague.games import Event, Fault, Kind, new_game
from beanleague.games.bohnanza import EMPTY, BohnanzaView, Field, Traded
from beanleague.games.core import Harvested
from beanleague.games.dice import CardHarvested
from beanleague.games.duel import ColumnHarvested, GiftAccepted
from tests.cli.helpers import played

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


NAMES = ("trader@1", "farmer@1", "random@12", "a-bot-with-a-long-name@3")


HANDS: tuple[tuple[Kind, ...], ...] = (("black_eyed", "red", "blue"), ("green",) * 9, (), ("soy", "green"))
CROWDED: tuple[tuple[Kind, ...], ...] = (("black_eyed", "blue") * 10,) * 4


def table(hands: Sequence[tuple[Kind, ...]] = HANDS) -> ReplayTable[BohnanzaView]:
    """A table in mid-trade: seat 1 is active, seat 3 has forfeited."""
    view = new_game("bohnanza", seats=4, seed=b"x").view(0)
    assert isinstance(view, BohnanzaView)
    public = replace(
        view,
        turn=12,
        active=1,
        dollars=(7, 12, 0, 3),
        fields=(
            (Field("blue", 6), Field("soy", 1)),
            (EMPTY, Field("chili", 3)),
            (Field("garden", 2), EMPTY),
            (Field("stink", 8), Field("red", 4)),
        ),
        aside=((), ("stink", "stink"), (), ()),
        turned=("blue", "red"),
        pile=43,
        discard=(17, *[0] * 7),
        run_outs=1,
    )
    public = replace(public, hand_sizes=tuple(map(len, hands)))
    views = tuple(replace(public, seat=seat, hand=hand) for seat, hand in enumerate(hands))
    return ReplayTable(views, frozenset({3}))


def drawn(width: int, height: int | None = None, lines: int = 0, fresh: int = 0) -> list[str]:
    """What a terminal of this size shows: the table alone, or a whole screen with this many lines."""
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    drawing = picture(table(), NAMES, "spring/12.0", width)
    if height is None:
        console.print(drawing)
    else:
        texts = [Text(f"line {number}") for number in range(lines)]
        console.print(Screen(drawing, texts, fresh, Text("the footer, longer than a narrow terminal is wide")), end="")
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_table_at_80_columns() -> None:
    assert drawn(80) == [
        "spring/12.0  turn 12  pile 43  discards 17  run-outs 1/3",
        "   player           $  field 1      field 2      hand",
        "────────────────────────────────────────────────────────────────────────────────",
        "   trader@1         7  6 blue $2    1 soy        black red blue",
        "                       (8: $3)      (2: $1)",
        "▸  farmer@1        12  -            3 chili $1   green green green green green",
        "                                    (6: $2)      green green green green",
        "   random@12        0  2 garden $2  -            -",
        "                       (3: $3)",
        "✗  a-bot-with-a-…   3  8 stink $4   4 red $3     soy green",
        "                                    (5: $4)",
        "turned over blue red   farmer@1 has aside 2 stink",
    ]


def test_a_table_at_120_columns_has_more_room() -> None:
    assert drawn(120)[4].startswith(
        "▸   farmer@1               12   -                    3 chili $1 (6: $2)   green green green"
    )
    assert "black-eyed red blue" in drawn(120)[3]


def test_a_table_at_40_columns_is_a_list() -> None:
    assert drawn(40)[:6] == [
        "spring/12.0  turn 12  pile 43  discards",
        "17  run-outs 1/3",
        "  trader@1  $7",
        "   6 blue $2 (8: $3) | 1 soy (2: $1)",
        "   hand black red blue",
        "▸ farmer@1  $12",
    ]


def test_a_low_terminal_shows_the_first_cards_of_long_hands() -> None:
    console = Console(file=io.StringIO(), width=80, height=24, color_system=None)
    console.print(fitted_picture(console, table(CROWDED), NAMES, "spring/12.0"))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert len(lines) <= 18
    assert sum("+" in line for line in lines) == 4


def test_nothing_is_wider_than_the_terminal() -> None:
    for width in (20, 33, 50, 63, 64, 70, 99, 100):
        assert all(len(line) <= width for line in drawn(width))


def test_a_screen_is_as_high_as_the_terminal_with_the_newest_lines_above_the_footer() -> None:
    shown = drawn(80, 24, lines=100)
    assert len(shown) == 24
    assert shown[-2] == "line 99"
    assert shown[-1] == "the footer, longer than a narrow terminal is wide"
    assert shown[0].startswith("spring/12.0  turn 12")
    assert shown[12] == ""
    assert shown[13] == "line 90"


def test_a_screen_with_few_lines_keeps_the_footer_at_the_bottom() -> None:
    shown = drawn(80, 24, lines=2)
    assert len(shown) == 24
    assert shown[13:16] == ["line 0", "line 1", ""]
    assert shown[-1].startswith("the footer")


def test_a_low_and_narrow_terminal_cuts_the_table_before_the_lines() -> None:
    shown = drawn(30, 8, lines=10)
    assert len(shown) == 8
    assert shown[-4:-1] == ["line 7", "line 8", "line 9"]
    assert shown[-1] == "the footer, longer than a nar…"


def test_older_lines_are_dim_and_new_ones_are_not() -> None:
    console = Console(file=io.StringIO(), width=80, height=24, force_terminal=True, color_system="standard")
    console.print(Screen(Text("board"), [Text("old"), Text("new")], 1, Text("footer")))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()
    assert "\x1b[2mold" in shown
    assert "\nnew" in shown


@pytest.mark.parametrize(
    ("ruleset", "seats", "trade", "harvest"),
    [
        ("bohnanza", 4, Traded, Harvested),
        ("bohnanza-two", 2, None, Harvested),
        ("duel", 2, GiftAccepted, ColumnHarvested),
        ("dice", 3, None, CardHarvested),
        ("bean-thief-normal", 1, None, CardHarvested),
    ],
)
def test_landmarks_are_the_steps_with_such_an_event(
    ruleset: str, seats: int, trade: type[Event] | None, harvest: type[Event]
) -> None:
    record = played(seats, ruleset=ruleset)
    every = list(steps(record))
    found = landmarks(every)

    def at(kind: type[Event]) -> tuple[int, ...]:
        return tuple(n for n, step in enumerate(every) if any(type(entry) is kind for entry in step.entries))

    assert found["trade"] == (at(trade) if trade else ())
    assert found["harvest"] == at(harvest)
    assert found["harvest"]
    assert bool(found["trade"]) == bool(trade)
    assert found["fault"] == ()


def test_a_fault_is_found_in_the_step_before_the_action_that_was_played() -> None:
    record = played()
    fault = Fault(record.moves[30].seat, 30, "timeout", "no answer in 1000 ms", forfeited=False)
    every = list(steps(replace(record, faults=(fault,))))
    (at,) = landmarks(every)["fault"]
    assert fault in every[at].entries


def text(drawn: RenderableType, width: int = 100) -> str:
    """Return what is drawn without its colours."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(drawn)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def marked(drawn: RenderableType, width: int = 100) -> list[str]:
    """Return the pieces that are drawn in reverse."""
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system="standard")
    return ["".join(pieces) for pieces in _runs(console, drawn)]


def _runs(console: Console, drawn: RenderableType) -> list[list[str]]:
    runs: list[list[str]] = [[]]
    for segment in console.render(drawn):
        if segment.style and segment.style.reverse:
            runs[-1].append(segment.text)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]
