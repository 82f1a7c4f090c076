from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from beanleague.model import MatchFilter
from beanleague.store.store import Store
from tests.league.conftest import MakeLeague
from tests.league.fakepool import FakePools
from tests.league.helpers import DERIVED, contents, league_run
from tests.league.run import killed

ROOT = Path(__file__).parents[3]
LEFT_OUT = DERIVED | {"bot_log"}  # what bots wrote in a match that was played twice is there twice


def ends_like(store: Store, whole: Store) -> None:
    """See that two stores hold the same league, all of it and nothing twice."""
    assert contents(store, leave_out=LEFT_OUT) == contents(whole, leave_out=LEFT_OUT)
    assert store.ratings.latest(1).ratings == whole.ratings.latest(1).ratings  # type: ignore[union-attr]
    assert len(store.matches.list(1, MatchFilter(limit=100))) == 40


def run_and_kill(stores: Sequence[Store], first: int, step: int) -> list[int]:
    """Play the leagues in children that are killed; return how many were, for each."""
    urls = [store.database._engine.url.render_as_string(hide_password=False) for store in stores]
    words = [sys.executable, killed.__file__, str(first), str(step), *urls]
    done = subprocess.run(words, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]


def test_a_league_killed_at_any_statement_ends_as_if_nothing_had_happened(make_league: MakeLeague) -> None:
    """No deal is lost, none is there twice, and the dead are not in the way of those that go on."""
    whole, store = make_league(), make_league()
    league_run(whole, FakePools()).play()
    (kills,) = run_and_kill([store], first=1, step=7)
    assert kills > 5
    ends_like(store, whole)


@pytest.mark.slow
def test_a_league_killed_at_every_single_statement_ends_as_if_nothing_had_happened(make_league: MakeLeague) -> None:
    """As above, but each statement of a whole run in a league of its own."""
    whole = make_league()
    league_run(whole, FakePools()).play()
    first, kills = 1, [1]
    while all(kills):
        stores = [make_league() for _ in range(50)]
        kills = run_and_kill(stores, first, 1_000_000)
        for store in stores:
            ends_like(store, whole)
        first += len(stores)
    assert first > 100
