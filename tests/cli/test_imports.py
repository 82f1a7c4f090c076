"""What a command imports, seen in a fresh interpreter: most of the time of a small command goes into that."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import beanleague

COMMAND = """
import sys
from beanleague.__main__ import main
try:
    main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""

DATABASE = frozenset({"sqlmodel", "sqlalchemy", "pydantic", "beanleague.store"})
MAX_MODULES = 111  # of ours, where a command shows a list
PLAYING = frozenset(
    {
        "beanleague.league.bots.submission",
        "beanleague.league.compare",
        "beanleague.league.run.runner",
        "beanleague.league.schedule.schedule",
        "beanleague.league.verify.verification",
        "beanleague.referee.pool",
        "multiprocessing",
        "numpy",
    }
)


def loaded_by(*words: str) -> set[str]:
    """The modules that `beanleague` has loaded when it has run these words."""
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False, env=os.environ
    )
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split())


def test_games_loads_no_database_no_numpy_and_no_referee(tmp_path: Path) -> None:
    loaded = loaded_by("--db", str(tmp_path / "a.db"), "games")
    assert not loaded & (DATABASE | PLAYING | {"grpc", "asyncio", "beanleague.referee"})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", ["--version", "--help", "league --help"])
def test_a_command_without_a_database_loads_neither_sqlmodel_nor_sqlalchemy(tmp_path: Path, words: str) -> None:
    loaded = loaded_by("--db", str(tmp_path / "a.db"), *words.split())
    assert "click" in loaded
    assert not loaded & DATABASE


@pytest.mark.parametrize("words", ["standings {}", "league list", "bot list"])
def test_lists_load_few_modules_and_only_what_queries_need(spring: str, home: Path, words: str) -> None:
    loaded = loaded_by("--db", str(home / "leagues.db"), *words.format(spring).split())
    assert "beanleague.store.columns" in loaded
    assert not loaded & (PLAYING | {"alembic"})
    ours = {name for name in loaded if name.startswith(("beanleague", "beanproto"))}
    assert len(ours) <= MAX_MODULES, sorted(ours)


def test_reading_a_match_loads_nothing_that_plays(spring: str, home: Path) -> None:
    loaded = loaded_by("--db", str(home / "leagues.db"), "match", "show", f"{spring}/1.0")
    assert "beanleague.store.store" in loaded
    assert not loaded & PLAYING


def test_each_module_that_reading_must_not_load_is_loaded_by_the_calls_that_play() -> None:
    modules = "beanleague.service.running, beanleague.service.trials, beanleague.referee.deal_pool"
    program = f"import sys, {modules}\nprint(*sys.modules, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) >= PLAYING


def test_a_server_loads_at_its_start_all_that_calls_use() -> None:
    program = (
        "import sys\nfrom beanleague.service.server import import_all\nimport_all()\nprint(*sys.modules, sep='\\n')"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    package = Path(beanleague.__file__).parent
    modules = {f"beanleague.store.{file.stem}" for file in (package / "store").glob("[a-z]*.py")}
    assert modules <= loaded


def test_only_who_asks_for_a_cluster_loads_what_it_needs() -> None:
    commands = ", ".join(f"beanleague.cli.commands.{name}" for name in ("league", "server", "cluster"))
    program = f"import sys, beanleague.service.running, {commands}\nprint(*sys.modules, sep='\\n')"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "beanleague.league.run.runner" in loaded
    assert not {name.partition(".")[0] for name in loaded} & {"dask", "distributed", "tornado", "cryptography"}
