"""The database, what holds on every kind of it alike, and tokens."""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import event, select, update

from beanleague.model import League
from beanleague.store import DatabaseError, MissingError, Store, TakenError
from beanleague.store.migrations import SCHEMA_VERSION
from beanleague.store.tables import ENTRANT, LEAGUE
from tests.databases import PostgreSQL
from tests.store.helpers import add_bots, add_league, deal, digest, manifest, wait_for_writers
from tests.together import raised_at_once


def opened(file: Path) -> Store:
    return Store(f"sqlite:///{file}")


def of_newer_version(file: Path) -> None:
    opened(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def of_newer_version_and_empty(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")


def of_another_program(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE cookies (name)")


def text(file: Path) -> None:
    file.write_text("This is a letter, and not a database at all.\n" * 100)


def torn(file: Path) -> None:
    opened(file).close()
    file.write_bytes(file.read_bytes()[:5000])


def folder(file: Path) -> None:
    file.mkdir()


class TestOpening:
    def test_a_new_file_is_private_and_can_be_opened_again(self, tmp_path: Path) -> None:
        """It will hold the secrets of leagues."""
        file = tmp_path / "a.db"
        opened(file).close()
        with opened(file) as store:
            add_bots(store, 1)
        assert file.stat().st_mode & 0o077 == 0
        with opened(file) as store:
            assert [version.bot for version in store.bots.newest()] == ["bot0"]

    def test_an_empty_file_becomes_a_database(self, tmp_path: Path) -> None:
        (tmp_path / "a.db").touch()
        with opened(tmp_path / "a.db") as store:
            assert store.leagues.list() == ()

    @pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:a?mode=memory&uri=true"])
    def test_a_database_in_memory_is_refused(self, url: str) -> None:
        with pytest.raises(DatabaseError, match="is kept in memory and would be lost; choose a file"):
            Store(url)

    def test_many_may_open_a_new_file_at_once(self, tmp_path: Path) -> None:
        def open_it() -> None:
            with opened(tmp_path / "a.db") as store:
                store.leagues.list()

        assert raised_at_once(8, open_it) == []

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            (of_newer_version, "was written by a newer version of Beanleague .*upgrade"),
            (of_newer_version_and_empty, "was written by a newer version of Beanleague .*upgrade"),
            (of_another_program, "is a database of another program; choose another file"),
            (text, "is not a database; choose another file"),
            (torn, "is damaged; restore it from a copy"),
            (folder, "cannot be opened; check that it is a file"),
        ],
    )
    def test_a_foreign_file_is_refused_and_left_unchanged(
        self, tmp_path: Path, spoil: Callable[[Path], None], message: str
    ) -> None:
        file = tmp_path / "a.db"
        spoil(file)
        before = file.read_bytes() if file.is_file() else b""
        with pytest.raises(DatabaseError, match=message) as error, opened(file) as store:
            store.leagues.list()
        assert str(error.value).startswith(str(file))
        assert (file.read_bytes() if file.is_file() else b"") == before
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]

    def test_damage_further_in_is_reported_when_it_is_read(self, tmp_path: Path) -> None:
        file = tmp_path / "a.db"
        with opened(file) as store:
            add_bots(store, 3)
        data = bytearray(file.read_bytes())
        data[4096:] = b"\xff" * (len(data) - 4096)
        file.write_bytes(data)
        with pytest.raises(DatabaseError, match="is damaged"), opened(file) as store:
            store.bots.newest()

    def test_a_missing_folder_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(DatabaseError, match=r"cannot create the database .*/none/a.db: No such file or directory"):
            opened(tmp_path / "none" / "a.db")

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
    def test_a_read_only_file_is_an_error(self, tmp_path: Path) -> None:
        opened(tmp_path / "a.db").close()
        (tmp_path / "a.db").chmod(0o400)
        with pytest.raises(DatabaseError, match="read-only"), opened(tmp_path / "a.db") as store:
            add_bots(store, 1)

    @pytest.mark.parametrize("url", ["a.db", "", "/home/me/a.db"])
    def test_an_invalid_url_is_an_error_with_an_example(self, url: str) -> None:
        with pytest.raises(DatabaseError, match="is not a database URL; write a file as sqlite:///"):
            Store(url)

    def test_the_error_for_a_missing_driver_hides_the_password(self) -> None:
        with pytest.raises(DatabaseError, match=r"cannot open oracle://me:\*\*\*@host/db") as error:
            Store("oracle://me:swordfish@host/db")
        assert "swordfish" not in str(error.value)


