"""The steps of a replay, whole and as one seat saw them."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from beanleague.cli.params import CliError
from beanleague.cli.replay.lines import describe, picture
from beanleague.cli.replay.steps import ReplayTable, seen_from, steps
from beanleague.games import Fault, PlayedMove, Record, View
from beanleague.games.bohnanza import Answered, BohnanzaView
from beanleague.games.core import Dealt, Harvest, TurnStarted
from tests.cli.helpers import played, with_fault
from tests.cli.replay.screens import text


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


GAMES = [("bohnanza", 5), ("bohnanza-two", 2), ("duel", 2), ("dice", 3)]


@pytest.mark.parametrize(("ruleset", "seats"), GAMES)
def test_all_that_is_drawn_was_in_the_views_and_events_of_the_seat(ruleset: str, seats: int) -> None:
    """Other seats have only what the seat's own view says of them, and events are as this seat sees them."""
    record = played(seats, ruleset=ruleset)
    whole = list(steps(record))
    seen = list(seen_from(1, whole))
    assert len(whole) == len(seen)
    for step, known in zip(whole, seen, strict=True):
        own: Any = step.table.views[1]
        assert known.table.views[1] is own
        for seat, other in enumerate(known.table.views):
            assert replace(other, seat=1, **_private(own)) == own, seat
        assert known.entries == tuple(entry.seen_by(1) for entry in step.entries if hasattr(entry, "seen_by"))


def _private(own: Any) -> dict[str, Any]:
    return {name: getattr(own, name) for name in ("hand", "bohnus") if hasattr(own, name)}


@pytest.mark.parametrize("ruleset", ["bohnanza", "bohnanza-two", "duel"])
def test_hidden_hands_are_drawn_as_numbers_of_cards(ruleset: str) -> None:
    seats = 3 if ruleset == "bohnanza" else 2
    record = played(seats, ruleset=ruleset)
    step = next(seen_from(1, steps(record)))
    drawn = text(picture(step.table, record.players, "", 100))
    assert drawn.count("5 cards") == seats - 1
    lines = [line.plain.strip() for entry, line in describe(step, record.players) if isinstance(entry, Dealt)]
    assert [line.endswith("is dealt 5 cards") for line in lines] == [seat != 1 for seat in range(seats)]


def test_a_seat_sees_its_own_faults_and_forfeit_alone() -> None:
    def faults(record: Record) -> tuple[int, set[int]]:
        seen = list(seen_from(1, steps(record)))
        return sum(entry in record.faults for step in seen for entry in step.entries), set(seen[-1].table.forfeited)

    record = played()
    of = {record.moves[move].seat: move for move in range(20)}
    assert faults(with_fault(record, of[0], forfeited=True)) == (0, set())
    assert faults(with_fault(record, of[1], forfeited=True)) == (1, {1})
