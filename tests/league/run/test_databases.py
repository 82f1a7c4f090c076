"""A whole league in each kind of database."""

from __future__ import annotations

from pathlib import Path

from beanleague.league.verify.verification import verify_league
from tests.databases import TEMPLATE, PostgreSQL
from tests.league.fakepool import FakePools, play
from tests.league.helpers import DERIVED, contents, league_run, store_with_league


def rows_of_a_league(where: Path | str) -> dict[str, list[tuple[object, ...]]]:
    """Play a league and verify it; return all rows."""
    with store_with_league(where, deals=6) as store:
        league_run(store, FakePools(play)).play()
        assert store.leagues.get("spring").deals_done == 6
        assert [*verify_league(store, "spring", workers=0)][-1].finding_count == 0
        return contents(store, leave_out=DERIVED)


def test_a_league_is_the_same_in_a_file_and_in_postgresql(postgresql: PostgreSQL, tmp_path: Path) -> None:
    url = postgresql.url(postgresql.create(TEMPLATE))
    assert rows_of_a_league(url) == rows_of_a_league(tmp_path / "a.db")
