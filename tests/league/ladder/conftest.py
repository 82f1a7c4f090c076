"""A ladder that was played, for tests that look at what is kept of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.store import Store
from tests.league.helpers import repeatable_secrets
from tests.league.ladder.playing import play_ladder


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a ladder in its third day, which a bot entered and one left, some of whose deals were dropped."""
    file = tmp_path_factory.mktemp("ladder") / "a.db"
    with repeatable_secrets("a ladder of three days"):
        play_ladder(file, ended=True)
    return file.read_bytes()


@pytest.fixture
def store(tmp_path: Path, played: bytes) -> Iterator[Store]:
    """A store of its own with that ladder, "spring"."""
    (tmp_path / "a.db").write_bytes(played)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        yield store
