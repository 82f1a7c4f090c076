"""Databases that somebody made to do harm."""

import os
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path

import pytest

from beanleague.__main__ import interrupt
from beanleague.league.ratings.sprt import SequentialTest
from beanleague.model import MatchFilter
from beanleague.referee.messages import Limits
from beanleague.store import DatabaseError, Store, sqlite as sqlite_module
from beanleague.store.backup import backup, check_backup
from beanleague.store.tables.leagues import LIMITS, TEST
from tests.store.helpers import add_bots, add_league, deal, digest, manifest
from tests.waiting import join

pytestmark = pytest.mark.sqlite

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
ADDED = {
    "an endless view": f"ALTER TABLE token RENAME TO t; CREATE VIEW token AS {ENDLESS}",
    "a trigger that adds a token": """
        CREATE TRIGGER more AFTER INSERT ON token WHEN new.id <> 'me' BEGIN
            INSERT INTO token VALUES ('me', 'me', 'organiser', x'00', 0, NULL, NULL);
        END
    """,
    "a table": "CREATE TABLE cookies (name)",
    "an index": "CREATE INDEX of_names ON bot (hex(name))",
    "a column": "ALTER TABLE bot ADD COLUMN worth AS (hex(name))",
    "a table less": "DROP TABLE token",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with two bots."""
    with Store(f"sqlite:///{tmp_path}/a.db") as store:
        add_bots(store, 2)
    return tmp_path / "a.db"


@pytest.fixture
def played(file: Path) -> Path:
    """That database with a league, of which a deal is played."""
    with Store(f"sqlite:///{file}") as store:
        add_league(store, add_bots(store, 3))
        store.deals.commit(1, [deal(1)])
    return file


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM])
def sent(request: pytest.FixtureRequest) -> Iterator[Callable[[], None]]:
    """Sends a signal that ends commands, soon."""
    before = signal.signal(request.param, interrupt)
    later = threading.Timer(0.1, os.kill, (os.getpid(), request.param))
    yield later.start
    later.join()
    signal.signal(request.param, before)


@pytest.mark.parametrize("statements", ADDED.values(), ids=ADDED.keys())
def test_a_foreign_schema_is_neither_opened_nor_verified(file: Path, statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(statements)
    before = file.read_bytes()
    with pytest.raises(DatabaseError, match="its tables differ from those of Beanleague"):
        Store(f"sqlite:///{file}")
    with pytest.raises(DatabaseError, match="its tables differ from those of Beanleague"):
        check_backup(file)
    assert file.read_bytes() == before


def test_tables_that_another_sqlalchemy_words_otherwise_are_our_own(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_module, "SQLITE_SCHEMAS", {})
    check_backup(file)
    with closing(sqlite3.connect(file)) as changed:
        changed.executescript(ADDED["a table"])
    with pytest.raises(DatabaseError, match="its tables differ from those of Beanleague"):
        check_backup(file)


def test_tables_of_others_are_not_filled_up(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(f"CREATE VIEW bot AS {ENDLESS}; PRAGMA application_id = {0x6265616E}")
    with pytest.raises(DatabaseError, match="its tables differ from those of Beanleague"):
        Store(f"sqlite:///{tmp_path}/a.db")


def test_a_backup_of_what_was_added_while_it_was_open_is_not_verified(file: Path) -> None:
    with Store(f"sqlite:///{file}") as store:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(ADDED["a trigger that adds a token"])
        with (
            pytest.raises(DatabaseError, match="its tables differ from those of Beanleague"),
            backup(store.database),
        ):
            pass


def test_a_signal_ends_a_query(file: Path, sent: Callable[[], None]) -> None:
    def query(store: Store) -> None:
        with store.database.read() as connection:
            sent()
            connection.exec_driver_sql(ENDLESS)

    with Store(f"sqlite:///{file}") as store, pytest.raises(KeyboardInterrupt):
        query(store)


def test_the_end_of_a_server_ends_a_query_in_its_threads(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_module, "_PATIENCE_S", 0.2)  # that of a file's watch; no layer above has a say in it
    ending = threading.Event()
    with Store(f"sqlite:///{file}", ending) as store:
        problems: list[str] = []

        def query() -> None:
            try:
                with store.database.read() as connection:
                    connection.exec_driver_sql(ENDLESS)
            except DatabaseError as error:
                problems.append(str(error))

        thread = threading.Thread(target=query, daemon=True)
        thread.start()
        ending.set()
        join(thread)
        assert problems == [f"reading {file} was interrupted: the program is ending"]
        assert len(store.bots.newest()) == 2  # what takes no time is still answered


def test_a_value_larger_than_any_of_ours_is_not_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(f"sqlite:///{file}") as store:
        store.bots.add(manifest("large"), digest("large"), bytes(200_000))
    monkeypatch.setattr(sqlite_module, "_MAX_VALUE_BYTES", 100_000)  # instead of a value of 64 MiB
    with (
        Store(f"sqlite:///{file}") as store,
        pytest.raises(DatabaseError, match="holds a value larger than any that Beanleague stores"),
    ):
        store.bots.bundle(digest("large"))


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE bot_version SET digest = '/root/.ssh'", lambda store: store.bots.newest()),
        ("UPDATE bot_version SET packages = '../x'", lambda store: store.bots.newest()),
        ("UPDATE bot_version SET games = '[1]'", lambda store: store.bots.newest()),
        ("UPDATE bot_version SET command = 'python'", lambda store: store.bots.newest()),
        ("UPDATE bot_version SET command = 7", lambda store: store.bots.newest()),
        ("UPDATE bot_version SET submitted = 9e999", lambda store: store.bots.newest()),
        ("UPDATE bot_version SET bundle_bytes = 'large'", lambda store: store.bots.newest()),
        ("UPDATE bot SET name = 'bot0' || char(10) || 'bot9' WHERE id = 1", lambda store: store.bots.newest()),
        ("UPDATE bot SET name = '../../bot0' WHERE id = 1", lambda store: store.leagues.entrants(1)),
        ("UPDATE league SET name = 'a/b'", lambda store: store.leagues.list()),
        ("UPDATE league SET seats = 2147483648", lambda store: store.leagues.get("spring")),
        ("UPDATE league SET deals = 9000000000000000000", lambda store: store.leagues.get("spring")),
        ("UPDATE league SET limits = '[[['", lambda store: store.leagues.list()),
        ("UPDATE league SET limits = replace(hex(zeroblob(5000)), '00', '[')", lambda store: store.leagues.list()),
        ("UPDATE league SET secret = 2000000000", lambda store: store.leagues.list()),
        ("UPDATE deal SET entrants = '0'", lambda store: store.deals.tables(1)),
        ("UPDATE deal SET entrants = '[\"0\"]'", lambda store: store.deals.tables(1)),
        ("UPDATE deal SET seed_digest = 3000000000", lambda store: store.deals.list(1)),
        ("UPDATE match_seat SET score = 'high'", lambda store: list(store.matches.by_deal(1))),
        ("UPDATE match_seat SET place = x'00'", lambda store: store.matches.list(1, MatchFilter())),
        ("UPDATE entrant SET wins = 'many'", lambda store: store.leagues.totals(1)),
    ],
)
def test_a_value_that_beanleague_never_stores_is_said_in_a_sentence(
    played: Path, statement: str, read: Callable[[Store], object]
) -> None:
    with closing(sqlite3.connect(played)) as connection, connection:
        connection.execute(statement)
    with (
        Store(f"sqlite:///{played}") as store,
        pytest.raises(DatabaseError, match="it contains a value that Beanleague never stores"),
    ):
        read(store)
    with pytest.raises(DatabaseError, match="it contains a value that Beanleague never stores"):
        check_backup(played)


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("UPDATE league SET ruleset = 'a b'", "league.ruleset is 'a b'"),
        ("UPDATE league SET anchor = '[7]'", "league.anchor is '\\[7\\]'"),
        ("UPDATE league SET test = '[]'", "league.test is"),
        ('UPDATE league SET test = \'{"by": "height"}\'', "league.test is"),
        ("UPDATE league SET limits = '{\"strike\": 1}'", "league.limits is"),
        ("UPDATE league_change SET kind = 'moved'", "league_change.kind is 'moved'"),
        ("UPDATE league_change SET entrant = 3", "league_change.entrant is 3"),
        ("UPDATE entrant SET number = 7 WHERE number = 2", "league_change.entrant is 2"),
        ("UPDATE entrant SET cleared_matches = 10", "entrant.cleared_matches is 10"),
        ("UPDATE deal SET entrants = '[0, 1]'", "deal.entrants is"),
        ("UPDATE deal SET entrants = '[0, 1, 3]'", "deal.entrants is"),
        ("UPDATE deal SET node_id = 1", "deal.node_id is 1"),
        ("UPDATE match_seat SET entrant = -1", "match_seat.entrant is -1"),
        ("UPDATE match_seat SET seat = 3 WHERE seat = 2", "match_seat.seat is 3"),
        ("UPDATE match_seat SET score = 3000000000", "match_seat.score is 3000000000"),
        ("UPDATE bot SET hidden = 2", "bot.hidden is 2"),
        ("UPDATE deal SET results = x'00' WHERE number = 1", "deal.results is"),
        ("DELETE FROM match_seat", "match.rotation is 0"),
        ("DELETE FROM bot", "bot_version refers to a missing row of bot"),
        ("DELETE FROM match", "deal.results is"),
    ],
)
def test_a_backup_with_rows_that_do_not_fit_is_not_verified(played: Path, statement: str, wrong: str) -> None:
    check_backup(played)
    with closing(sqlite3.connect(played)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(DatabaseError, match=f"is damaged: it contains a value that Beanleague never stores .*{wrong}"):
        check_backup(played)


def test_names_that_are_none_are_not_suggested(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE bot SET name = 'bot' || char(10) || 'bot9' WHERE id = 1")
    with Store(f"sqlite:///{file}") as store, pytest.raises(DatabaseError, match="is not a valid name"):
        store.bots.versions("ann")


def test_limits_and_tests_in_rows_have_the_fields_of_later_layers() -> None:
    assert list(LIMITS) == [field.name for field in fields(Limits)]
    assert list(TEST) == [field.name for field in fields(SequentialTest)]
