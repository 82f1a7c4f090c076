"""Fixtures for the tests of the command line."""

import functools
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import beanleague.service.server
from beanleague.cli import main
from tests.cli.helpers import WIDTH, FakeLeague, fake_league, write_bot, zone
from tests.league.fakepool import FakePools, play

Run = Callable[..., Result]
On = Callable[..., Result]


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Commands know no server and no database of the user's, and print without colours."""
    known = [name for name in os.environ if name.startswith("BEANLEAGUE_")]
    for name in (*known, "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


@pytest.fixture
def utc() -> Iterator[None]:
    """The reader's zone is UTC, and not that of who runs the tests."""
    with zone("UTC"):
        yield


@pytest.fixture
def run() -> Run:
    """Run `beanleague` with these words in this process."""

    def run_words(*words: str, **settings: str) -> Result:
        return CliRunner(env={**WIDTH, **settings}).invoke(main, list(words), prog_name="beanleague")

    return run_words


@pytest.fixture
def league() -> Iterator[FakeLeague]:
    """A server with answers laid down by the test."""
    with fake_league() as fake:
        yield fake


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for a database and bots."""
    return tmp_path_factory.mktemp("home")


@contextmanager
def commands_on(home: Path) -> Iterator[On]:
    """Run commands on the database in `home`, with a referee that plays in this process."""
    with pytest.MonkeyPatch.context() as patch:
        embedded = functools.partial(
            beanleague.service.server.embedded, cache=home / "cache", start_pool=FakePools(play=play)
        )
        patch.setattr(beanleague.service.server, "embedded", embedded)
        for name in ("BEANLEAGUE_DB", "BEANLEAGUE_SERVER"):
            patch.delenv(name, raising=False)

        def on_database(*words: str, db: str = str(home / "leagues.db"), **settings: str) -> Result:
            env = {**WIDTH, "NO_COLOR": "1", **settings}
            return CliRunner(env=env).invoke(main, ["--db", db, *words], prog_name="beanleague")

        yield on_database


def play_spring(on: On, home: Path) -> None:
    """Play a league of three bots, all of 4 deals."""
    for name in ("ann", "ben", "cid"):
        result = on("bot", "submit", str(write_bot(home / name, name)))
        assert result.exit_code == 0, result.output
    create = f"league create spring --game bohnanza --deals 4 --option max_rounds=6 --secret {'0b' * 16}"
    for words in (create, "league run spring"):
        result = on(*words.split())
        assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def on(home: Path) -> Iterator[On]:
    """Run a command on the database of this module; see `commands_on`."""
    with commands_on(home) as on_database:
        yield on_database


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the league of `play_spring` and its bots, to be copied."""
    folder = tmp_path_factory.mktemp("played")
    with commands_on(folder) as on_database:
        play_spring(on_database, folder)
    return folder


@pytest.fixture(scope="module")
def spring(on: On, home: Path, played: Path) -> str:
    """The league of `play_spring`, in the database of this module."""
    if (home / "leagues.db").exists():
        play_spring(on, home)
    else:
        shutil.copytree(played, home, dirs_exist_ok=True)
    return "spring"
