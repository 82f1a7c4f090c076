"""Companions of a seed."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from beanleague.league.schedule.draws import Companions
from beanleague.league.schedule.schedule import ScheduleError
from beanleague.league.schedule.seeds import table_rank

OWNERS = [0, 1, 1, 1, 4, 4, 6, 7]
"""Groups of eight entries, of which three have one owner and two another."""


def companions(groups: list[int], seats: int) -> Companions:
    return Companions(enumerate(groups), seats)


def allowed(groups: list[int], seats: int, seed: int) -> list[tuple[int, ...]]:
    """Return all sets that keep owners apart, one by one."""
    others = (entry for entry in range(len(groups)) if groups[entry] != groups[seed])
    return [each for each in combinations(others, seats - 1) if len({groups[entry] for entry in each}) == seats - 1]


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("seed", [0, 2, 5])
def test_ranks_are_all_sets_that_keep_owners_apart_each_once(seats: int, seed: int) -> None:
    field = companions(OWNERS, seats)
    sets = [field.of_rank(seed, rank) for rank in range(field.count(seed))]
    assert sorted(map(sorted, sets)) == sorted(map(sorted, allowed(OWNERS, seats, seed)))
    assert field.apart


def test_every_set_is_allowed_where_owners_are_fewer_than_seats() -> None:
    field = companions([0, 0, 0, 3, 3, 5], 4)
    assert not field.apart
    assert field.count(1) == comb(5, 3)
    assert {field.of_rank(1, rank) for rank in range(10)} == {*combinations([0, 2, 3, 4, 5], 3)}


def test_sets_do_not_depend_on_the_order_of_the_field() -> None:
    one, other = Companions(enumerate(OWNERS), 4), Companions([*enumerate(OWNERS)][::-1], 4)
    ranks = range(one.count(3))
    assert [one.of_rank(3, rank) for rank in ranks] == [other.of_rank(3, rank) for rank in ranks]


def test_a_field_smaller_than_a_table_is_refused() -> None:
    with pytest.raises(ScheduleError, match="3 entries cannot fill 4 seats"):
        companions([0, 1, 2], 4)


def test_numbers_of_sets_are_exact_beyond_the_precision_of_floats() -> None:
    assert companions([*range(10_000)], 7).count(17) == comb(9_999, 6)


def test_tables_draw_every_set_about_equally_often() -> None:
    field = companions(OWNERS, 4)
    count = field.count(0)
    drawn = Counter(field.of_rank(0, table_rank(b"secret", table, count)) for table in range(100 * count))
    assert len(drawn) == count
    assert sum((times - 100) ** 2 / 100 for times in drawn.values()) < 2 * count  # chi square: count - 1 +- its root


def test_ranks_of_tables_follow_from_the_secret_alone() -> None:
    assert table_rank(b"1" * 32, 7, 10**9) == table_rank(b"1" * 32, 7, 10**9) != table_rank(b"2" * 32, 7, 10**9)
    assert max(table_rank(b"1" * 32, table, 3) for table in range(50)) == 2
