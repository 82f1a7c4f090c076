"""The table of a replay as it looks at terminals of several sizes, and the steps that keys lead to."""

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

from beanleague.cli.replay.lines import picture
from beanleague.cli.replay.show import Screen, fitted_picture, landmarks
from beanleague.cli.replay.steps import ReplayTable, steps
from beanleague.games import Event, Fault, Kind, new_game
from beanleague.games.bohnanza import EMPTY, BohnanzaView, Field, Traded
from beanleague.games.core import Harvested
from beanleague.games.dice import CardHarvested
from beanleague.games.duel import ColumnHarvested, GiftAccepted
from tests.cli.helpers import played

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
        "   player           $  field 0      field 1      hand",
        "────────────────────────────────────────────────────────────────────────────────",
        "   trader@1         7  6 blue $2    1 soy        black red blue",
        "                       (8: $3)      (2: $1)",
        "▶  farmer@1        12  -            3 chili $1   green green green green green",
        "                                    (6: $2)      green green green green",
        "   random@12        0  2 garden $2  -            -",
        "                       (3: $3)",
        "✗  a-bot-with-a-…   3  8 stink $4   4 red $3     soy green",
        "                                    (5: $4)",
        "turned over blue red   farmer@1 has aside 2 stink",
    ]


def test_a_table_at_120_columns_has_more_room() -> None:
    assert drawn(120)[4].startswith(
        "▶   farmer@1               12   -                    3 chili $1 (6: $2)   green green green"
    )
    assert "black-eyed red blue" in drawn(120)[3]


def test_a_table_at_40_columns_is_a_list() -> None:
    assert drawn(40)[:6] == [
        "spring/12.0  turn 12  pile 43  discards",
        "17  run-outs 1/3",
        "  trader@1  $7",
        "   6 blue $2 (8: $3) | 1 soy (2: $1)",
        "   hand black red blue",
        "▶ farmer@1  $12",
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
