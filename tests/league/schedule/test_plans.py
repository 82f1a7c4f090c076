"""Plans of a ladder's epochs."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from beanleague.league.schedule import plans
from beanleague.league.schedule.plans import Candidate, Epoch, Meetings, plan_epoch, queue, with_queue
from beanleague.league.schedule.schedule import ScheduleError, Table
from beanleague.league.schedule.seeds import table_rank

SECRET = b"s" * 32


def entry(number: int, half_width: int = 15, *, group: int | None = None, placing: bool = False) -> Candidate:
    rating = 1500 if placing else 1300 + 7 * number
    return Candidate(number, number if group is None else group, placing, rating, half_width, 0 if placing else 100)


def settled(count: int, first: int = 0) -> list[Candidate]:
    """Entries of different owners, 7 Elo apart."""
    return [entry(number) for number in range(first, first + count)]


def newcomers(count: int, first: int, group: int | None = None) -> list[Candidate]:
    return [entry(number, 686, group=group, placing=True) for number in range(first, first + count)]


def plan(
    entries: Sequence[Candidate], tables: int, meetings: Meetings | None = None, *, seats: int = 4, background: int = 0
) -> list[Table]:
    meetings = meetings or Meetings()
    return plan_epoch(Epoch(seats, tables, background, with_queue(entries, meetings, seats)), meetings, SECRET)


def counted(tables: Sequence[Table], entries: Sequence[Candidate]) -> Meetings:
    """The meetings at these tables, counted anew."""
    group = {entry.number: entry.group for entry in entries}
    meetings = Meetings()
    for table in tables:
        meetings.add(table, group[table[0]])
    return meetings


def long_plan(entries: Sequence[Candidate], epochs: int) -> list[Table]:
    meetings = Meetings()
    return [table for _ in range(epochs) for table in plan(entries, 8, meetings)]


class TestAPlan:
    def test_follows_from_the_epoch_and_the_tables_before(self) -> None:
        entries = [*settled(20), *newcomers(3, 20)]
        before = long_plan(entries, 5)
        kept = counted(before, entries)
        assert plan(entries, 8, kept) == plan(list(entries), 8, counted(before, entries))

    def test_is_the_same_on_every_machine_and_in_every_version(self) -> None:
        entries = [*settled(20), *newcomers(3, 20), *newcomers(2, 23, group=4)]
        entries[3:5] = [entry(3, 41), entry(4, 27)]
        tables = long_plan(entries, 12)
        assert hashlib.sha256(repr(tables).encode()).hexdigest()[:16] == "04ce1d8ba595084e"

    def test_seats_different_entries_at_each_table(self) -> None:
        for seats in (2, 3, 5, 7):
            tables = plan([*settled(9), *newcomers(2, 9)], 10, seats=seats)
            assert tables
            assert all(len(set(table)) == seats for table in tables)

    def test_needs_an_entry_for_each_seat(self) -> None:
        with pytest.raises(ScheduleError, match="3 entries cannot fill 4 seats"):
            plan(settled(3), 1)

    def test_of_a_new_ladder_seats_whoever_there_is(self) -> None:
        tables = plan(newcomers(7, 0), 8)
        assert {entry for table in tables for entry in table} == set(range(7))


class TestSeeds:
    def test_are_nobody_when_all_are_settled(self) -> None:
        assert plan(settled(20), 8) == []

    def test_are_everybody_now_and_then_even_so(self) -> None:
        tables = plan(settled(20), 8, background=5)
        assert len(tables) == 5

    def test_are_those_being_placed_for_at_most_half_of_the_tables(self) -> None:
        uncertain = [entry(number, 30) for number in range(20)]
        tables = plan([*uncertain, *newcomers(8, 20)], 8)
        assert [table[0] >= 20 for table in tables] == [True] * 4 + [False] * 4

    def test_are_at_most_two_of_one_that_is_being_placed(self) -> None:
        assert [table[0] for table in plan([*settled(20), *newcomers(1, 20)], 8)] == [20, 20]

    def test_are_next_all_in_turn_the_fewest_effective_deals_first_while_somebody_is_not_settled(self) -> None:
        entries = settled(20)
        entries[9] = entry(9, 30)
        entries[4] = replace(entries[4], deals=97)
        assert [table[0] for table in plan(entries, 8)] == [4, 4, 4, 0, 1, 2, 3, 4]

    def test_do_not_wait_for_an_owner_who_submits_a_thousand_bots(self) -> None:
        field, mine = settled(20), newcomers(1, 2_000)
        flood = newcomers(1_000, 20, group=20)
        meetings = Meetings()
        plan([*field, *flood], 8, meetings)
        now, _ = queue([*field, *flood, *mine], meetings)
        assert mine[0] in now
        assert sum(entry.group == 20 for entry in now) == plans.MAX_PLACING_OF_OWNER

    def test_take_turns_by_owner(self) -> None:
        entries = [*settled(20), *newcomers(2, 20, group=20), *newcomers(1, 22), *newcomers(1, 23)]
        assert [table[0] for table in plan(entries, 6)] == [20, 22, 23, 21, 22, 23]

    def test_wait_in_the_order_of_their_owners_turns(self) -> None:
        entries = [*newcomers(3, 0, group=0), *newcomers(3, 3, group=3), *newcomers(9, 6)]
        now, later = queue(entries, Meetings())
        assert [entry.number for entry in now] == [0, 3, 6, 7, 8, 9, 10, 11]
        assert [entry.number for entry in later] == [12, 13, 14, 1, 4, 2, 5]

    def test_are_nobody_when_all_that_are_not_settled_had_their_tables_of_the_day(self) -> None:
        entries = settled(20)
        entries[9] = replace(entry(9, 100), deals=0)
        meetings = Meetings()
        tables = [table for _ in range(30) for table in plan(entries, 8, meetings)]
        assert [table[0] for table in tables] == [9] * plans.MAX_TABLES_A_DAY
        meetings.today.clear()
        assert len(plan(entries, 8, meetings)) == 8

    def test_get_no_more_than_their_tables_of_the_day_while_others_need_theirs(self) -> None:
        entries = settled(20)
        entries[3] = replace(entry(3), deals=1)  # settled already, with the fewest deals
        entries[9] = replace(entry(9, 100), deals=500)
        meetings = Meetings()
        for _ in range(600):
            plan(entries, 8, meetings)
        assert max(meetings.today.values()) == meetings.today[3] == plans.MAX_TABLES_A_DAY
        assert meetings.today[9] == plans.MAX_TABLES_A_DAY


class TestCompanions:
    def test_of_one_owner_are_kept_apart(self) -> None:
        entries = [entry(number, 40, group=number // 3) for number in range(18)]
        group = {entry.number: entry.group for entry in entries}
        for table in long_plan(entries, 20):
            assert len({group[entry] for entry in table}) == 4

    def test_of_one_owner_meet_where_owners_are_fewer_than_seats(self) -> None:
        entries = [entry(number, 40, group=min(number, 2)) for number in range(6)]
        tables = long_plan(entries, 20)
        assert {number for table in tables for number in table} == set(range(6))
        assert any({3, 4, 5} <= {*table} for table in tables)

    def test_are_those_being_placed_too(self) -> None:
        tables = long_plan([*settled(20), *newcomers(8, 100)], 6)
        assert any(number >= 100 for table in tables for number in table[1:])

    def test_are_not_entries_that_wait_to_be_placed(self) -> None:
        waiting = range(100 + plans.MAX_PLACING, 120)
        tables = long_plan([*settled(20), *newcomers(20, 100)], 2)
        assert not any(number in waiting for table in tables for number in table)

    def test_are_entries_that_wait_where_others_cannot_fill_a_table(self) -> None:
        tables = plan([*settled(1), *newcomers(5, 100, group=100)], 8)
        assert any(number in {102, 103, 104} for table in tables for number in table)

    def test_are_drawn_from_near_and_far_alike(self) -> None:
        met = Counter(number for table in long_plan([*settled(100), *newcomers(1, 100)], 300) for number in table[1:])
        halves = [sum(met[number] for number in part) for part in (range(50), range(50, 100))]
        assert abs(halves[0] - halves[1]) < 4 * (sum(halves) ** 0.5)

    def test_follow_from_the_secret_of_the_day_and_the_number_of_the_table(self) -> None:
        field = Epoch(4, 8, 0, (*settled(20), *newcomers(1, 20)))
        for number, table in enumerate(plan_epoch(field, Meetings(), SECRET), 1):
            rank = table_rank(SECRET, number, field.field.count(20))
            assert table == (20, *field.field.of_rank(20, rank))
        assert plan_epoch(field, Meetings(), b"another") != plan_epoch(field, Meetings(), SECRET)


def test_seats_at_a_table_that_is_dropped_do_not_count() -> None:
    entries = settled(4)
    meetings = counted([(0, 1, 2, 3), (0, 1, 2, 3)], entries)
    meetings.drop((0, 1, 2, 3))
    assert (meetings.sat[3], meetings.seeded[0]) == (1, 2)
