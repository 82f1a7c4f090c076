"""Commands in a folder that somebody sent: nothing there runs outside the sandbox, whatever it is called."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.conftest import findings

PROGRAMS = Path(sys.executable).parent
PACKAGES = (
    *("alembic", "beanbot", "beanleague", "beanproto", "click", "cryptography", "dask", "distributed", "dotenv"),
    *("google", "grpc", "gymnasium", "httptools", "jinja2", "matplotlib", "numpy", "orjson", "pandas", "pip"),
    *("pettingzoo", "platformdirs", "psutil", "psycopg", "pydantic", "rich", "scipy", "setuptools", "simplejson"),
    *(
        "sitecustomize",
        "sqlalchemy",
        "sqlmodel",
        "starlette",
        "tornado",
        "typing_extensions",
        "usercustomize",
        "uvicorn",
    ),
    *("uvloop", "watchfiles", "websockets", "wsproto", "yaml"),
)
TOML = 'name = "{name}"\ngames = ["bohnanza-two"]\ncommand = ["python", "bot.py"]\n'
PLAYS = """
from beanbot import run
from beanbot.two import BohnanzaTwoBot

run(BohnanzaTwoBot)
"""
RECORDS = """
try:
    with open({seen!r}, "a") as file:
        file.write({name!r} + "\\n")
except OSError:  # in the sandbox
    pass
"""
SETTINGS = {
    ".env": "PYTHONPATH=.\nBEANLEAGUE_SERVER=127.0.0.1:1\n",
    ".pdbrc": "import pickle\n",
    "alembic.ini": "[alembic]\nscript_location = .\n",
    "matplotlibrc": "backend: module://random\n",
    "pip.conf": "[global]\nrequire-virtualenv = true\n",
    "pyvenv.cfg": "home = .\n",
    "setup.cfg": "[options]\n",
    "own.pth": "import random\n",
}


@dataclass(frozen=True)
class Folder:
    """A folder with a bot, and files named like every module that could be imported."""

    path: Path
    seen: Path

    def ran(self) -> list[str]:
        """The modules in it that ran outside the sandbox."""
        return self.seen.read_text().split() if self.seen.exists() else []


def write_bot(path: Path, code: str) -> None:
    path.mkdir(exist_ok=True)
    (path / "bot.toml").write_text(TOML.format(name=path.name))
    (path / "bot.py").write_text(code)


def write_hostile(path: Path, seen: Path) -> Folder:
    """Write a folder whose every module says in `seen` that it ran."""
    path.mkdir()
    for name in {*sys.stdlib_module_names, *PACKAGES}:
        (path / f"{name}.py").write_text(RECORDS.format(seen=str(seen), name=name))
    for name, text in SETTINGS.items():
        (path / name).write_text(text)
    write_bot(path, PLAYS)
    write_bot(path / "gardener", RECORDS.format(seen=str(seen), name="gardener") + PLAYS)
    return Folder(path, seen)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    if all(findings().values()):
        pytest.skip(f"no layer works here: {findings()}")
    return write_hostile(tmp_path / "sent", tmp_path / "seen")


def run(folder: Folder, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder, as installed."""
    program, *words = command.split()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BEANLEAGUE_", "PYTHON"))}
    homes = {name: str(folder.path.parent / name) for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME")}
    return subprocess.run(
        [str(PROGRAMS / program), *words],
        cwd=folder.path,
        env={**kept, **homes, "COLUMNS": "400", "PIP_NO_INDEX": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_checking_a_bot_in_its_folder_runs_its_modules_in_the_sandbox_alone(folder: Folder) -> None:
    done = run(folder, "beanleague bot check .")
    assert not folder.ran()
    assert done.returncode == 1
    assert "beanbot.py: shadows a module of the bots' library with the same name" in done.stdout
    assert "through no fault of the bot" not in done.stdout


COMMANDS = (
    "beanleague bot submit .",
    "beanleague bot submit ../good ../other",
    "beanleague league create l --game bohnanza-two --bot good --bot other --deals 2",
    "beanleague league run l",
    "beanleague league verify l",
    "beanleague standings l",
    "beanleague match export l/1.0 -o ../record.json",
    "beanleague match verify ../record.json",
    "beanleague match replay l/1.0 --plain",
    "beanleague match analyse l/1.0 --play-outs 10",
    "beanleague match analyse ../record.json --play-outs 10",
    "beanleague match ask l/1.0 0 gardener",
    "beanleague match rotations l/1",
    "beanleague bot report good --league l",
    "beanleague practice ../good gardener --game bohnanza-two --deals 1",
    "beanleague play --game bohnanza-two --against gardener",
    "beanleague environment add tools --requirements ../requirements.txt",
    "beanleague doctor",
    "beanleague site ../site",
    "beanbot practice ../good ../other --game bohnanza-two --deals 1 --workers 2",
    "beanbot practice ../good --at l/1.0",
    "beanbot analyse ../record.json --play-outs 10",
    "beanbot rotations ../record.json",
)

CODES = {
    "beanleague bot report good --league l": 1,
    "beanleague bot submit .": 1,
    "beanleague play --game bohnanza-two --against gardener": 130,
    "beanleague environment add tools --requirements ../requirements.txt": 1,
}


@pytest.mark.slow
def test_no_command_runs_what_lies_in_the_current_folder(folder: Folder) -> None:
    above = folder.path.parent
    for name in ("good", "other"):
        write_bot(above / name, PLAYS)
    (above / "requirements.txt").write_text(f"six==1.0 --hash=sha256:{64 * '0'}\n")
    ran = {}
    for command in COMMANDS:
        done = run(folder, command)
        assert done.returncode == CODES.get(command, 0), done.stdout
        ran[command] = folder.ran()
        folder.seen.unlink(missing_ok=True)
    assert not any(ran.values())


ROOT = Path(__file__).parents[2]
TEXTS = ("README.md", "docs/*.md", "server/**/*.py", "server/**/*.txt", "server/**/*.html", "sdk/**/*.py")
EXPLAINS = "docs/security.md"


def test_nobody_is_told_to_start_a_module_of_ours_where_python_looks_into_the_current_folder() -> None:
    files = [path for pattern in TEXTS for path in ROOT.glob(pattern) if str(path.relative_to(ROOT)) != EXPLAINS]
    told = re.compile(r"python3? -m (?:beanbot|beanleague)\b(?!\.referee)")  # a worker says how it is started itself
    assert [str(path) for path in files if told.search(path.read_text("utf-8"))] == []
    assert len(files) > 200
