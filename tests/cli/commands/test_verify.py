"""`beanleague league verify`."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.cli.conftest import On


def test_a_league_as_it_was_played_is_verified(on: On, spring: str) -> None:
    result = on("league", "verify", spring)
    assert result.exit_code == 0
    assert result.stdout == (
        "spring: 12 matches played again; everything stored agrees with them, and with each other.\n"
    )


def test_without_a_replay_it_says_what_follows_from_the_results(on: On, spring: str) -> None:
    result = on("league", "verify", spring, "--no-replay")
    assert result.exit_code == 0
    assert result.stdout == (
        "spring: 12 matches not played again; ratings, totals, suspensions and tables follow from their results.\n"
    )
    found = json.loads(on("league", "verify", spring, "--no-replay", "--json").stdout)
    assert (found["verified"], found["matches"]) == (True, 0)


def test_what_was_altered_is_listed_with_its_place_and_the_exit_code_is_1(on: On, spring: str, home: Path) -> None:
    copy = home / "altered.db"
    with closing(sqlite3.connect(home / "leagues.db")) as source, closing(sqlite3.connect(copy)) as database:
        source.backup(database)
        database.execute("UPDATE match_seat SET score = 99 WHERE deal = 2 AND rotation = 1 AND seat = 0")
        database.commit()
    result = on("league", "verify", spring, db=str(copy))
    assert result.exit_code == 1
    assert "spring/2.1  match_seat.score\n  seat 0: 99 is stored, but the record gives" in result.stdout
    assert "spring is not as it was played: 2 findings" in result.stderr  # the totals differ, too
    result = on("league", "verify", spring, "--json", db=str(copy))
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert (found["verified"], found["matches"], found["finding_count"]) == (False, 12, 2)
    assert {finding["column"] for finding in found["findings"]} == {"match_seat.score", "entrant.score"}


def test_a_league_that_does_not_exist_is_an_error(on: On, spring: str) -> None:
    result = on("league", "verify", "autumn")
    assert result.exit_code == 1
    assert "there is no league 'autumn'" in result.stderr
