"""The replay of every ruleset: each match can be shown, and each table fits a terminal of 80x24."""

import io
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from rich.console import Console
from rich.text import Text

from beanleague.cli.replay.lines import describe, picture
from beanleague.cli.replay.show import Screen, fitted_picture, print_all
from beanleague.cli.replay.steps import ReplayTable, steps
from beanleague.games import Record, new_game, rulesets
from beanleague.games.core import TurnStarted
from beanleague.games.dice import DiceView
from beanleague.games.duel import Column, DuelView
from tests.cli.helpers import played
from tests.variants import games

GAMES = games(*((game.id, seats) for game in rulesets() for seats in sorted({game.least_seats, game.most_seats})))


@cache
def match(ruleset: str, seats: int) -> Record:
    """A match of long names, which is played once."""
    return played(seats, ruleset=ruleset, players=[f"a-bot-called-so-{seat}@12" for seat in range(seats)])


def console(width: int = 80, height: int = 24) -> Console:
    return Console(file=io.StringIO(), width=width, height=height, color_system=None)


def shown(on: Console) -> list[str]:
    assert isinstance(on.file, io.StringIO)
    return [line.rstrip() for line in on.file.getvalue().splitlines()]


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_a_whole_match_is_printed(ruleset: str, seats: int) -> None:
    """Every event has its line, the dollars at the end are those of the outcome, and no line is too long."""
    record = match(ruleset, seats)
    on = console()
    print_all(on, record)
    lines = shown(on)
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith(("Game over", " ")) or "Game over" in "".join(lines[-5:])
    headings = [line.split() for line in lines if line.startswith("move ") and "turn" in line.split()]
    numbers = [int(words[1]) for words in headings]
    turns = [step.move for step in steps(record) if any(isinstance(entry, TurnStarted) for entry in step.entries)]
    assert numbers == turns
    assert 0 <= numbers[0] < numbers[-1] < len(record.moves)


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_every_table_fits_80_columns_and_24_lines(ruleset: str, seats: int) -> None:
    record = match(ruleset, seats)
    every = list(steps(record))
    for step in every[:: max(1, len(every) // 12)]:
        on = console()
        drawing = fitted_picture(on, step.table, record.players, "spring/120.0")
        assert len(on.render_lines(drawing)) <= 24 - 5
        texts = [line for _, line in describe(step, record.players)]
        on.print(Screen(drawing, texts, len(texts), Text("the footer")), end="")
        assert len(shown(on)) == 24


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_steps_have_every_event_once_with_turns_that_ascend(ruleset: str, seats: int) -> None:
    record = match(ruleset, seats)
    every = list(steps(record))
    assert tuple(event for step in every for event in step.entries) == record.events
    turns = [step.table.public.turn for step in every]
    assert turns[0] == 1
    assert all(later >= turn for turn, later in pairwise(turns))


def test_a_field_that_can_be_bought_has_its_column_from_the_first_turn_on() -> None:
    table = next(iter(steps(played(4, ruleset="bohnanza-classic")))).table
    on = console(120)
    on.print(picture(table, ("a", "b", "c", "d"), "", 120))
    assert "field 3" in shown(on)[1]


def test_a_table_for_two() -> None:
    record = played(2, ruleset="bohnanza-two", players=("ann@1", "ben@2"))
    turn = next(step for step in steps(record) if step.table.public.turn == 3)
    on = console()
    on.print(picture(turn.table, record.players, "spring/1.0", 80))
    for _, line in describe(turn, record.players):
        on.print(line)
    assert shown(on) == [
        "spring/1.0  turn 3  pile 124  discards 6  run-outs 0/1",
        "   player   $  field 1      field 2      field 3      hand",
        "────────────────────────────────────────────────────────────────────────────────",
        "▸  ann@1    0  -            1 chili                   chili wax wax blue coffee",
        "                            (3: $1)",
        "   ben@2    0  2 soy $1     1 coffee                  wax wax wax red wax",
        "               (4: $2)      (4: $1)",
        "",
        "  ben@2 plants coffee in field 2",
        "  ben@2 draws red, wax",
        "Turn 3: ann@1",
    ]


def test_a_table_of_a_duel() -> None:
    view = new_game("duel", seats=2, seed=b"x").view(0)
    assert isinstance(view, DuelView)
    column = Column()
    for kind in ("red", "red", "black_eyed"):
        column = column.grown(kind)
    public = replace(
        view,
        turn=4,
        active=1,
        fields=((column, Column(), Column().grown("blue")), (Column(),) * 3),
        dollars=(3, 3),
        earned=((2,), ()),
        hand_sizes=(2, 0),
        bohnus_sizes=(2, 0),
        turned=("green", "green"),
        offered=("chili",),
        gifts=(None, "chili"),
        pile=40,
        discard=(7, *[0] * 7),
        bohnus_pile=20,
    )
    views = (
        replace(public, seat=0, hand=("soy", "garden"), bohnus=(0, 1)),
        replace(public, seat=1, hand=(), bohnus=()),
    )
    table = ReplayTable(views, frozenset({0}))
    on = console()
    on.print(picture(table, ("ann@1", "ben@2"), "spring/2.1", 80))
    assert shown(on) == [
        "spring/2.1  turn 4  pile 40  discards 7  bo(h)nus pile 20",
        "✗ ann@1  $4.10",
        "     hand soy garden",
        "  field 1 2 red, 1 black-eyed $1 (4: $2)",
        "  field 2 -",
        "  field 3 1 blue (4: $1)",
        " bo(h)nus 1-3 10c   5 10c   fulfilled 1-1-2 10c",
        "▸ ben@2  $3.00",
        "     hand -",
        "  field 1 -",
        "  field 2 -",
        "  field 3 -",
        " bo(h)nus -",
        "turned over green green   offered chili   gift for ben@2 chili",
    ]


def dice_table(seats: int, *, thief: bool = False) -> ReplayTable[DiceView]:
    view = new_game("bean-thief-hard" if thief else "dice-2012", seats=seats, seed=b"x").view(0)
    assert isinstance(view, DiceView)
    public = replace(
        view,
        turn=6,
        active=0,
        roll=2,
        faces=("blue", "red", "blue", "soy", "garden", None, None),
        rolled=(0, 1),
        saved=(2, 3),
        stolen=(4,) if thief else (),
        thief=7 if thief else 0,
        piece=not thief,
        tops=tuple(range(0, 2 * seats, 2)),
        bottoms=tuple(range(1, 2 * seats, 2)),
        completed=tuple(range(3, 3 - seats, -1)),
        dollars=tuple(range(3, 3 + seats)),
        deck=40,
    )
    return ReplayTable(tuple(replace(public, seat=seat) for seat in range(seats)), frozenset())


def test_a_table_of_dice_for_three() -> None:
    on = console()
    on.print(picture(dice_table(3), ("ann@1", "ben@2", "cid@3"), "spring/2.1", 80))
    assert shown(on) == [
        "spring/2.1  turn 6  deck 40",
        "roll 2 blue red   bean field blue soy   may roll again",
        "▸ ann@1  $3  ■■■□□□  a harvest earns $1",
        "     13% china + soy + garden · 12% red|soy + 2 stink + china · 7% blue|green +…",
        "  ben@2  $4  ■■□□□□",
        "     19% 4 blue or 2 china · 13% 3 stink or 3 red · 12% green|garden + 2 stink …",
        "  cid@3  $5  ■□□□□□",
        "     35% green + china · 19% 4 blue or 2 red · 18% blue + soy + garden · 10% bl…",
    ]


def test_a_table_against_the_thief() -> None:
    on = console()
    on.print(picture(dice_table(1, thief=True), ("ann@1",), "spring/2.0", 80))
    assert shown(on) == [
        "spring/2.0  turn 6  deck 40",
        "roll 2 blue red   bean field blue soy   stolen garden",
        "▸ ann@1  $3  ■■■□□□  a harvest earns $1",
        "   ✓ 60% 2 blue or 2 china",
        "   ✓ 33% green|garden + 3 of stink|soy",
        "   ✓ 31% 3 blue or 3 green",
        "     13% china + soy + garden",
        "     12% red|soy + 2 stink + china",
        "      7% blue|green + 2 garden",
        "  Bean Thief  $7",
    ]


def test_lines_of_a_turn_of_dice_show_the_dice_as_they_were() -> None:
    record = played(1, ruleset="bean-thief-normal", players=("ann@1",))
    lines = [line.plain.strip() for step in steps(record) for _, line in describe(step, record.players)]
    first = lines.index("Turn 1: ann@1")
    assert lines[first : first + 12] == [
        "Turn 1: ann@1",
        "ann@1 rolls 3 stink, 2 blue, soy, green",
        "ann@1 saves stink, green",
        "ann@1 rolls 2 red, green, 2 blue",
        "ann@1 saves red",
        "ann@1 completes an order, now 1",
        "The Bean Thief rolls stink, china, green, blue",
        "The Bean Thief steals green from the bean field",
        "ann@1 rolls red, stink, blue, soy",
        "ann@1 saves blue, soy",
        "ann@1 rolls stink, china",
        "ann@1 saves china",
    ]
