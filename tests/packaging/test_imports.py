"""What importing a package loads, in a fresh interpreter; how much is imported; that a class name means one thing."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import beanleague

IMPORT_WITH_SUBMODULES = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.endswith(("__main__", "beanbot.env.table")):  # the latter only who learns loads
        importlib.import_module(module.name)
print(*sys.modules, sep="\\n")
"""


def loaded_by(package: str, *options: str, prelude: str = "") -> set[str]:
    """The modules an interpreter has after importing a package and all its submodules but programs."""
    run = subprocess.run(
        [sys.executable, *options, "-c", prelude + IMPORT_WITH_SUBMODULES, package],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_the_games_load_only_themselves_and_the_standard_library() -> None:
    # Without site: what that loads (hooks of editable installs, coverage) is not the doing of the games.
    home = str(Path(beanleague.__file__).parents[1])
    loaded = loaded_by("beanleague.games", "-I", "-S", prelude=f"import sys; sys.path.insert(0, {home!r})\n")
    foreign = {
        name
        for name in loaded
        if name.partition(".")[0] not in sys.stdlib_module_names | {"__main__"}
        and name != "beanleague"
        and not (name + ".").startswith("beanleague.games.")
    }
    assert not foreign


@pytest.fixture(scope="module")
def loaded_by_a_bot() -> set[str]:
    return loaded_by("beanbot")


def test_the_bots_library_loads_nothing_heavy(loaded_by_a_bot: set[str]) -> None:
    assert not loaded_by_a_bot & {"sqlmodel", "sqlalchemy", "pydantic", "click", "rich", "numpy"}


def test_the_bots_library_loads_of_the_server_only_games_wire_and_small_files(loaded_by_a_bot: set[str]) -> None:
    ours = {name.split(".")[1] for name in loaded_by_a_bot if name.startswith("beanleague.")}
    assert ours == {"extras", "files", "games", "signs", "wire"}


ROOT = Path(__file__).parents[2]
ONE_A_FAMILY = {"Ahead", "Remembered"}
"""What families of games each have under one name."""


def test_few_lines_of_the_server_are_imports() -> None:
    lines = imports = 0
    for file in (ROOT / "server" / "beanleague").rglob("*.py"):
        if "_pb2" in file.name:
            continue
        text = file.read_text("utf-8")
        lines += text.count("\n")
        found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
        imports += sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in found)
    assert lines > 10_000
    assert imports <= 0.0625 * lines, "merge modules that are imported together"


def test_no_two_public_classes_share_a_name() -> None:
    files = [file for package in ("server", "sdk") for file in (ROOT / package).rglob("*.py")]
    nodes = [node for file in files for node in ast.parse(file.read_text("utf-8")).body]
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))
    assert len(names) > 500
    assert {name for name, number in names.items() if number > 1} == ONE_A_FAMILY
