"""What is found of a ladder that somebody changed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.league.verify.verification import verify_league
from beanleague.store import Store
from tests.league.ladder.playing import play_ladder

INPUT = "(SELECT entries FROM ladder_epoch WHERE number = 4)"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a ladder of two days, which a bot entered and one left, some of whose deals were dropped."""
    file = tmp_path_factory.mktemp("ladder") / "a.db"
    play_ladder(file)
    return file.read_bytes()


@pytest.fixture
def store(tmp_path: Path, played: bytes) -> Iterator[Store]:
    (tmp_path / "a.db").write_bytes(played)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store


def found(store: Store, *statements: str, replay: bool = False) -> list[str]:
    """Return in which columns something is found after these statements. `replay`: with all matches played again."""
    if statements:
        with store.database.write() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
    reports = [*verify_league(store, "spring", workers=0, replay=replay)]
    assert reports[-1].done
    return sorted({finding.column for report in reports for finding in report.findings})


def test_nothing_is_found_of_one_that_was_played(store: Store) -> None:
    assert found(store) == []


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE deal SET entrants = '[3, 2, 1, 0]' WHERE number = 9", "deal.entrants"),
        (f"UPDATE ladder_epoch SET entries = {INPUT} WHERE number = 9", "ladder_epoch.entries"),
        ("UPDATE ladder_day SET secret = zeroblob(32) WHERE number = 1", "ladder_day.secret"),
        (
            "UPDATE league_change SET happened = happened + 1000 WHERE kind = 'joined' AND entrant = 6",
            "league_change.happened",
        ),
        ("UPDATE deal SET dropped = 1 WHERE number = 3", "deal.dropped"),
        ("UPDATE deal SET dropped = dropped - 1 WHERE voids = 1", "deal.dropped"),
        ("UPDATE league_change SET entrant = (entrant + 1) % 7 WHERE kind = 'dropped'", "deal.dropped"),
        ("UPDATE league_change SET scheduled = 0 WHERE kind = 'dropped'", "deal.dropped"),
        ("UPDATE entrant SET retired = 1 - retired", "entrant.retired"),
        ("UPDATE ladder_epoch SET tables = 1 WHERE number = 3", "deal.entrants"),
        ("UPDATE ladder_epoch SET day = 1", "deal.dropped"),
        ("UPDATE match_seat SET place = 5 - place WHERE deal = 5", "deal.results"),
        ("UPDATE ladder_epoch SET tables = 2147483647, background = 2147483647", "deal.entrants"),
        ("UPDATE match_seat SET entrant = 2147483647 WHERE deal = 5", "league_change"),
    ],
)
def test_a_change_is_found(store: Store, change: str, column: str) -> None:
    assert column in found(store, change)


def test_a_seed_that_was_changed_is_found(store: Store) -> None:
    assert "deal.seed" in found(store, "UPDATE deal SET seed = zeroblob(32) WHERE number = 5", replay=True)
