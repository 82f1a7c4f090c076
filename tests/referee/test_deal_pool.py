from collections import Counter

import pytest

from beanleague.model import PlayedDeal, PlayedMatch
from beanleague.referee.deal_pool import DealPool
from beanleague.referee.messages import DealReport, DealTask, Limits, MatchTask, VoidDeal
from tests.league.fakepool import FakePools


def deal(number: int, matches: int = 4, repeats: int = 4, voids: int = 0) -> DealTask:
    seatings = (
        MatchTask(rotation, "dice", b"seed %d" % number, (0, 1), (b"", b""), label=f"{number}.{rotation}")
        for rotation in range(matches)
    )
    return DealTask(number, tuple(seatings), repeats, voids)


def pool_of(pools: FakePools, *, isolate: bool = False) -> DealPool:
    return pools([], Limits(), workers=2, in_flight=3, isolate=isolate)


def all_reports(pool: DealPool) -> list[DealReport]:
    reports = []
    while pool.unfinished:
        reports += pool.poll(0)
    return reports


def test_a_deal_is_reported_when_its_last_match_is_over() -> None:
    pool = pool_of(FakePools(at_once=1, order=5))
    pool.submit(deal(7))
    reports = all_reports(pool)
    assert [type(report) for report in reports] == [PlayedMatch] * 4 + [PlayedDeal]
    *matches, whole = reports
    assert isinstance(whole, PlayedDeal)
    assert (whole.number, whole.seed, set(whole.matches)) == (7, b"seed 7", set(matches))
    assert [match.id for match in whole.matches] == [0, 1, 2, 3]


@pytest.mark.parametrize("isolate", [False, True])
def test_a_void_deal_is_reported_at_once_with_the_first_reason_and_nothing_of_it_counts_later(isolate: bool) -> None:
    pools = FakePools(at_once=1, killed=lambda task: {"7.1": 0, "7.2": 1}.get(task.label))
    pool = pool_of(pools, isolate=isolate)
    pool.submit(deal(7))
    reports = all_reports(pool)
    (result,) = [report for report in reports if isinstance(report, VoidDeal)]
    assert reports[-1] is result
    first = next(task.label for task in pools.order_played if task.label in {"7.1", "7.2"})
    assert (result.why, result.killed) == ("somebody killed a bot", {"7.1": 0, "7.2": 1}[first])
    assert len(pools.tasks) == pools.played == (2 if isolate else 4)
    before = [task.label for task in pools.order_played].index(first)
    assert result.over == len(reports) - 1 == before


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_workers_have_equally_much_to_do_whichever_deals_they_get(step: int) -> None:
    """A pool that has part of a league may get every second deal."""
    pools = FakePools()
    pool = pool_of(pools)
    for number in range(1, 1 + 8 * step, step):
        pool.submit(deal(number, matches=3, repeats=1))
    load = Counter(task.lane % 2 for task in pools.tasks)
    assert load == {0: 12, 1: 12}


def test_a_deal_that_was_void_is_played_in_new_lanes() -> None:
    pools = FakePools()
    pool = pool_of(pools)
    for voids in range(3):
        pool.submit(deal(1, voids=voids))
        all_reports(pool)
    assert sorted(task.lane for task in pools.tasks) == list(range(12))


def test_what_is_secret_in_a_task_is_not_shown() -> None:
    """Libraries write tasks to logs."""
    task = DealTask(1, (MatchTask(0, "dice", b"the seed", (0, 1), (b"some luck", b"more luck")),))
    assert "seed" not in repr(task)
    assert "luck" not in repr(task)
