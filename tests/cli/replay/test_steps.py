"""A record as the steps of a replay."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from beanleague.cli.errors import CliError
from beanleague.cli.replay.steps import ReplayTable, steps
from beanleague.games import Fault, PlayedMove, View
from beanleague.games.bohnanza import Answered, BohnanzaView
from beanleague.games.core import Harvest, TurnStarted
from tests.cli.helpers import played, with_fault


def test_the_steps_have_every_event_once_and_in_order() -> None:
    record = played()
    assert tuple(event for step in steps(record) for event in step.entries) == record.events


def views(table: ReplayTable[View]) -> list[BohnanzaView]:
    """Return what each seat sees at a table of the trading games."""
    return [view for view in table.views if isinstance(view, BohnanzaView)]


def test_the_last_table_has_the_dollars_of_the_outcome() -> None:
    record = played(4)
    last = list(steps(record))[-1]
    assert views(last.table)[0].dollars == record.scores
    assert last.move == len(record.moves)


def test_every_table_holds_all_104_cards() -> None:
    for step in steps(played(5)):
        seats = views(step.table)
        first = seats[0]
        cards = first.pile + sum(first.discard) + len(first.turned) + sum(first.dollars)
        for own in seats:
            cards += len(own.hand) + len(own.own_aside) + sum(field.count for field in own.own_fields)
        assert cards == 104


def test_a_step_begins_with_the_table_that_the_one_before_ends_with() -> None:
    every = list(steps(played()))
    assert every[0].before == every[0].table
    assert all(later.before is step.table for step, later in pairwise(every))


def test_answers_to_an_offer_are_one_step() -> None:
    record = played(4)
    offered_to_all = [step for step in steps(record) if any(isinstance(event, Answered) for event in step.entries)]
    assert offered_to_all
    for step in offered_to_all:
        answers = [event for event in step.entries if isinstance(event, Answered)]
        assert len(answers) == 3


def test_turns_ascend_from_one() -> None:
    turns = [step.table.public.turn for step in steps(played())]
    assert turns[0] == 1
    assert all(later - turn in {0, 1} for turn, later in pairwise(turns))


def test_a_fault_comes_before_what_was_played_instead() -> None:
    record = with_fault(played(), 0)
    second = list(steps(record))[1]
    assert second.entries[0] == record.faults[0]
    assert not isinstance(second.entries[1], Fault)


def test_a_forfeited_seat_is_marked_from_then_on() -> None:
    record = with_fault(played(), 5, forfeited=True)
    marked = [step.table.forfeited for step in steps(record)]
    assert marked[0] == frozenset()
    assert marked[-1] == {record.moves[5].seat}


def test_moves_against_the_rules_end_the_replay_with_their_place() -> None:
    record = played()
    wrong = replace(record, moves=(PlayedMove(0, Harvest(0), by_default=False), *record.moves))
    with pytest.raises(CliError, match="move 0 of seat 0 is not legal: field 0 is empty"):
        list(steps(wrong))


def test_a_game_that_cannot_be_set_up_is_an_error() -> None:
    with pytest.raises(CliError, match="cannot be replayed: bohnanza is for 3 to 5 seats, not 9"):
        list(steps(replace(played(), seats=9)))


def test_the_deal_is_the_first_step() -> None:
    first = next(iter(steps(played())))
    assert first.move == 0
    assert isinstance(first.entries[-1], TurnStarted)
    assert all(len(own.hand) == 5 for own in views(first.table))
