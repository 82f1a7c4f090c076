"""Names for completion, read from databases of both kinds."""

from __future__ import annotations

from pathlib import Path

from beanleague.store.known_names import KnownNames, known_names
from beanleague.store.store import Store
from tests.store.helpers import add_bots, add_league


def test_names_are_those_of_bots_and_leagues_that_are_not_hidden(store: Store, store_url: str) -> None:
    versions = add_bots(store, 4)
    add_league(store, versions, "spring")
    hidden = add_league(store, versions, "autumn")
    store.leagues.hide(hidden.id)
    store.bots.hide("bot1")
    assert known_names(store_url) == KnownNames(("spring",), (("bot0", 1), ("bot2", 1), ("bot3", 1)))


def test_without_a_database_there_are_none(tmp_path: Path) -> None:
    assert known_names(f"sqlite:///{tmp_path}/none.db") == KnownNames()
    assert not list(tmp_path.iterdir())
