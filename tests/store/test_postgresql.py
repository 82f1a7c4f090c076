"""PostgreSQL: its clock, its restarts, and its errors as sentences."""

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection, event, update

from beanleague.model import Deal, League
from beanleague.store import ConflictError, DatabaseError, Store
from beanleague.store.migrations import SCHEMA_VERSION
from beanleague.store.tables import RUN
from tests.databases import TEMPLATE, PostgreSQL
from tests.store.helpers import add_bots, add_league, deal

END_SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"


@pytest.fixture
def name(postgresql: PostgreSQL) -> Iterator[str]:
    """A database with our tables."""
    name = postgresql.create(TEMPLATE)
    yield name
    postgresql.do(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(postgresql: PostgreSQL, name: str) -> Iterator[Store]:
    with Store(postgresql.url(name)) as store:
        yield store


@pytest.fixture
def league(store: Store) -> League:
    return add_league(store, add_bots(store, 4))


class TestRuns:
    def test_the_clock_of_the_server_decides_whether_a_run_lives(
        self, store: Store, league: League, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.runs.begin(league.id)
        with store.database.write() as connection:
            connection.execute(update(RUN).values(host="elsewhere 1"))
        hour_later = time.time() + 3600
        monkeypatch.setattr(time, "time", lambda: hour_later)
        assert store.runs.running() == {league.id}
        with pytest.raises(ConflictError, match="is already being run by process"):
            store.runs.begin(league.id)


@pytest.fixture
def end_sessions(postgresql: PostgreSQL, name: str) -> Callable[[], object]:
    """Ends all connections to the database, as a restart does."""
    return lambda: postgresql.do(END_SESSIONS.format(name))


def commit(connection: Connection) -> None:
    """Commit, and let the driver believe that it has not."""
    driver: Any = connection.connection.driver_connection
    driver.commit()
    driver.execute("SELECT 1")


def add_more(store: Store) -> None:
    store.deals.schedule(1, [Deal(11, (0, 1, 2), b"digest")])


class TestLostConnections:
    def test_connections_that_were_idle_are_made_anew(
        self, store: Store, league: League, end_sessions: Callable[[], object]
    ) -> None:
        end_sessions()
        assert store.leagues.get("spring").deals_done == 0

    @pytest.mark.parametrize("committed", [False, True])
    def test_a_commit_that_is_cut_short_counts_once(
        self, store: Store, league: League, end_sessions: Callable[[], object], committed: bool
    ) -> None:
        """The connection is lost just before, or just after, the server has committed."""
        times = count(1)

        def cut(connection: Connection) -> None:
            if next(times) == 1:
                if committed:
                    commit(connection)
                end_sessions()

        event.listen(store.database._engine, "commit", cut)
        store.deals.commit(league.id, [deal(1), deal(2)])
        assert next(times) > 2
        assert store.leagues.get("spring").deals_done == 2
        assert store.leagues.totals(league.id)[0].matches == 6
        assert [each.position for each in store.deals.list(league.id)[:3]] == [1, 2, None]

    @pytest.mark.parametrize(
        "write",
        [
            lambda store: store.deals.add_void(1, 3, "why"),
            lambda store: store.logs.append(1, {1: "hello\n"}),
            add_more,
            lambda store: store.runs.end(1, store.runs.begin(1)),
        ],
        ids=["void", "log", "schedule", "run"],
    )
    def test_other_writes_of_a_run_are_made_once(
        self, store: Store, league: League, end_sessions: Callable[[], object], write: Callable[[Store], object]
    ) -> None:
        times = count(1)

        def cut(connection: Connection) -> None:
            if next(times) == 1:
                commit(connection)
                end_sessions()

        event.listen(store.database._engine, "commit", cut)
        write(store)
        assert next(times) > 2
        assert [log.text for log in store.logs.get(1)] in ([], ["hello\n"])
        assert store.deals.list(league.id, limit=20)[2].voids in {0, 1}
        assert len(store.deals.list(league.id, limit=20)) in {10, 11}

    def test_who_reads_while_the_server_starts_again_reads_again(
        self, store: Store, league: League, end_sessions: Callable[[], object]
    ) -> None:
        times = count(1)

        def cut(*_: object) -> None:
            if next(times) == 1:
                end_sessions()

        event.listen(store.database._engine, "before_cursor_execute", cut)
        assert store.leagues.get("spring").deals_done == 0
        assert next(times) > 2

    def test_a_conflict_with_another_run_stays_one(self, store: Store, league: League) -> None:
        store.deals.commit(league.id, [deal(1)])
        with pytest.raises(ConflictError):
            store.deals.commit(league.id, [deal(1)])

    def test_a_server_that_starts_again_is_waited_for(
        self, store: Store, league: League, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        engine = store.database._engine
        dialect, refusals = engine.dialect, count(1)
        connect = dialect.connect

        def refuse(*words: object, **options: object) -> object:
            if next(refusals) < 3:
                raise dialect.loaded_dbapi.OperationalError("connection failed: Connection refused")
            return connect(*words, **options)

        monkeypatch.setattr(dialect, "connect", refuse)
        store.close()
        assert store.leagues.get("spring").deals_done == 0
        assert next(refusals) == 4


class TestErrors:
    def test_there_is_no_such_server(self) -> None:
        with pytest.raises(DatabaseError, match=r"does not answer; check that its server runs.*\(No such file"):
            Store("postgresql://ann@/leagues?host=/nowhere")

    def test_there_is_no_such_database(self, postgresql: PostgreSQL) -> None:
        with pytest.raises(DatabaseError, match=r"does not exist; create it on its server \(createdb\)"):
            Store(postgresql.url("nothing"))

    def test_there_is_no_such_user(self, postgresql: PostgreSQL) -> None:
        with pytest.raises(DatabaseError, match="refuses this user; check user and password in its URL"):
            Store(postgresql.url("postgres").replace("beanleague@", "ann:swordfish@"))

    @pytest.mark.parametrize(
        ("rights", "does"),
        [
            ("", lambda store: store.leagues.list()),
            ("SELECT ON ALL TABLES IN SCHEMA public", lambda store: add_bots(store, 1)),
            ("SELECT, INSERT ON ALL TABLES IN SCHEMA public", lambda store: add_bots(store, 1)),
            ("SELECT ON schema_version", lambda store: store.leagues.list()),
        ],
        ids=["none", "only to read", "none to number rows", "only to see the version"],
    )
    def test_a_user_with_fewer_rights_hears_which(
        self, postgresql: PostgreSQL, name: str, rights: str, does: Callable[[Store], object]
    ) -> None:
        postgresql.do("CREATE ROLE guest LOGIN")
        try:
            if rights:
                postgresql.do(f"GRANT {rights} TO guest", name)
            with (
                pytest.raises(DatabaseError, match="must give this user the right to create and change tables"),
                Store(postgresql.url(name).replace("beanleague@", "guest@")) as store,
            ):
                does(store)
        finally:
            postgresql.do("DROP OWNED BY guest", name)
            postgresql.do("DROP ROLE guest")

    def test_a_database_of_another_program_is_refused(self, postgresql: PostgreSQL) -> None:
        name = postgresql.create()
        postgresql.do("CREATE TABLE cookies (name TEXT)", name)
        with pytest.raises(DatabaseError, match="is a database of another program; choose or create another one"):
            Store(postgresql.url(name))
        assert postgresql.do("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name) == [("cookies",)]

    def test_a_database_of_a_newer_version_is_refused(self, postgresql: PostgreSQL, name: str) -> None:
        postgresql.do(f"UPDATE schema_version SET version = {SCHEMA_VERSION + 1}", name)
        with pytest.raises(DatabaseError, match="was written by a newer version of Beanleague"):
            Store(postgresql.url(name))

    @pytest.mark.parametrize(
        ("spoil", "message"),
        [
            ("DROP TABLE run", "is damaged: tables are missing; restore it from a copy"),
            ("ALTER TABLE run DROP COLUMN born", "is damaged: columns are missing; restore it from a copy"),
        ],
    )
    def test_a_spoilt_database_is_refused(self, postgresql: PostgreSQL, name: str, spoil: str, message: str) -> None:
        with Store(postgresql.url(name)) as store:
            league = add_league(store, add_bots(store, 4))
        postgresql.do(spoil.format(name), name)
        with Store(postgresql.url(name)) as store, pytest.raises(DatabaseError, match=message):
            store.runs.begin(league.id)

    def test_somebody_else_writes_for_too_long(
        self, postgresql: PostgreSQL, name: str, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Every transaction sets it anew, so no setting of the server or of the connection shortens the 30 s.
        monkeypatch.setattr("beanleague.store.postgresql._LOCK_TIMEOUT_S", "0.01")
        with (
            Store(postgresql.url(name)) as other,
            other.database.write(),
            pytest.raises(DatabaseError, match="is locked by another program; nothing is lost; try again"),
        ):
            add_bots(store, 1)
        add_bots(store, 1)

    @pytest.mark.parametrize(
        "url",
        [
            "postgresql://ann:swordfish@/x?host=/nowhere",
            "postgresql://ann@/x?host=/nowhere&password=swordfish",
            "postgresql://ann:swordfish@127.0.0.1:1/x",
            "postgresql://ann:swordfish@127.0.0.1:port/x",
            "postgresql://ann:swordfish@127.0.0.1:1/x?connect_timeout=never",
            "postgresql://ann:never@swordfish@127.0.0.1:1/x",
            "postgresql+nodriver://ann:swordfish@127.0.0.1:1/x",
        ],
    )
    def test_the_password_is_hidden(self, url: str) -> None:
        with pytest.raises(DatabaseError) as error:
            Store(url)
        assert "swordfish" not in f"{error.value!r} {error.value.__cause__} {error.value.__context__}"

    def test_secrets_in_rows_are_not_part_of_errors(self, store: Store, league: League) -> None:
        with pytest.raises(Exception, match="violates foreign key") as error:
            store.leagues.add(league.id, [77], 10)
        assert "parameters hidden" in str(error.value)


def test_a_user_who_may_only_select_looks_and_is_told_so(
    postgresql: PostgreSQL, store: Store, league: League, name: str
) -> None:
    user = f"looks_at_{name}"
    postgresql.do(f"CREATE ROLE {user} LOGIN")
    postgresql.do(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}", name)
    try:
        with Store(postgresql.url(name).replace("beanleague@", f"{user}@")) as looking:
            assert looking.leagues.get(league.name) == league
            add_more(store)
            assert looking.deals.seed_digest(league.id, 11) == b"digest"
            with pytest.raises(DatabaseError, match="is read-only: this user may not write to its tables"):
                add_more(looking)
    finally:
        postgresql.do(f"DROP OWNED BY {user}", name)
        postgresql.do(f"DROP ROLE {user}")
