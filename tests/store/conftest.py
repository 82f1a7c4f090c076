from collections.abc import Iterator

import pytest

from beanleague.model import League
from beanleague.store import Store
from tests.store.helpers import add_bots, add_league


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store."""
    with Store(store_url) as store:
        yield store


@pytest.fixture
def league(store: Store) -> League:
    """A league of four bots at tables of three, ten deals published and none played."""
    return add_league(store, add_bots(store, 4))
