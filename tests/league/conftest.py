from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from beanleague.store import Store
from tests.databases import UrlOf
from tests.league.helpers import repeatable_secrets, store_with_league

MakeLeague = Callable[..., Store]


@pytest.fixture(autouse=True)
def secrets_of_leagues(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give each test the same secrets of leagues in every run: a rare table or seed would fail it by chance."""
    with repeatable_secrets(request.node.name):
        yield


@pytest.fixture
def make_league(tmp_path: Path, url_of: UrlOf) -> Iterator[MakeLeague]:
    """Make stores with a league "spring", each in a folder of its own; arguments as of `store_with_league`."""
    with ExitStack() as stack:
        made = 0

        def make(**wish: object) -> Store:
            nonlocal made
            made += 1
            folder = tmp_path / str(made)
            folder.mkdir()
            return stack.enter_context(store_with_league(url_of(folder / "a.db"), **wish))  # type: ignore[arg-type]

        yield make


@pytest.fixture
def store(make_league: MakeLeague) -> Store:
    """A store with the league "spring": 10 deals of 5 bots at 4 seats."""
    return make_league()
