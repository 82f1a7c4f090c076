"""Plans of a ladder's epochs."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import median

import pytest

from beanleague.league.schedule import plans
from beanleague.league.schedule.plans import Candidate, Epoch, Meetings, planned, queue
from beanleague.league.schedule.schedule import ScheduleError, Table


def settled(count: int, first: int = 0) -> list[Candidate]:
    """Entries of different owners, 7 Elo apart."""
    return [
        Candidate(number, number, placing=False, rating=1300 + 7 * number, half_width=15)
        for number in range(first, first + count)
    ]


def newcomers(count: int, first: int, group: int | None = None) -> list[Candidate]:
    return [
        Candidate(number, number if group is None else group, placing=True, rating=1500, half_width=686)
        for number in range(first, first + count)
    ]


def plan(
    entries: Sequence[Candidate], tables: int, meetings: Meetings | None = None, *, seats: int = 4, background: int = 0
) -> list[Table]:
    return planned(Epoch(seats, tables, background, tuple(entries)), meetings or Meetings())


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
        entries[3:5] = [Candidate(3, 3, False, 1488, 41), Candidate(4, 4, False, 1512, 27)]
        tables = long_plan(entries, 12)
        assert hashlib.sha256(repr(tables).encode()).hexdigest()[:16] == "90f92b9c8fc62f8d"

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
        uncertain = [Candidate(number, number, False, 1500 + number, 30) for number in range(20)]
        tables = plan([*uncertain, *newcomers(8, 20)], 8)
        assert [table[0] >= 20 for table in tables] == [True] * 4 + [False] * 4

    def test_are_at_most_two_of_one_that_is_being_placed(self) -> None:
        assert [table[0] for table in plan([*settled(20), *newcomers(1, 20)], 8)] == [20, 20]

    def test_are_next_those_of_the_largest_half_width(self) -> None:
        entries = settled(20)
        entries[4], entries[9] = Candidate(4, 4, False, 1400, 22), Candidate(9, 9, False, 1400, 39)
        tables = plan(entries, 8, counted([(9, 1, 2, 3)] * 25 + [(4, 1, 2, 3)] * 50, entries))
        assert [table[0] for table in tables][:3] == [9, 9, 9]
        assert 4 in {table[0] for table in plan(entries, 60)}

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


class TestOpponents:
    def test_of_one_owner_are_kept_apart(self) -> None:
        entries = [Candidate(number, number // 3, False, 1500 + number, 40) for number in range(18)]
        group = {entry.number: entry.group for entry in entries}
        for table in long_plan(entries, 20):
            assert len({group[entry] for entry in table}) == 4

    def test_of_one_owner_meet_where_others_are_too_few(self) -> None:
        entries = [Candidate(number, min(number, 2), False, 1500, 40) for number in range(6)]
        group = {entry.number: entry.group for entry in entries}
        for table in long_plan(entries, 20):
            assert len({group[entry] for entry in table}) == 3

    def test_are_those_being_placed_too_while_few_are_rated(self) -> None:
        few = [*settled(plans.FEW_RATED - 1), *newcomers(8, 100)]
        tables = long_plan(few, 6)
        assert any(entry >= 100 for table in tables for entry in table[1:])

    def test_are_not_those_being_placed_where_others_suffice(self) -> None:
        tables = plan([*settled(plans.FEW_RATED), *newcomers(8, 100)], 8)
        assert all(entry < 100 for table in tables for entry in table[1:])

    def test_are_near_in_rating_three_times_of_four(self) -> None:
        seed = Candidate(100, 100, True, 1650, 45)  # of the field number 50 is next to it
        tables = long_plan([*settled(100), seed], 30)
        far = [median(abs(entry - 50) for entry in table[1:]) for table in tables]
        assert [distance > 15 for distance in far[:12]].count(True) <= 3
        assert sum(far[3::4]) > 2 * sum(far[0::4])

    def test_change_from_table_to_table(self) -> None:
        seed = Candidate(100, 100, True, 1650, 45)
        met = Counter(entry for table in long_plan([*settled(100), seed], 15) for entry in table[1:])
        assert max(met.values()) <= 3

    def test_of_balanced_tables_are_drawn_about_equally_often(self) -> None:
        tables = long_plan([Candidate(number, number, False, 1000 + 50 * number, 40) for number in range(25)], 100)
        seeded: Counter[int] = Counter()
        drawn: Counter[int] = Counter()
        pairs: Counter[tuple[int, int]] = Counter()
        for table in tables:
            seeded[table[0]] += 1
            if seeded[table[0]] % 4 == 0:
                drawn.update(table[1:])
                pairs.update(combinations(sorted(table[1:]), 2))
        assert max(drawn.values()) <= 3 * min(drawn.values())
        assert max(pairs.values()) <= 4 * sum(pairs.values()) / len(pairs)


class TestInformation:
    def test_of_a_known_strength_is_p_times_1_less_p(self) -> None:
        known = plans._information(0)
        for distance in (0, 1, 100, 400, 1999):
            p = 1 / (1 + 10 ** (distance / 400))
            assert known[distance] == pytest.approx(2**20 * p * (1 - p), abs=2)

    def test_spreads_with_the_half_width(self) -> None:
        sharp, wide = plans._information(16), plans._information(400)
        assert sharp[0] > wide[0]
        assert sharp[600] < wide[600]

    def test_uses_the_odds_of_one_elo_to_the_last_digit(self) -> None:
        odds, power = plans._ODDS_OF_ONE_ELO, 10 * 2 ** (64 * 400)
        assert odds**400 <= power < (odds + 1) ** 400


def test_a_table_that_is_dropped_is_no_meeting() -> None:
    entries = settled(4)
    meetings = counted([(0, 1, 2, 3), (0, 1, 2, 3)], entries)
    meetings.drop((0, 1, 2, 3))
    assert (meetings.met(0)[1], meetings.sat[3], meetings.seeded[0]) == (1, 1, 2)
