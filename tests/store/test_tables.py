"""Tables as classes: all of them, their columns against the fields stored in them, and the schemas that they make."""

import gzip
import hashlib
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pytest
from sqlalchemy import create_engine, inspect, literal, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

from beanleague.store import Store, archive, bots, deals, ladders, leagues, matches, ratings
from beanleague.store.columns import Mapper
from beanleague.store.database import Database
from beanleague.store.migrations import SCHEMA_VERSION
from beanleague.store.tables import METADATA, Row, SchemaRow
from beanleague.store.tables.base import rule_of
from beanleague.store.tables.rules import DIGEST, DIGEST_OR_NONE, NAME, NAME_OR_NONE, ColumnRule, read_between
from tests.databases import PostgreSQL

NEW_FILE = "fb57c2be70439e459017009521404572df644e036d1865967788ff4b82c7a63c"
UPGRADED_FILE = "fea8e3a27a9831ced95c245778ce0f642cc199051ab154da00e97ad65de03753"
NEW_POSTGRESQL = "40b578d54b31d0b66211a2858a093c3dba2a0481b87f97d3e0e036a5893230be"
"""Digests of the schemas of this version, byte for byte. A new version has new ones."""

RELEASED = Path(__file__).with_name("released.db.gz")
RELEASED_POSTGRESQL = Path(__file__).with_name("released_postgresql.sql")


def mappers() -> dict[str, Mapper[Any]]:
    """Return all mappers of the store, by the name of their value."""
    modules = (archive, bots, deals, ladders, leagues, matches, ratings)
    found = [each for module in modules for each in vars(module).values() if isinstance(each, Mapper)]
    return {mapper.value.__name__: mapper for mapper in found}


def stored_as(kind: Any) -> Any:
    """Return the type of a column for a field: tuples are stored as lists, mappings as dicts."""
    if get_origin(kind) is tuple:
        return list[get_args(kind)[0]]  # type: ignore[misc]  # made at run time
    if get_origin(kind) is Mapping:
        return dict[get_args(kind)]  # type: ignore[misc]  # likewise
    return kind


