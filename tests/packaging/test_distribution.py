"""What an installation of beanleague holds, whichever way it was installed."""

import re
import tomllib
from importlib import metadata, resources
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import beanleague
from beanleague import house_folder
from beanleague.league.bots import house_bots
from beanleague.web.pages.games import rules_page
from beanproto.v1 import league_pb2, league_pb2_grpc, referee_pb2, referee_pb2_grpc


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
