from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.model import League
from beanleague.store.store import Store
from tests.store.helpers import add_bots, add_league


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store in the file a.db."""
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store


@pytest.fixture
def league(store: Store) -> League:
    """A league of four bots at tables of three, ten deals published and none played."""
    return add_league(store, add_bots(store, 4))
