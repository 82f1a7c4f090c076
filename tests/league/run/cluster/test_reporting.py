"""What a node reports of its deals, and when. No Dask, and no time that passes."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed", reason="needs the packages of the extra cluster")

from beanleague.league.run.cluster.orders import Play, Reports
from beanleague.league.run.cluster.reporting import Reporting
from beanleague.referee.messages import BotLog, DealResult, DealTask, MatchTask


def reporting(*deals: int) -> Reporting:
    """Return that of a node which plays these deals, of two matches each, and whose results may wait for a second."""
    match = MatchTask(0, "dice", b"", (0, 1), (b"", b""))
    made = Reporting()
    made.begin(Play(tuple(DealTask(number, (match, match)) for number in deals), 1.0))
    return made


def test_results_wait_for_others_while_there_is_more_to_play() -> None:
    node = reporting(1, 2, 3)
    node.add([DealResult(1, {})], 10.0)
    assert node.message(4, 10.9) is None
    node.add([DealResult(2, {})], 10.9)
    assert node.message(2, 11.0) == Reports([DealResult(1, {}), DealResult(2, {})], 0)
    node.add([DealResult(3, {})], 11.1)
    assert node.message(0, 11.1) == Reports([DealResult(3, {})], 0)
    assert node.message(0, 99.0) is None


def test_matches_that_are_over_are_reported_before_their_deals_are() -> None:
    node = reporting(1, 2)
    assert node.message(4, 0.0) is None
    assert node.message(2, 1.0) == Reports([], 2)
    assert node.message(1, 4.9) is None
    assert node.message(1, 5.0) == Reports([], 3)
    node.add([DealResult(2, {})], 6.0)
    assert node.message(1, 7.0) == Reports([DealResult(2, {})], 1)


def test_what_bots_write_waits_like_results() -> None:
    node, log = reporting(1), BotLog(0, 0, "beans\n")
    node.add([log], 0.0)
    assert node.message(2, 0.9) is None
    assert node.message(2, 1.0) == Reports([log], 0)
