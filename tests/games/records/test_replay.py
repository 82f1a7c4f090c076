"""Playing the moves of a record again, with a look before each of them."""

from dataclasses import replace

import pytest

from beanleague.games import PlayedMove
from beanleague.games.records.replay import RecordedMoveError, play_all, replayed, set_up
from tests.games.records.test_record import RECORD


def test_all_moves_give_the_events_of_the_record() -> None:
    game = set_up(RECORD)
    play_all(RECORD, game)
    assert tuple(game.events) == RECORD.events


def test_the_game_stands_before_each_move_when_it_is_yielded() -> None:
    game = set_up(RECORD)
    for index, move in replayed(RECORD, game):
        assert move == RECORD.moves[index]
        assert move.seat in game.to_act()


def test_an_illegal_move_is_named_with_its_seat_and_the_words_of_the_game() -> None:
    wrong = PlayedMove(RECORD.moves[3].seat, RECORD.moves[0].action, by_default=False)
    record = replace(RECORD, moves=(*RECORD.moves[:3], wrong))
    with pytest.raises(RecordedMoveError) as error:
        play_all(record, set_up(record))
    assert (error.value.move, error.value.seat) == (3, wrong.seat)
    assert str(error.value)
