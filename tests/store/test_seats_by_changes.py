"""Leagues of releases that stored of each entrant whether it is seated, beside the changes that say so."""

from collections.abc import Mapping

import pytest
import sqlalchemy as sa

from beanleague.model import League
from beanleague.store import Store
from beanleague.store.migrations import migrate
from beanleague.store.tables import CHANGE, ENTRANT, LEAGUE
from tests.store.helpers import digest, manifest

BEFORE = 17


def new_version(store: Store, bot: str) -> int:
    return store.bots.add(manifest(bot), digest(f"{bot} again"), b"zip")[0].id


def back(store: Store, retired: Mapping[int, bool], suspended: Mapping[int, str], *changes: tuple[str, int]) -> None:
    """Make the tables those of an early release. `changes`: kind and entrant of all changes of entrants.

    `retired`, `suspended`: by entrant the values of its columns then.
    """
    with store.database.write() as connection:
        connection.execute(sa.delete(CHANGE).where(CHANGE.c.kind != "deals"))
        of_all = {"league_id": 1, "deals": None, "scheduled": 10, "position": 0, "happened": 1.0, "reason": ""}
        rows = [{**of_all, "number": 2 + at, "kind": kind, "entrant": who} for at, (kind, who) in enumerate(changes)]
        connection.execute(sa.insert(CHANGE), rows)
        connection.exec_driver_sql("DROP INDEX changes_of_entrant")
        connection.exec_driver_sql("ALTER TABLE rating DROP COLUMN effective")
        connection.exec_driver_sql("ALTER TABLE entrant ADD COLUMN retired BOOLEAN NOT NULL DEFAULT false")
        connection.exec_driver_sql("ALTER TABLE entrant ADD COLUMN suspended VARCHAR NOT NULL DEFAULT ''")
        for (number,) in connection.execute(sa.select(ENTRANT.c.number)).all():
            values = {"retired": retired.get(number, False), "why": suspended.get(number, ""), "number": number}
            setting = sa.text("UPDATE entrant SET retired = :retired, suspended = :why WHERE number = :number")
            connection.execute(setting, values)


def upgraded(store: Store) -> list[tuple[int, str, int | None, str]]:
    """Bring the tables up to date; return the changes of entrants with number, kind, entrant and reason."""
    with store.database.write() as connection:
        migrate(connection, BEFORE)
    return [(each.number, each.kind, each.entrant, each.reason) for each in store.changes.list(1)[1:]]


JOINED = tuple(("joined", entrant) for entrant in range(4))


@pytest.fixture
def later(store: Store, league: League) -> Store:
    """A league of four bots that newer versions of bot1 and bot3 joined."""
    for bot in ("bot1", "bot3"):
        store.leagues.add(league.id, [new_version(store, bot)], 10)
    return store


def test_a_version_was_replaced_when_the_next_one_joined(later: Store) -> None:
    written = later.changes.list(1)[1:]
    back(later, {1: True, 3: True}, {}, *JOINED, ("joined", 4), ("joined", 5))
    found = upgraded(later)
    assert found == [(each.number, each.kind, each.entrant, each.reason) for each in written]
    assert [each.number for each in later.leagues.entrants(1) if each.retired] == [1, 3]


def test_a_suspension_keeps_its_reason(store: Store, league: League) -> None:
    back(store, {}, {2: "5 forfeits in a row", 3: "seen to cheat"}, *JOINED, ("suspended", 2), ("excluded", 3))
    assert upgraded(store)[-2:] == [(6, "suspended", 2, "5 forfeits in a row"), (7, "excluded", 3, "seen to cheat")]
    assert [each.suspended for each in store.leagues.entrants(league.id)[2:]] == [
        "5 forfeits in a row",
        "seen to cheat",
    ]


def test_a_version_that_was_replaced_while_it_was_suspended_stays_so_when_that_was_lifted(later: Store) -> None:
    changes = *JOINED, ("joined", 4), ("suspended", 3), ("joined", 5), ("lifted", 3)
    back(later, {1: True, 3: True}, {}, *changes)
    upgraded(later)
    assert [(each.number, each.last.kind) for each in later.leagues.entrants(1) if not each.active] == [
        (1, "replaced"),
        (3, "replaced"),
    ]


@pytest.mark.parametrize(
    ("retired", "suspended", "kind", "last"),
    [(True, "", "left", "left"), (False, "seen to cheat", "excluded", "excluded")],
)
def test_an_entry_that_was_rated_when_it_had_left_has_left(
    store: Store, league: League, retired: bool, suspended: str, kind: str, last: str
) -> None:
    with store.database.write() as connection:
        connection.execute(sa.update(LEAGUE).values(format="ladder"))
    back(store, {2: retired}, {2: suspended}, *JOINED, (kind, 2), ("rated", 2))
    *before, added = upgraded(store)
    assert [kind for _, kind, *_ in before][-2:] == [kind, "rated"]
    assert added[1:3] == (last, 2)
    entrant = store.leagues.entrants(league.id)[2]
    assert (entrant.active, entrant.suspended) == (False, suspended)
