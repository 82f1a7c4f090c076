"""A ladder whose run, or whose database, is killed time and again, and one whose disk is full for a while."""

import random
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, event

from beanleague.league.counting import ladder_counts, weigh_deals
from beanleague.league.ladder.changing import enter
from beanleague.league.ratings.ratings import rate
from beanleague.model import MatchFilter
from beanleague.store import Store, StoreError
from tests.chaos.ladder_played import KINDS
from tests.databases import PROGRAMS, PostgreSQL
from tests.league.helpers import derived_problems, store_with_bots
from tests.league.ladder.playing import Until, create, play
from tests.waiting import LONG_S, ending

ROOT = Path(__file__).parents[2]
KILLS = 20
DEALS = 2_000
BOTS = 200  # so many that they are not all settled before the end, when the ladder would rest
_SEATS = 4


def assert_each_deal_once(store: Store) -> None:
    """See that of the deals up to the newest that is done none is missing or there twice, all of one day."""
    league = store.leagues.get("spring")
    waiting = {deal.number for deal in store.deals.unplayed(1)}
    matches = Counter(match.deal for match in store.matches.list(1, MatchFilter(limit=10**6)))
    assert matches == dict.fromkeys(set(range(1, league.deals + 1)) - waiting, _SEATS)
    assert not store.deals.voids(1, limit=1)
    assert not store.deals.drop_times(1)
    day = store.ladders.day(1)
    assert day is not None
    assert day.number == 1
    assert derived_problems(store) == []


def create_large(store: Store) -> None:
    """Create the ladder "spring" of all bots."""
    create(store)
    for number in range(6, BOTS):
        enter(store, "spring", f"bot{number}")


class Runs:
    """Runs of a ladder, each in a process of its own.

    A run that is to be killed has no last deal: on a quick machine it would be over before.
    """

    def __init__(self, url: str, *options: str) -> None:
        self._words = [sys.executable, "-m", "tests.chaos.ladder_played", url, *options]

    def start(self, *deals: str) -> AbstractContextManager[subprocess.Popen[str]]:
        return ending(subprocess.Popen([*self._words, *deals], cwd=ROOT, stdout=subprocess.PIPE, text=True), LONG_S)

    def play_and_kill(self, deals: int) -> None:
        """Play until at least so many more deals are done, then kill the run."""
        with self.start() as run:
            assert run.stdout is not None
            first = done = int(run.stdout.readline())
            while done < first + deals:
                done = int(run.stdout.readline())
            assert run.poll() is None
            run.kill()

    def finish(self, deals: int) -> None:
        """Play until so many deals are done in all."""
        with self.start(str(deals)) as run:
            run.communicate()
        assert run.returncode == 0


@pytest.mark.slow  # tests/league/run/test_restarts.py kills leagues at every statement
def test_a_ladder_whose_run_is_killed_20_times_plays_each_deal_once_and_the_planned_ones_first(tmp_path: Path) -> None:
    chance = random.Random(1)
    with store_with_bots(tmp_path / "a.db", BOTS) as store:
        create_large(store)
        runs = Runs(f"sqlite:///{tmp_path / 'a.db'}")
        for _ in range(KILLS):
            runs.play_and_kill(chance.randrange(1, 60))
        runs.finish(DEALS)
        assert store.leagues.get("spring").deals_done >= DEALS
        assert_each_deal_once(store)


@pytest.mark.slow  # benchmarks.company plays such ladders, without a store
def test_copies_of_a_program_have_one_rating_whenever_they_entered(tmp_path: Path) -> None:
    with store_with_bots(tmp_path / "a.db", len(KINDS)) as store:
        create(store)  # the house bots, and the first of the copies
        runs = Runs(f"sqlite:///{tmp_path / 'a.db'}", "--company")
        for wave in ((6,), (7, 8), (9, 10), (11,)):
            runs.play_and_kill(120)
            for number in wave:
                enter(store, "spring", f"bot{number}")
        runs.finish(1_000)
        assert_each_deal_once(store)
        league, entrants = store.leagues.get("spring"), store.leagues.entrants(1)
        weighed = weigh_deals(ladder_counts(store, league).deals, entrants)
        assert weighed.deals_of[5:11].min() > 30
        found = rate(weighed, league.anchor)
        one, other = np.triu_indices(6, 1) + np.array(5)
        ratings = np.array([bot.rating for bot in found.bots])
        apart = np.abs(ratings[one] - ratings[other]) / found.half_widths(one, other)
        assert apart.max() < 2, "those of 15 pairs; where every deal counts one, early and late ones are 4 apart"


@pytest.mark.slow  # tests/league/run/test_restarts.py does this to leagues, three times
def test_a_ladder_whose_database_is_killed_20_times_waits_and_loses_nothing() -> None:
    if not PROGRAMS.exists():
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    server = PostgreSQL.new(fsync="on", full_page_writes="on")
    try:
        url = server.url(server.create())
        with store_with_bots(url, BOTS) as store:
            create_large(store)
            runs = Runs(url)
            with runs.start() as run:
                assert run.stdout is not None
                for _ in range(KILLS):
                    done = int(run.stdout.readline())
                    while int(run.stdout.readline()) == done:
                        pass
                    server.kill()
                    server.start()
                run.terminate()
                run.communicate()
            assert run.returncode == 0
            runs.finish(DEALS)
            assert store.leagues.get("spring").deals_done >= DEALS
            assert_each_deal_once(store)
    finally:
        server.remove()


@pytest.mark.slow  # test_store_trouble.py does this to leagues
@pytest.mark.parametrize("pages", [0, 30])
def test_a_ladder_goes_on_after_the_disk_was_full(tmp_path: Path, pages: int) -> None:
    """The disk is taken to be full when the file may grow by no more than some pages."""

    def little_room(connection: sqlite3.Connection, _: object) -> None:
        (size,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {size + pages}")

    with store_with_bots(tmp_path / "a.db", 6) as store:
        create(store)
        play(store, Until(20))
        done = store.leagues.get("spring").deals_done
        store.close()
        event.listen(Engine, "connect", little_room)
        try:
            with pytest.raises(StoreError, match="the disk is full; nothing is lost; free some space and try again"):
                play(store, Until(200))
        finally:
            event.remove(Engine, "connect", little_room)
            store.close()
        assert store.leagues.get("spring").deals_done >= done
        play(store, Until(20))
        assert store.leagues.get("spring").deals_done > done
        assert_each_deal_once(store)
