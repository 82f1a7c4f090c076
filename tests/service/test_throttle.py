from __future__ import annotations

import re
from contextlib import ExitStack

import grpc
import pytest

from beanleague.service import throttle as throttle_module
from beanleague.service.access import Cost
from beanleague.service.errors import RefusedCallError
from beanleague.service.throttle import ALLOWANCES, Allowance, Throttle


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def throttle(clock: Clock) -> Throttle:
    """Two calls a second after a burst of three looks; one piece of work at a time."""
    return Throttle({Cost.READ: Allowance(2.0, 3, 10), Cost.WORK: Allowance(100.0, 100, 1)}, clock)


def calls(throttle: Throttle, times: int, who: str = "ann", cost: Cost = Cost.READ) -> int:
    """How many of so many calls in a row are let in."""
    admitted = 0
    for _ in range(times):
        try:
            with throttle.admit(who, cost):
                admitted += 1
        except RefusedCallError:
            continue
    return admitted


def test_after_a_burst_the_rate_holds(throttle: Throttle, clock: Clock) -> None:
    assert calls(throttle, 10) == 3
    clock.now += 0.4
    assert calls(throttle, 10) == 0
    clock.now += 0.1
    assert calls(throttle, 10) == 1
    clock.now += 1.0
    assert calls(throttle, 10) == 2


def test_a_long_pause_gives_no_more_than_a_burst(throttle: Throttle, clock: Clock) -> None:
    calls(throttle, 10)
    clock.now += 10_000
    assert calls(throttle, 10) == 3


def test_a_refusal_says_how_long_to_wait_and_costs_nothing(throttle: Throttle, clock: Clock) -> None:
    calls(throttle, 10)
    message = re.escape("too many calls; try again in 0.5 seconds")
    with pytest.raises(RefusedCallError, match=message) as error, throttle.admit("ann", Cost.READ):
        pass
    assert error.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert error.value.wait == pytest.approx(0.5)
    clock.now += 0.5
    assert calls(throttle, 1) == 1


def test_callers_and_costs_do_not_count_for_each_other(throttle: Throttle) -> None:
    calls(throttle, 10)
    assert calls(throttle, 10, "ben") == 3
    assert calls(throttle, 10, "ann", Cost.WORK) == 10


def test_so_many_at_once_and_room_again_when_one_ends_or_fails(throttle: Throttle) -> None:
    with ExitStack() as first:
        first.enter_context(throttle.admit("ann", Cost.WORK))
        assert calls(throttle, 3, cost=Cost.WORK) == 0
        with pytest.raises(RefusedCallError, match=re.escape("too many concurrent calls of this kind (1)")) as error:
            first.enter_context(throttle.admit("ann", Cost.WORK))
        assert error.value.wait is None
        assert calls(throttle, 1, "ben", Cost.WORK) == 1
    assert calls(throttle, 1, cost=Cost.WORK) == 1
    with pytest.raises(ZeroDivisionError), throttle.admit("ann", Cost.WORK):
        raise ZeroDivisionError
    assert calls(throttle, 1, cost=Cost.WORK) == 1


def test_what_has_no_allowance_is_free(throttle: Throttle) -> None:
    assert calls(throttle, 1000, cost=Cost.RUN) == 1000


def test_callers_who_owe_nothing_are_forgotten_and_the_others_not(
    throttle: Throttle, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many addresses somebody has, memory is bounded by those of the last seconds."""
    monkeypatch.setattr(throttle_module, "_MAX_ACCOUNTS", 50)
    for number in range(49):
        calls(throttle, 1, f"peer {number}")
    clock.now += 10
    calls(throttle, 10, "ann")
    with throttle.admit("ben", Cost.READ):
        assert len(throttle._accounts) == 2
        clock.now += 10
        for number in range(200):
            calls(throttle, 1, f"other {number}")
            clock.now += 10
        assert len(throttle._accounts) <= 50
        assert ("ben", Cost.READ) in throttle._accounts


def test_every_cost_is_limited_on_a_server() -> None:
    assert set(ALLOWANCES) == set(Cost)
    assert all(a.rate > 0 and a.burst >= 1 and a.open >= 1 for a in ALLOWANCES.values())
