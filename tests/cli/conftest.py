"""Fixtures for the tests of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from beanleague.cli import main
from tests.cli.fake_server import FakeLeague, fake_league

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Commands know no server and no database of the user's, and print without colours."""
    for name in ("BEANLEAGUE_DB", "BEANLEAGUE_SERVER", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.fixture
def run() -> Run:
    """Run `beanleague` with these words in this process."""

    def run_words(*words: str, **settings: str) -> Result:
        return CliRunner(env={"COLUMNS": "100", **settings}).invoke(main, list(words), prog_name="beanleague")

    return run_words


@pytest.fixture
def league() -> Iterator[FakeLeague]:
    """A server with answers laid down by the test."""
    with fake_league() as fake:
        yield fake
