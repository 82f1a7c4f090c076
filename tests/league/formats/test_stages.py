"""A format that exists only here plugs in with one line of the table: its leagues resume, and are verified."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from beanleague.league.formats.table import FORMATS
from beanleague.league.run.runner import LeagueRun
from beanleague.league.standings import standings
from beanleague.model import ChangeKind
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from tests.league.fakepool import FakePools, play
from tests.league.formats.stages import STAGES, TWO_STAGES, staged
from tests.league.helpers import DERIVED, contents, derived_problems, league_run, verified
from tests.league.run.test_restarts import run_and_kill

DEALS = 20
FIRST = DEALS // 2
WORSE = {0, 1, 2, 3}
"""In made-up matches bots of higher numbers have more dollars."""

MakeStages = Callable[[], Store]


@pytest.fixture
def make_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeStages]:
    """Make stores with a league of two stages."""
    monkeypatch.setitem(FORMATS, STAGES, TWO_STAGES)
    with ExitStack() as stack:
        yield lambda: stack.enter_context(staged(tmp_path / f"{len(list(tmp_path.iterdir()))}.db", deals=DEALS))


def bots_at(store: Store, *numbers: int) -> set[int]:
    """Return the bots that sit in these deals."""
    tables = store.deals.tables(1)
    return {bot for number in numbers for bot in tables[number - 1]}


def test_the_worse_half_plays_the_first_stage_only(make_stages: MakeStages) -> None:
    store = make_stages()
    league_run(store, FakePools()).play()
    league = store.leagues.get("spring")
    assert (league.deals_done, league.seated) == (DEALS, 4)
    assert bots_at(store, *range(1, FIRST + 1)) == set(range(8))
    assert bots_at(store, *range(FIRST + 1, DEALS + 1)) == set(range(8)) - WORSE
    left = [change for change in store.changes.list(1) if change.kind == ChangeKind.LEFT]
    assert {change.entrant for change in left} == WORSE
    assert {(change.scheduled, change.position) for change in left} == {(FIRST, FIRST)}
    assert {standing.entrant.number for standing in standings(store, league, running=False)[4:]} == WORSE


def test_a_league_of_two_stages_is_verified_with_its_matches(make_stages: MakeStages) -> None:
    store = make_stages()
    league_run(store, FakePools(play)).play()
    *_, last = reports = list(verified(store, "spring", workers=0))
    assert last.done
    assert [finding for report in reports for finding in report.findings] == []


def test_a_stopped_league_of_two_stages_goes_on_between_the_stages(make_stages: MakeStages) -> None:
    whole, store = make_stages(), make_stages()
    league_run(whole, FakePools()).play()
    for deals in (FIRST - 3, FIRST, FIRST + 3):
        pools = FakePools(at_once=1)
        run = league_run(store, pools, in_flight=1)
        pools.before = stopping(store, run, deals)
        run.play()
        assert derived_problems(store) == []
    league_run(store, FakePools(order=3)).play()
    assert contents(store, leave_out=DERIVED) == contents(whole, leave_out=DERIVED)


def stopping(store: Store, run: LeagueRun, deals: int) -> Callable[[MatchTask], None]:
    """Return what stops a run before the next match, once so many deals of the league are committed."""
    return lambda _: run.stop() if store.leagues.get("spring").deals_done >= deals else None


def test_a_league_of_two_stages_killed_at_any_statement_ends_as_if_nothing_had_happened(
    make_stages: MakeStages,
) -> None:
    whole, store = make_stages(), make_stages()
    league_run(whole, FakePools()).play()
    (kills,) = run_and_kill([store], first=1, step=11)
    assert kills > 5
    assert contents(store, leave_out=DERIVED | {"bot_log"}) == contents(whole, leave_out=DERIVED | {"bot_log"})
    assert derived_problems(store) == []


def test_a_bot_of_the_better_half_that_left_is_found(make_stages: MakeStages) -> None:
    store = make_stages()
    league_run(store, FakePools()).play()
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE league_change SET entrant = 7 WHERE kind = 'left' AND entrant = 0")
    problems = derived_problems(store)
    assert any("out by the first stage are [0, 1, 2, 3]" in problem for problem in problems)
