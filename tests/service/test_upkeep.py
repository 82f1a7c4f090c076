"""What is done for ladders beside playing them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from beanleague.model import NightlyCheck
from beanleague.service.backend import Backend, Settings
from beanleague.service.pairs import show_integrity
from beanleague.service.upkeep import Upkeep
from tests.league import fakepool
from tests.league.helpers import store_with_bots
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play

NIGHTS = 3


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    """A server's database with the ladder "spring" of a day, of real matches."""
    with store_with_bots(tmp_path / "a.db", 6) as store:
        create(store)
        play(store, Until(8, play=fakepool.play))
    with closing(Backend(Settings(f"sqlite:///{tmp_path / 'a.db'}"))) as backend:
        yield backend


def test_pairs_are_compared_once_for_each_day(backend: Backend) -> None:
    store, clock = backend.store, Clock()
    upkeep = Upkeep(backend, now=clock)
    upkeep.look()
    (first,) = store.ladders.checks(1, NIGHTS)
    traded = len(store.trades.by_deal(1))
    assert traded
    assert (first.day, first.deals, first.givers) == (1, traded, ())
    upkeep.look()
    assert store.ladders.checks(1, NIGHTS) == (first,)
    clock.now += DAY_S
    play(store, Until(8, play=fakepool.play), clock)
    upkeep.look()
    by_both = len(store.trades.by_deal(1))
    assert by_both > traded
    assert [(check.day, check.deals) for check in store.ladders.checks(1, NIGHTS)] == [(2, by_both), (1, traded)]


def test_what_was_found_by_night_is_told_with_what_is_found_now(backend: Backend) -> None:
    check = NightlyCheck(day=1, made=5.0, deals=300, givers=(2,), receivers=(4,), cents=(331,))
    backend.store.ladders.keep_check(1, check)
    backend.store.ladders.keep_check(1, check)  # another server, a moment later
    (night,) = show_integrity(backend.store, "spring").nights
    (pair,) = night.pairs
    assert (night.day, night.deals, pair.giver.bot, pair.receiver.bot, pair.excess) == (1, 300, "bot2", "bot4", 3.31)
