"""Two games of a deal side by side: the page says what the terminal says."""

from dataclasses import asdict
from functools import cache
from typing import Any

import pytest

from beanbot.analysis import rotations
from beanbot.analysis.rotations import DealtSeat, side_by_side
from beanleague.games import Record
from tests.cli.helpers import played
from tests.web.viewer.node import Node
from tests.web.viewer.replaying import as_served

SEATS = [[("ann@1", 9), ("ben@2", 4), ("cid@1", 7)], [("ben@2", 14), ("cid@1", 5), ("ann@1", 6)]]
DEALT = [
    DealtSeat(f"spring/1.{rotation}", seat, player, score)
    for rotation, players in enumerate(SEATS)
    for seat, (player, score) in enumerate(players)
]


@cache
def games() -> tuple[Record, Record]:
    """Return two games of a deal, which part early; the second is the shorter one."""
    return played(4), played(4, talk=0)


@cache
def served() -> list[dict[str, Any]]:
    return [as_served(game) for game in games()]


@pytest.mark.parametrize(
    "asked",
    [("ann",), ("ben@2",), ("ann", "", 2), ("ann", "cid"), ("ann", "ben@1"), ("ann", "", 1), ("nobody",)],
    ids=str,
)
def test_the_page_compares_the_seats_that_the_terminal_compares(node: Node, asked: tuple[Any, ...]) -> None:
    pair = rotations.compared(DEALT, *asked)
    shown = node.ask("compared", [asdict(each) for each in DEALT], *asked)
    assert shown == (pair and [asdict(each) for each in pair])


@pytest.mark.parametrize("seat", [0, 3])
def test_the_page_shows_the_turns_that_the_terminal_prints(node: Node, seat: int) -> None:
    found = side_by_side(DEALT[0], DEALT[3], games()) if seat == 0 else None
    found = found or side_by_side(DealtSeat("", seat, "", 0), DealtSeat("", seat, "", 0), games())
    shown = node.ask("sideBySide", *served(), seat)
    assert shown["parted"] == found.parted
    assert shown["turns"] == [[[turn.turn, turn.dollars, len(turn.done)] for turn in pair] for pair in found.turns]


def test_games_that_are_the_same_do_not_part(node: Node) -> None:
    assert node.ask("sideBySide", served()[0], served()[0], 0)["parted"] is None


def test_a_replay_follows_the_other_move_by_move_until_they_part_then_turn_by_turn(node: Node) -> None:
    parted = node.ask("sideBySide", *served(), 0)["parted"]
    turns = node.ask("survey", served()[0])["turns"]
    last = len(games()[0].moves)
    forward = [*range(parted + 1), turns[5], turns[5] + 1, turns[9], last]
    steps = node.ask("inStep", *served(), [*forward, turns[9], parted, 0])
    assert [shown for shown, _, _ in steps[: parted + 1]] == list(range(parted + 1))
    begun, within, later, end, back, *before = steps[parted + 1 :]
    assert begun == within == [begun[0], begun[1], begun[1]]
    assert later[1] == later[2] > begun[1]
    assert end[0] == len(games()[1].moves) or end[1] == end[2]
    assert back[1] == back[2]
    assert back[0] > later[0]  # the end of the turn, for who comes from a later one
    assert [shown for shown, _, _ in before] == [parted, 0]
