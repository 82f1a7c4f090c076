"""The connection to PostgreSQL is cut in the middle of a league, which goes on and stores everything once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from threading import Timer

import pytest
from sqlalchemy import event

from beanleague.store.store import Store
from tests.databases import TEMPLATE, PostgreSQL
from tests.league.fakepool import FakePools
from tests.league.helpers import DERIVED, contents, league_run, slow_clock, store_with_league
from tests.link import Link


@pytest.fixture
def link(postgresql: PostgreSQL) -> Iterator[Link]:
    """A link to the server."""
    link = Link(postgresql.folder / ".s.PGSQL.5432")
    yield link
    link.close()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[object, ...]]]:
    """All rows of a league that was played without trouble."""
    with store_with_league(tmp_path_factory.mktemp("whole") / "a.db", deals=DEALS) as store:
        league_run(store, FakePools()).play()
        return contents(store, leave_out=DERIVED)


@pytest.fixture
def store(postgresql: PostgreSQL, link: Link) -> Iterator[Store]:
    """The same league, behind the link, and not played yet."""
    name = postgresql.create(TEMPLATE)
    folder = postgresql.folder  # SQLAlchemy leaves the host to the query, and so does what plays a league
    url = f"postgresql://beanleague@/{name}?host={folder}&hostaddr=127.0.0.1&port={link.port}&connect_timeout=2"
    with store_with_league(url, deals=DEALS) as store:
        yield store


DEALS = 12
CUTS = {
    "between transactions": (" set_config", 12),
    "in a transaction": ("COPY match_seat", 6),
    "before a commit": ("COMMIT", 8),
}


@pytest.mark.parametrize("replies_only", [False, True], ids=["both ways", "replies"])
@pytest.mark.parametrize("when", CUTS)
def test_a_league_goes_on_and_loses_nothing(
    store: Store, whole: dict[str, list[tuple[object, ...]]], link: Link, when: str, replies_only: bool
) -> None:
    """When only replies are lost, all that they answer was done: also the commit."""
    statement, number = CUTS[when]
    times = count(1)
    timer = Timer(1.5, link.restore)

    def look(found: str) -> None:
        if statement in found and next(times) == number:
            link.cut(replies_only=replies_only)
            timer.start()

    engine = store.database._engine
    event.listen(engine, "before_cursor_execute", lambda _, __, found, *___: look(found))
    event.listen(engine, "commit", lambda _: look("COMMIT"))
    league_run(store, FakePools(), clock=slow_clock()).play()
    timer.join()
    assert next(times) > number
    assert contents(store, leave_out=DERIVED) == whole