def schema_of(file: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()
        return [version, *connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")]


def digest_of(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def described(database: Database) -> dict[str, object]:
    """Describe each table as the server has it: columns, keys and indices; not the defaults that steps leave."""
    with database.read() as connection:
        looking = inspect(connection)
        return {
            name: (
                [(each["name"], str(each["type"]), each["nullable"]) for each in looking.get_columns(name)],
                looking.get_pk_constraint(name)["constrained_columns"],
                sorted(
                    (each["constrained_columns"], each["referred_table"]) for each in looking.get_foreign_keys(name)
                ),
                sorted(each["column_names"] for each in looking.get_unique_constraints(name)),
                sorted((str(each["name"]), str(each["column_names"])) for each in looking.get_indexes(name)),
            )
            for name in looking.get_table_names()
        }


class TestClasses:
    def test_every_table_of_a_database_is_a_class(self, store: Store) -> None:
        with store.database.read() as connection:
            names = {*inspect(connection).get_table_names(), SchemaRow.__tablename__}
        assert names == {table.__tablename__ for table in Row.__subclasses__()} == {*METADATA.tables}

    def test_every_field_of_a_table_is_a_column(self) -> None:
        for table in Row.__subclasses__():
            assert [*table.model_fields] == [column.name for column in table.__table__.columns]

    def test_a_column_may_be_null_where_its_type_has_none(self) -> None:
        for table in Row.__subclasses__():
            with_none = {name for name, field in table.model_fields.items() if type(None) in get_args(field.annotation)}
            assert with_none == {column.name for column in table.__table__.columns if column.nullable}, table

    def test_no_column_has_a_default(self) -> None:
        columns = [column for table in METADATA.tables.values() for column in table.columns]
        assert [column for column in columns if column.default or column.server_default] == []

    def test_rows_are_declared_without_validators(self) -> None:
        assert not any(table.__pydantic_complete__ for table in Row.__subclasses__())


class TestValues:
    @pytest.mark.parametrize("name", mappers())
    def test_fields_have_the_types_of_their_columns(self, name: str) -> None:
        mapper = mappers()[name]
        hints = get_type_hints(mapper.value)
        columns = {column.name: mapper.table.model_fields[column.name].annotation for column in mapper.columns}
        expected = {column: stored_as(hints[column]) for column in columns}
        if name in {"NewLeague", "League"}:  # parameters of a test: a type checker is told less than a file is held to
            assert (expected.pop("test"), columns.pop("test")) == (dict[str, Any], dict[str, int | float | str])
        assert columns == expected

    def test_every_stored_value_is_compared(self) -> None:
        assert len(mappers()) == 22
        assert {mapper.table for mapper in mappers().values()} <= {*Row.__subclasses__()}


class TestRules:
    def test_names_digests_and_numbers_that_decide_how_much_there_is_to_do_are_checked_when_they_are_read(self) -> None:
        columns = [column for table in METADATA.tables.values() for column in table.columns]
        assert {str(column) for column in columns if (rule := rule_of(column)) and rule.accepts} == {
            *("bot.name", "bot.owner", "bundle.digest", "token.name"),
            *("bot_version.number", "bot_version.digest", "bot_version.packages"),
            *("league.name", "league.ruleset", "league.seats", "league.deals", "league.deals_done", "league.rules"),
        }

    @pytest.mark.parametrize(
        ("rule", "right", "wrong"),
        [
            (NAME, ["a", "bot-1_b", "a" * 32], ["", "A", "../a", "a\n", "a" * 33]),
            (NAME_OR_NONE, ["", "a"], ["../a"]),
            (DIGEST, ["0f" * 32], ["", "0F" * 32, "0f" * 31]),
            (DIGEST_OR_NONE, ["", "0f" * 32], ["0f"]),
            (read_between(1, 7), [1, 7], [0, 8]),
        ],
        ids=["name", "name or none", "digest", "digest or none", "number"],
    )
    def test_a_value_that_is_read_and_its_condition_in_sql_agree(
        self, rule: ColumnRule, right: list[Any], wrong: list[Any]
    ) -> None:
        assert rule.accepts
        with create_engine("sqlite://").connect() as connection:
            for value in (*right, *wrong):
                condition = rule.condition(literal(value))  # type: ignore[arg-type]  # in place of a column
                valid = connection.scalar(select(literal(1)).where(condition))
                assert (bool(valid), rule.accepts(value)) == (value in right, value in right), value


@pytest.mark.sqlite
class TestSchema:
    def test_a_new_file_has_the_schema_of_its_version(self, tmp_path: Path) -> None:
        Store(f"sqlite:///{tmp_path}/new.db").close()
        (version,), *schema = schema_of(tmp_path / "new.db")
        assert (version, digest_of([*map(repr, schema)])) == (SCHEMA_VERSION, NEW_FILE)

    def test_an_upgraded_file_has_the_schema_that_the_steps_make(self, tmp_path: Path) -> None:
        file = tmp_path / "released.db"
        file.write_bytes(gzip.decompress(RELEASED.read_bytes()))
        Store(f"sqlite:///{file}").close()
        (version,), *schema = schema_of(file)
        assert (version, digest_of([*map(repr, schema)])) == (SCHEMA_VERSION, UPGRADED_FILE)

    def test_postgresql_is_given_the_schema_of_its_version(self) -> None:
        statements: list[ExecutableDDLElement] = []
        for table in METADATA.sorted_tables:
            indices = sorted(table.indexes, key=lambda index: str(index.name))
            statements += [CreateTable(table), *map(CreateIndex, indices)]
        texts = [str(statement.compile(dialect=postgresql.dialect())) for statement in statements]  # type: ignore[no-untyped-call]
        assert digest_of(texts) == NEW_POSTGRESQL


def test_an_upgraded_database_of_postgresql_has_the_tables_of_a_new_one(postgresql: PostgreSQL) -> None:
    old, new = postgresql.create(), postgresql.create()
    postgresql.do(RELEASED_POSTGRESQL.read_text("utf-8"), old)
    with Store(postgresql.url(old)) as upgraded, Store(postgresql.url(new)) as made:
        assert described(upgraded.database) == described(made.database)
    assert postgresql.do("SELECT version FROM schema_version", old) == [(SCHEMA_VERSION,)]
