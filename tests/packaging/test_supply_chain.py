"""What is installed, tested and published is what was meant to be."""

import configparser
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CONSTRAINTS = (ROOT / ".ci" / "constraints.txt").read_text("utf-8")
PINS = {name: Version(version) for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)$", CONSTRAINTS, re.MULTILINE)}
LIBRARIES = [Requirement(text) for text in PROJECT["project"]["dependencies"]]


def requirements() -> list[Requirement]:
    """Everything that pyproject.toml asks for."""
    texts = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]]
    for more in (*PROJECT["project"]["optional-dependencies"].values(), *PROJECT["dependency-groups"].values()):
        texts += [text for text in more if isinstance(text, str)]
    return [Requirement(text) for text in dict.fromkeys(texts)]


def needed(name: str, seen: set[str]) -> set[str]:
    """The names of an installed distribution and of all that it needs here, as far as they are installed."""
    if name in seen:
        return seen
    try:
        texts = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return seen
    seen.add(name)
    for requirement in map(Requirement, texts):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            needed(canonicalize_name(requirement.name), seen)
    return seen


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_ci_uses_a_version_that_is_allowed(requirement: Requirement) -> None:
    assert requirement.specifier.contains(PINS[canonicalize_name(requirement.name)])


def test_ci_pins_also_what_is_needed_indirectly() -> None:
    found = set[str]()
    for requirement in requirements():
        needed(canonicalize_name(requirement.name), found)
    assert len(found) > 20
    assert found <= set(PINS)


def test_every_line_of_the_constraints_is_a_pin() -> None:
    lines = [line for line in CONSTRAINTS.splitlines() if not line.startswith("#")]
    assert len(lines) == len(PINS)


def test_ci_installs_by_the_constraints() -> None:
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    assert script.index("export PIP_CONSTRAINT=$PWD/.ci/constraints.txt\n") < script.index(
        "\npython3 tools/environments.py tests"
    )


@pytest.mark.parametrize("library", LIBRARIES, ids=str)
def test_no_next_major_version_of_a_library_is_installed_unseen(library: Requirement) -> None:
    assert any(clause.operator == "<" for clause in library.specifier)


def test_the_pythons_promised_are_those_tested() -> None:
    prefix = "Programming Language :: Python :: "
    promised = [text.removeprefix(prefix) for text in PROJECT["project"]["classifiers"] if text.startswith(prefix)]
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", "utf-8")
    environments = [f"py{version.replace('.', '')}" for version in promised]
    assert promised == ["3.11", "3.12", "3.13", "3.14"]
    assert tox["tox"]["env_list"].split(", ") == ["lint", *environments]
    assert f"$(filter-out $(HERE),{' '.join(environments)})" in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_a_source_distribution_has_tracked_files_only(tmp_path: Path) -> None:
    kept = ["LICENSE", "README.md", "pyproject.toml", "server/beanleague/__init__.py", "tools/tracked_files.py"]
    stray = ["server/beanleague/stray.py", "server.key", "tests/notes.txt"]
    for name in kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    git = ["git", "-C", str(tmp_path), "-c", "init.defaultBranch=main"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "--all"], check=True)
    for name in stray:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("stray")
    build = "import hatchling.build; print(hatchling.build.build_sdist('dist'))"
    made = subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, stdout=subprocess.PIPE, text=True)
    with tarfile.open(tmp_path / "dist" / made.stdout.splitlines()[-1]) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    assert found == {*kept, "PKG-INFO"}