@pytest.mark.sqlite
class TestTrouble:
    def test_a_database_that_others_write_to_is_an_error(self, store: Store) -> None:
        with closing(sqlite3.connect(store.database.name, isolation_level=None)) as other:
            wait_for_writers(store, 10)
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseError, match="is locked by another program; nothing is lost; try again"):
                add_bots(store, 1)
            other.execute("ROLLBACK")
            add_bots(store, 1)

    @pytest.mark.usefixtures("league")
    def test_readers_do_not_wait_for_a_writer(self, store: Store) -> None:
        with closing(sqlite3.connect(store.database.name, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("UPDATE league SET deals_done = 7")
            assert store.leagues.get("spring").deals_done == 0
            other.execute("ROLLBACK")

    def test_a_full_disk_loses_nothing(self, store: Store, league: League) -> None:
        """The disk is taken to be full when the file may not grow."""

        def no_room(connection: sqlite3.Connection, _: object) -> None:
            connection.execute("PRAGMA max_page_count = 1")

        store.deals.commit(league.id, [deal(1)])
        event.listen(store.database._engine, "connect", no_room)
        store.close()
        with pytest.raises(DatabaseError, match="the disk is full; nothing is lost; free some space and try again"):
            store.deals.commit(league.id, [deal(2, more=bytes(100_000))])
        event.remove(store.database._engine, "connect", no_room)
        store.close()
        assert store.leagues.get("spring").deals_done == 1
        store.deals.commit(league.id, [deal(number) for number in range(2, 11)])
        assert store.leagues.get("spring").deals_done == 10


ABOVE_32_BITS = 2**31


class TestTexts:
    def test_a_nul_in_a_reason_stops_nobody(self, store: Store, league: League) -> None:
        assert store.deals.add_void(league.id, 3, "the worker said \0") == 1
        assert [void.deal for void in store.deals.voids(league.id, limit=9)] == [3]

    def test_a_nul_in_the_reason_of_a_fault_stops_nobody(self, store: Store, league: League) -> None:
        played = deal(1, faults=[(0, 0)])
        fault = replace(played.matches[0].faults[0], reason="the bot said \0")
        match = replace(played.matches[0], faults=(fault,))
        store.deals.commit(league.id, [replace(played, matches=(match, *played.matches[1:]))])
        assert store.leagues.get("spring").deals_done == 1

    def test_nothing_has_a_name_with_a_nul(self, store: Store) -> None:
        for look in (store.leagues.get, store.bots.versions, store.tokens.revoke):
            with pytest.raises(MissingError):
                look("a\0b")


class TestLargeNumbers:
    def test_totals_outgrow_32_bits(self, store: Store, league: League) -> None:
        with store.database.write() as connection:
            large = dict.fromkeys(("deals", "matches", "score", "wins", "decisions", "faults"), ABOVE_32_BITS - 1)
            connection.execute(update(ENTRANT).where(ENTRANT.c.number == 0).values(large))
            connection.execute(update(LEAGUE).values(matches_done=ABOVE_32_BITS))
        store.deals.commit(league.id, [deal(1, faults=[(0, 0)])])
        totals = store.leagues.totals(league.id)[0]
        assert min(totals.deals, totals.matches, totals.score, totals.wins, totals.faults) >= ABOVE_32_BITS
        assert store.leagues.get("spring").matches_done == ABOVE_32_BITS + 3

    def test_all_rows_are_read_whatever_the_numbers_of_their_deals(self, store: Store, league: League) -> None:
        assert [len(deals) for deals in store.audit.deals(league.id, 4)] == [4, 4, 2]


class TestOneWriter:
    def test_many_may_open_an_empty_database_of_a_server_at_once(self, postgresql: PostgreSQL) -> None:
        url = postgresql.url(postgresql.create())
        assert raised_at_once(6, lambda: Store(url).close()) == []

    def test_of_those_who_make_a_token_of_one_name_at_once_one_gets_it(self, store: Store) -> None:
        refused = raised_at_once(6, lambda: store.tokens.new("ann", "author"))
        assert [type(error) for error in refused] == [TakenError] * 5
        assert len(store.tokens.list()) == 1

    def test_those_who_submit_one_bot_at_once_all_get_its_one_version(self, store: Store) -> None:
        made = []
        assert raised_at_once(6, lambda: made.append(store.bots.add(manifest("ann"), digest("ann"), b"zip"))) == []
        assert {version.number for version, _ in made} == {1}
        assert [new for _, new in made].count(True) == 1

    def test_of_those_who_create_a_league_of_one_name_at_once_one_does(self, store: Store) -> None:
        bots = add_bots(store, 3)
        refused = raised_at_once(4, lambda: add_league(store, bots))
        assert [type(error) for error in refused] == [TakenError] * 3


class TestReading:
    def test_a_reader_sees_one_state_throughout(self, store: Store, league: League) -> None:
        done = select(LEAGUE.c.deals_done)
        with store.database.read() as connection:
            before = connection.scalar(done)
            store.deals.commit(league.id, [deal(1)])
            assert connection.scalar(done) == before == 0
        assert store.leagues.get("spring").deals_done == 1

    def test_a_reader_who_stops_early_is_in_nobodys_way(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [deal(1), deal(2)])
        with contextlib.closing(store.matches.by_deal(league.id)) as deals:  # type: ignore[type-var]
            assert next(iter(deals))
        store.deals.commit(league.id, [deal(3)])


DAY = 86_400.0


def test_a_token_is_found_by_its_text_alone(store: Store) -> None:
    made, text = store.tokens.new("ann", "author", DAY)
    assert store.tokens.find(text) == made
    assert (made.name, made.role, made.revoked) == ("ann", "author", None)
    assert made.expires == pytest.approx(made.created + DAY)
    for wrong in (text[:-1], text + "x", text[:-1] + ("x" if text[-1] != "x" else "y"), "", "bean", "bean--", "ann"):
        assert store.tokens.find(wrong) is None


@pytest.mark.sqlite
def test_the_database_holds_nothing_by_which_one_could_call(store: Store) -> None:
    _, text = store.tokens.new("ann", "author")
    secret = text.split("-", 2)[2].encode()
    with closing(sqlite3.connect(store.database.name)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = list(database.execute("SELECT * FROM token"))
        assert len(rows) == 1
        assert not any(secret in str(value).encode() for value in rows[0])
    assert secret not in Path(store.database.name).read_bytes()


def test_no_two_tokens_are_alike(store: Store) -> None:
    texts = {store.tokens.new(f"n{number}", "viewer")[1] for number in range(50)}
    assert len(texts) == 50


def test_a_name_has_one_valid_token_and_later_ones_after_it(store: Store) -> None:
    _, first = store.tokens.new("ann", "author")
    with pytest.raises(TakenError, match=r"ann already has a valid token; revoke it first"):
        store.tokens.new("ann", "organiser")
    revoked = store.tokens.revoke("ann")
    assert revoked == store.tokens.find(first)
    assert not revoked.valid(time.time())
    _, second = store.tokens.new("ann", "viewer", -1.0)  # it has run out already
    store.tokens.new("ann", "organiser")
    assert [token.role for token in store.tokens.list()] == ["organiser", "viewer", "author"]
    found = store.tokens.find(second)
    assert found is not None
    assert not found.valid(time.time())


def test_an_invalid_token_cannot_be_revoked(store: Store) -> None:
    store.tokens.new("ann", "author", -1.0)
    for name in ("ann", "ben"):
        with pytest.raises(MissingError, match=f"there is no valid token of '{name}'"):
            store.tokens.revoke(name)


class TestAlone:
    def test_uncommitted_writes_are_read_by_their_own_transaction_alone(self, store: Store, store_url: str) -> None:
        add_bots(store, 2)
        with Store(store_url) as other:
            with store.alone():
                store.bots.hide("bot0")
                assert [bot.bot for bot in store.bots.newest()] == ["bot1"]
                assert len(other.bots.newest()) == 2
            assert len(other.bots.newest()) == 1

    def test_an_error_leaves_everything_as_it_was(self, store: Store) -> None:
        add_bots(store, 2)

        def fails() -> None:
            with store.alone():
                store.bots.hide("bot0")
                store.bots.hide("nobody")

        with pytest.raises(MissingError):
            fails()
        assert not store.database.is_alone
        assert len(store.bots.newest()) == 2

    def test_one_that_is_done_again_tells_what_is_done_within(self, store: Store) -> None:
        seen: list[bool] = []
        with store.database.alone(again=True):
            store.database.repeat(seen.append)
        with store.database.alone():
            store.database.repeat(seen.append)
        assert seen == [True, False]

    def test_a_check_is_made_in_each_transaction_of_its_thread(self, store: Store) -> None:
        def refuse(_: object) -> None:
            raise TakenError("somebody else has it")

        with store.database.checked(refuse):
            with pytest.raises(TakenError), store.alone():
                pass
            assert raised_at_once(1, lambda: store.tokens.new("ann", "author")) == []
            with pytest.raises(TakenError, match="somebody else has it"):
                store.tokens.new("ben", "author")
        store.tokens.new("ben", "author")
