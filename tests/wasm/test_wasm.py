"""Practice, search, analysis and all games in WebAssembly, where Python is of another version: all decide the same."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bots.decisions import FIGURES, NEEDS_NUMPY, kept, series
from tools.check_front import programs

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
BEGIN = """
import json, sys
sys.path[:0] = ["/here", "/here/server", "/here/sdk"]
"""
INSTALL = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "--loglevel=error")
DECIDED = [each for each in series() if not each.bots & NEEDS_NUMPY]

Run = Callable[[str], str]
"""Runs a program in WebAssembly, with this folder as /here; returns what it prints."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Node.js with Pyodide, as npm installs it."""
    found = programs()
    missing = pytest.fail if os.environ.get("CI") else pytest.skip  # nobody reads there that something was left out
    if found is None:
        missing("there is no Node.js and npm here, which run Python in WebAssembly")
    node, npm = found
    folder = tmp_path_factory.mktemp("pyodide")
    for name in ("package.json", "package-lock.json", "run.mjs"):
        shutil.copy(HERE / name, folder)
    installed = subprocess.run([*npm, *INSTALL], cwd=folder, capture_output=True, text=True, check=False)
    if installed.returncode:
        missing(f"npm cannot install Pyodide here: {installed.stderr.strip()[:200]}")

    def run(program: str) -> str:
        line = [*node, "run.mjs", str(ROOT)]
        done = subprocess.run(
            line, cwd=folder, input=BEGIN + program, capture_output=True, text=True, check=False, env={**os.environ}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def decided(run: Run) -> dict[str, dict[str, str]]:
    """The digests of all that can be decided there."""
    names = {each.name for each in DECIDED}
    printed = run(f"""
from tests.bots.decisions import FIGURES, digest, digests, series
found = {{each.name: digests(each) for each in series() if each.name in {names!r}}}
found |= {{name: {{"figures": digest(figures())}} for name, figures in FIGURES.items()}}
print(json.dumps(found))
""")
    found: dict[str, dict[str, str]] = json.loads(printed)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(each.name for each in DECIDED), *FIGURES])
def test_decisions_and_figures_are_as_stored(decided: dict[str, dict[str, str]], name: str) -> None:
    assert decided[name] == kept()[name]


@pytest.mark.slow
def test_the_command_practises_with_one_process_and_without_limits(run: Run) -> None:
    printed = run("""
from beanbot.practice.__main__ import main
assert main(["trader", "farmer", "--deals", "1", "--seats", "3", "--json"]) == 0
""")
    assert json.loads(printed)["matches_done"] == 3


@pytest.mark.slow
def test_more_processes_and_limits_are_refused_in_words(run: Run) -> None:
    printed = run("""
import io, contextlib
from beanbot.practice.__main__ import main
for arguments in (["--workers", "2"], ["--move-ms", "100"]):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        assert main(["farmer", "--deals", "2", *arguments]) == 1
    print(said.getvalue(), end="")
""")
    assert printed.splitlines() == [
        "practice: this Python cannot start other processes; practise with 1 worker",
        "practice: this Python cannot interrupt bots; leave out the limit of a decision",
    ]


def test_the_package_is_pinned_and_no_registry_is_named() -> None:
    wanted = json.loads((HERE / "package.json").read_text("utf-8"))["dependencies"]["pyodide"]
    text = (HERE / "package-lock.json").read_text("utf-8")
    assert json.loads(text)["packages"]["node_modules/pyodide"]["version"] == wanted
    assert "resolved" not in text
