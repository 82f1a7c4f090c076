"""What a command imports, seen in a fresh interpreter: most of the time of a small command goes into that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COMMAND = """
import sys
from beanleague.__main__ import main
try:
    main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""

DATABASE = frozenset({"sqlmodel", "sqlalchemy", "pydantic", "beanleague.store"})
NUMBERS = frozenset({"numpy"})
PLAYING = frozenset({"beanleague.referee.pool", "multiprocessing"})


def loaded_by(*words: str) -> set[str]:
    """The modules that `beanleague` has loaded when it has run these words."""
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, *words], capture_output=True, text=True, check=False, env=os.environ
    )
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split())


def test_games_loads_no_database_no_numbers_and_no_referee(tmp_path: Path) -> None:
    loaded = loaded_by("--db", str(tmp_path / "a.db"), "games")
    assert not loaded & (DATABASE | NUMBERS | PLAYING | {"grpc", "asyncio", "beanleague.referee"})
    assert not list(tmp_path.iterdir())
