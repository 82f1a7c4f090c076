"""The same deal in other rotations: who made most of a seat, and where two games parted."""

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from beanbot.analysis.rotations import DealtSeat, compared, seat_turns, side_by_side
from beanbot.rotations import main
from beanleague.games import GameError, PlayedMove, Record, record_to_json
from beanleague.games.core import Harvested, Pass
from tests.cli.helpers import played

ANN, BEN, CID = "ann@1", "ben@2", "cid@1"
DEALT = [
    DealtSeat(f"spring/1.{rotation}", seat, player, score)
    for rotation, players in enumerate([[(ANN, 9), (BEN, 4), (CID, 7)], [(BEN, 14), (CID, 5), (ANN, 6)]])
    for seat, (player, score) in enumerate(players)
]


def of(rotation: int, seat: int) -> DealtSeat:
    return DEALT[3 * rotation + seat]


def test_a_bot_is_compared_in_the_seat_of_which_others_made_most_more() -> None:
    assert compared(DEALT, "ann") == (of(0, 0), of(1, 0))
    assert compared(DEALT, BEN) == (of(0, 1), of(1, 1))


def test_the_seat_and_the_other_bot_can_be_chosen() -> None:
    assert compared(DEALT, "ann", seat=2) == (of(1, 2), of(0, 2))
    assert compared(DEALT, "ann", "cid") == (of(1, 2), of(0, 2))
    assert compared(DEALT, "ann", "ben@1") is None
    assert compared(DEALT, "ann", seat=1) is None


def test_a_bot_is_not_compared_with_itself() -> None:
    assert compared([of(0, 0), DealtSeat("spring/1.1", 0, ANN, 14)], "ann") is None


@cache
def record(ruleset: str = "bohnanza", seats: int = 4) -> Record:
    return played(seats, ruleset=ruleset)


@pytest.mark.parametrize(
    ("ruleset", "seats"),
    [("bohnanza", 4), ("bohnanza-two", 2), ("duel", 2), ("dice", 3), ("bean-thief-easy", 1)],
)
def test_every_turn_of_a_seat_has_what_it_did_and_had_earned(ruleset: str, seats: int) -> None:
    match = record(ruleset, seats)
    turns, _ = seat_turns(match, 0)
    assert [turn.turn for turn in turns] == list(range(turns[0].turn, len(turns) + turns[0].turn))
    assert all(one.move < other.move for one, other in pairwise(turns))
    assert any(turn.done for turn in turns)
    if ruleset == "bohnanza":
        assert turns[-1].dollars == match.scores[0]
        assert sum(line.count(" harvests ") for turn in turns for line in turn.done) == sum(
            isinstance(event, Harvested) and event.seat == 0 for event in match.events
        )


def test_games_part_at_the_first_move_that_differs() -> None:
    one, other = record(), played(4, talk=0)
    found = side_by_side(of(0, 0), of(1, 0), (one, other))
    at = found.parted
    assert at
    assert one.moves[:at] == other.moves[:at]
    assert one.moves[at] != other.moves[at]
    seat = other.moves[at].seat
    assert found.played[1].endswith(f", {other.players[seat]}: end the trading")
    assert found.played[0] != found.played[1]


def test_of_two_games_those_turns_are_shown_in_which_the_seat_did_something() -> None:
    own = of(0, 0)
    beside = side_by_side(own, of(1, 0), (record(), record()))
    assert beside.parted is None
    assert beside.turns
    assert all(turn.done for turn, _ in beside.turns[:-1])
    assert len(beside.turns) < len(seat_turns(record(), 0)[0])


def test_a_game_that_ended_earlier_stays_as_it_was_while_the_other_goes_on() -> None:
    one, other = record(), played(4, talk=0)
    turns = [len(seat_turns(game, 0)[0]) for game in (one, other)]
    assert turns[0] != turns[1]
    for games in ((one, other), (other, one)):
        last = side_by_side(of(0, 0), of(1, 0), games).turns[-1]
        assert [turn.turn for turn in last] == [max(turns)] * 2
        assert [turn.dollars for turn in last] == [game.scores[0] for game in games]


def test_a_record_that_the_rules_do_not_give_is_refused() -> None:
    with pytest.raises(GameError):
        seat_turns(replace(record(), moves=(PlayedMove(0, Pass(), by_default=False),)), 0)


def test_the_command_shows_a_deal_and_two_games_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / "1.0.json", tmp_path / "1.1.json"]
    for file, talk, players in ((files[0], 3, "abcd"), (files[1], 0, "bcda")):
        file.write_text(record_to_json(played(4, talk=talk, players=[f"{name}@1" for name in players])))
    names = list(map(str, files))
    assert main([*names, "--bot", "a", "--seat", "0"]) == 0
    text = capsys.readouterr().out
    assert "seat 0" in text
    assert "Seat 0: a@1 made $" in text
    assert "They parted at move " in text
    assert main([*names, "--bot", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["seats"]) == 8
    assert found["side_by_side"]["own"]["player"] == "a@1"
    assert main([*names, "--bot", "nobody"]) == 1
    assert capsys.readouterr().err == "rotations: nobody and another bot did not have the same seat in this deal\n"
    other = tmp_path / "2.0.json"
    other.write_text(record_to_json(played(4, seed=b"another")))
    assert main([names[0], str(other)]) == 1
    assert "not of one deal" in capsys.readouterr().err
