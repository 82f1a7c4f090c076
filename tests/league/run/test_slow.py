"""When an epoch of a ladder is due, and who is left out of it as slow."""

from collections import Counter

from beanleague.league.run.slow import SlowEntries
from beanleague.model import Deal

HELD = ((0, 1, 2, 5), (1, 2, 3, 5), (0, 2, 4, 5), (2, 3, 4, 5), (0, 1, 4, 5), (0, 1, 3, 5), (1, 3, 4, 5), (0, 3, 4, 5))
"""An epoch in which entry 5 is at every table."""
QUICK = (0, 1, 2, 3)


def deals(first: int, *tables: tuple[int, ...]) -> list[Deal]:
    return [Deal(number, table, b"") for number, table in enumerate(tables, first)]


class Ladder:
    """Six entries at four seats, of which no deal is over but those `over`."""

    def __init__(self) -> None:
        self.planned: list[Deal] = []
        self.over: set[int] = set()
        self.slow = SlowEntries(5.0, 0, [], now=0.0)

    def plan(self, now: float, *tables: tuple[int, ...]) -> None:
        new = deals(len(self.planned) + 1, *tables)
        self.planned += new
        self.slow.planned(new, now, len(self.over))

    def is_due(self, now: float) -> bool:
        stalled = self.slow.stalled(now, len(self.over))
        opened = [deal for deal in self.planned if deal.number not in self.over]
        return self.slow.is_due(opened, len(self.planned), Counter(), lambda out: len(out) <= 2, stalled=stalled)


def test_an_epoch_is_due_when_half_of_the_one_before_is_over() -> None:
    ladder = Ladder()
    ladder.plan(0.0, *[QUICK] * 8)
    ladder.over = {1, 2, 3}
    assert not ladder.is_due(1.0)
    ladder.over = {1, 2, 3, 4}
    assert ladder.is_due(1.0)
    assert ladder.slow.left_out == []


def test_an_epoch_that_a_slow_entry_holds_as_a_whole_is_followed_by_another_and_accuses_nobody() -> None:
    ladder = Ladder()
    ladder.plan(0.0, *HELD)
    assert not ladder.is_due(4.9)
    assert ladder.is_due(5.0)
    assert ladder.slow.left_out == []


def test_an_epoch_without_results_is_waited_for_twice_as_long_each_time() -> None:
    ladder = Ladder()
    ladder.plan(0.0, *HELD)
    assert ladder.is_due(5.0)
    ladder.plan(5.0, *HELD)
    assert not ladder.is_due(14.0)
    assert ladder.is_due(15.0)


def test_an_entry_is_slow_if_only_deals_without_it_are_over() -> None:
    ladder = Ladder()
    ladder.plan(0.0, *HELD, QUICK, (0, 1, 2, 4))
    ladder.over = {9, 10}
    assert ladder.is_due(1.0)
    assert ladder.slow.left_out == [5]


def test_two_entries_are_slow_if_only_deals_without_both_are_over_for_a_while() -> None:
    ladder = Ladder()
    ladder.plan(0.0, *[(0, 1, 2, 5), (1, 2, 3, 5)] * 4)
    ladder.plan(0.0, *[(0, 1, 2, 4)] * 7, QUICK)
    ladder.over = {16}
    assert not ladder.is_due(1.0)
    assert ladder.is_due(6.1)
    assert sorted(ladder.slow.left_out) == [4, 5]


def test_a_slow_entry_plays_again_when_its_deals_are_over() -> None:
    ladder = Ladder()
    ladder.plan(0.0, *HELD, QUICK, (0, 1, 2, 4))
    ladder.over = {9, 10}
    assert ladder.is_due(1.0)
    ladder.plan(1.0, *[QUICK] * 8)
    ladder.over = {*range(1, 17)}
    assert ladder.is_due(2.0)
    assert ladder.slow.left_out == []


def test_a_clock_that_is_set_back_begins_the_wait_anew() -> None:
    ladder = Ladder()
    ladder.plan(1000.0, *HELD)
    assert not ladder.is_due(10.0)
    assert not ladder.is_due(14.0)
    assert ladder.is_due(15.0)
