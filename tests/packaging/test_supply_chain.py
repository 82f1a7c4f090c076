"""What is installed, tested and published is what was meant to be, whichever way it was installed."""

import configparser
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import beanleague
from beanleague import house_folder
from beanleague.league.bots import house_bots
from beanleague.web.pages.games import rules_page
from beanproto.v1 import league_pb2, league_pb2_grpc, referee_pb2, referee_pb2_grpc

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


def oldest_allowed(distribution: str) -> Version:
    """The lower bound the installed metadata puts on a dependency."""
    requirements = map(Requirement, metadata.requires("beanleague") or ())
    (bound,) = (
        clause.version
        for requirement in requirements
        if requirement.name == distribution
        for clause in requirement.specifier
        if clause.operator == ">="
    )
    return Version(bound)


def test_the_version_is_said_in_one_place() -> None:
    assert metadata.version("beanleague") == beanleague.__version__


def test_the_command_is_installed() -> None:
    (command,) = metadata.entry_points(group="console_scripts", name="beanleague")
    assert callable(command.load())


@pytest.mark.parametrize("package", ["beanleague", "beanbot", "beanproto"])
def test_each_package_is_marked_as_typed(package: str) -> None:
    assert resources.files(package).joinpath("py.typed").is_file()


@pytest.mark.parametrize("name", ["referee", "league"])
def test_the_wire_is_shipped_as_text_with_code_and_types(name: str) -> None:
    shipped = {entry.name for entry in resources.files("beanproto.v1").iterdir()}
    stem = f"{name}_pb2"
    assert {f"{name}.proto", f"{stem}.py", f"{stem}.pyi", f"{stem}_grpc.py", f"{stem}_grpc.pyi"} <= shipped


@pytest.mark.parametrize("module", [referee_pb2, league_pb2])
def test_no_protobuf_is_allowed_that_is_older_than_the_generated_code(module: object) -> None:
    made_by = re.search(r"^# Protobuf Python Version: (\S+)$", source(module), re.MULTILINE)
    assert made_by is not None
    assert oldest_allowed("protobuf") >= Version(made_by[1])


@pytest.mark.parametrize("module", [referee_pb2_grpc, league_pb2_grpc])
def test_no_grpcio_is_allowed_that_is_older_than_the_generated_code(module: object) -> None:
    made_by = re.search(r"^GRPC_GENERATED_VERSION = '(\S+)'$", source(module), re.MULTILINE)
    assert made_by is not None
    assert oldest_allowed("grpcio") >= Version(made_by[1])


def test_the_house_bots_are_whole_bundles_in_the_order_of_their_names() -> None:
    bundles = house_bots.house_bots()
    assert [bundle.name for bundle in bundles] == [
        *("apprentice", "beginner", "dicer", "duelist", "farmer", "gardener", "grandmaster", "haggler", "journeyman"),
        *("merchant", "novice", "pupil", "random", "surveyor", "trader"),
    ]
    for bundle in bundles:
        manifest = tomllib.loads((bundle / "bot.toml").read_text("utf-8"))
        assert manifest["name"] == bundle.name
        assert (bundle / manifest["command"][-1]).is_file()


def test_the_site_is_shipped_with_its_templates_its_static_files_and_the_rules() -> None:
    site = resources.files("beanleague.web")
    for file in ("templates/base.html", "static/site.css", "static/vendor/htmx/htmx.min.js", "static/viewer/viewer.js"):
        assert site.joinpath(file).is_file()
    assert rules_page("bohnanza")


def test_an_installation_without_house_bots_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_folder, "INSTALLED", tmp_path / "installed")
    monkeypatch.setattr(house_folder, "CHECKOUT", tmp_path / "checkout")
    with pytest.raises(FileNotFoundError, match="lacks the house bots"):
        house_bots.house_bots()


def source(module: object) -> str:
    """The text of a module."""
    return Path(str(vars(module)["__file__"])).read_text("utf-8")
