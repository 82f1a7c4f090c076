"""Ladders whose entries came and went for years: what is asked of them costs as much as on the first day."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.ladder.changing import LadderRequest, create_ladder, enter, leave
from beanleague.model import Ladder
from beanleague.service.access import Access
from beanleague.service.backend import Backend, Settings
from beanleague.service.ladders import LadderCalls
from beanleague.store import Store
from beanleague.store.tables import CHANGE
from beanproto.v1 import league_pb2 as pb
from tests.databases import TEMPLATE, PostgreSQL
from tests.league.helpers import bundle, store_with_bots

MANY = 20_000
_STEP = 100  # instructions of SQLite between two counts


def age(store: Store) -> None:
    """Let entry 4 have left and come back so often, long ago."""
    with store.database.write() as connection:
        first = store.changes.newest(1) + 1
        row = {"league_id": 1, "entrant": 4, "deals": None, "scheduled": 0, "position": 0, "happened": 1.0}
        kinds = ("left", "returned")
        rows = [{**row, "number": first + at, "kind": kinds[at % 2], "reason": "again"} for at in range(MANY)]
        connection.execute(sa.insert(CHANGE), rows)


def ladder(url: Path | str) -> Store:
    """Return a store with the ladder "spring" of four bots of organisers and two of ann's."""
    store = store_with_bots(url, 4)
    quotas = Ladder(versions_a_day=1000)
    request = LadderRequest(name="spring", ruleset="bohnanza", anchor="bot0", without_house_bots=True, ladder=quotas)
    create_ladder(store, request)
    for number in range(1, 4):
        enter(store, "spring", f"bot{number}")
    for name in ("plum", "pear"):
        made = read_bundle(bundle(name))
        store.bots.add(made.manifest, made.digest, made.data, author="ann")
    enter(store, "spring", "plum", "ann")
    return store


class Counted:
    """A backend whose queries are counted, in instructions of SQLite."""

    def __init__(self, file: Path) -> None:
        self.backend = Backend(Settings(f"sqlite:///{file}"))
        self.calls = LadderCalls(self.backend, Access(None))
        self.counts = 0
        event.listen(self.backend.store.database._engine, "connect", self._count)
        self.backend.store.database.close()  # connections from now on are counted

    def _count(self, connection: sqlite3.Connection, _: object) -> None:
        def count() -> int:
            self.counts += 1
            return 0

        connection.set_progress_handler(count, _STEP)

    def cost(self, act: Callable[["Counted"], object]) -> int:
        """Return how many hundreds of instructions something takes."""
        self.counts = 0
        act(self)
        return self.counts


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Counted]:
    ladder(tmp_path / "a.db").close()
    counted = Counted(tmp_path / "a.db")
    yield counted
    counted.backend.close()


CONTEXT: Any = SimpleNamespace(invocation_metadata=lambda: ())


def comes_and_goes(counted: Counted) -> None:
    enter(counted.backend.store, "spring", "pear", "ann")
    leave(counted.backend.store, "spring", "pear", "ann")


@pytest.mark.parametrize(
    "act",
    [
        lambda counted: counted.calls.LadderStatus(pb.LadderStatusRequest(owner="ann"), CONTEXT),
        lambda counted: counted.calls.LadderStatus(pb.LadderStatusRequest(bot="plum"), CONTEXT),
        lambda counted: counted.calls.ShowLadder(pb.ShowLadderRequest(name="spring"), CONTEXT),
        lambda counted: counted.backend.store.leagues.list(),
        comes_and_goes,
    ],
    ids=["an author's status", "an entry's status", "a ladder", "all leagues", "entering and leaving"],
)
def test_old_changes_cost_nothing(counted: Counted, act: Callable[[Counted], object]) -> None:
    counted.cost(act)  # what is made once
    before = counted.cost(act)
    age(counted.backend.store)
    assert counted.cost(act) < 2 * before + 20
    assert 2 * before + 20 < MANY // _STEP, "reading all of them would be noticed"


def test_postgresql_finds_the_last_changes_by_their_index(postgresql: PostgreSQL) -> None:
    name = postgresql.create(TEMPLATE)
    with ladder(postgresql.url(name)) as store:
        age(store)
        postgresql.do("ANALYZE", name)
        seen: list[str] = []

        def note(_: object, cursor: Any, statement: str, parameters: Any, *__: object) -> None:
            if statement.startswith("SELECT") and "league_change" in statement:
                cursor.execute(f"EXPLAIN {statement}", parameters)
                seen.append("\n".join(line for (line,) in cursor.fetchall()))

        event.listen(store.database._engine, "before_cursor_execute", note)
        store.leagues.entrants(1)
        store.leagues.list()
        store.changes.newest(1)
        store.changes.of_entrant(1, 4, 20)
        store.changes.count_entries(1, [4, 5], 1e9)
    assert len(seen) >= 5
    assert not [plan for plan in seen if "Seq Scan on league_change" in plan]
