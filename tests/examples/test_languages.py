"""The bots in `examples/`: built as their READMEs say, and played under every layer of the sandbox that works here."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from tests.referee.helpers import finish

ROOT = Path(__file__).parents[2]
PROTOCOL = ROOT / "proto/beanproto/v1/referee.proto"
GAMES = {"bohnanza": 3, "bohnanza-two": 2, "duel": 2, "dice": 2, "bean-thief-normal": 1}
"""Every family of games, with the seats of its match."""


@dataclass(frozen=True, slots=True)
class Language:
    """How an example is built."""

    folder: str
    """Of the example."""
    programs: tuple[str, ...]
    """What it takes."""
    files: tuple[str, ...]
    """As above: files of packages."""
    steps: tuple[tuple[str, ...], ...]
    """Commands, the first of which may fail where there is no network."""


NPM = (
    "npm",
    "install",
    "--no-package-lock",
    "--no-audit",
    "--no-fund",
    "--fetch-retries=0",
    "--fetch-timeout=20000",
    "--ignore-scripts",
)
TYPESCRIPT = Language("typescript", ("node", "npm"), (), (NPM, ("npm", "test")))
JARS = ("/usr/share/java/grpc-netty.jar", "/usr/share/java/netty-transport.jar", "/usr/share/java/guava.jar")
JAVA = Language("java", ("javac", "jar", "protoc", "grpc_java_plugin"), JARS, (("./test.sh",),))
HEADER = "/usr/include/grpcpp/grpcpp.h"
CPP = Language("cpp", ("c++", "protoc", "grpc_cpp_plugin", "pkg-config"), (HEADER,), (("./build.sh",),))


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=pytest.mark.slow, id=each.folder) for each in (TYPESCRIPT, JAVA, CPP)],
)
def bundle(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an example that was built."""
    language: Language = request.param
    for program in language.programs:
        if shutil.which(program) is None:
            pytest.skip(f"there is no {program} here")
    for file in language.files:
        if not Path(file).exists():
            pytest.skip(f"there is no {file} here")
    folder = tmp_path_factory.mktemp(language.folder) / "bundle"
    made = shutil.ignore_patterns("node_modules", "types", "*.js", "generated", "classes", "bot.jar", "bot")
    shutil.copytree(ROOT / "examples" / language.folder, folder, ignore=made)
    shutil.copy(PROTOCOL, folder)
    for step in language.steps:
        done = subprocess.run(step, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode and step == NPM:
            pytest.skip(f"npm cannot install here: {done.stderr.strip()[:200]}")
        assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.parametrize("layer", CONFINING)
def test_an_example_plays_every_game_without_a_fault(bundle: Path, layer: Layer, tmp_path: Path) -> None:
    """Within the usual limits; what it prints is in its log."""
    if why_not := examine(layer, Limits()).why_not:
        pytest.skip(f"{layer} does not work here: {why_not}")
    made = read_bundle(pack(bundle))
    folder = BundleCache(tmp_path).folder(made.digest, lambda: made.data)
    tmp_path.chmod(0o755)
    bots = [BotSpec(seat, f"bot{seat}", str(folder), made.manifest.command) for seat in range(3)]
    with WorkerPool(bots, Limits(connect_ms=60_000), workers=1, in_flight=1, layers=(layer,)) as pool:
        for number, (game, seats) in enumerate(GAMES.items()):
            pool.submit(MatchTask(number, game, b"a deal", tuple(range(seats)), (b"luck" * 4,) * seats, 0))
        results, logs = finish(pool, len(GAMES))
        for _ in range(100):  # what it wrote may come after the result
            if any("ready" in log.text for log in logs):
                break
            logs += [report for report in pool.poll(0.1) if isinstance(report, BotLog)]
    assert [result.faults for result in results.values()] == [()] * len(GAMES)
    assert {result.layer for result in results.values()} == {layer}
    assert any("ready" in log.text for log in logs)


def test_a_folder_installed_by_npm_is_a_bundle(bundle: Path) -> None:
    """The usual `npm install` of a bot with gRPC, with its hundreds of files and its links."""
    if not (bundle / "node_modules").is_dir():
        pytest.skip("this is for bots with npm")
    assert any(path.is_symlink() for path in (bundle / "node_modules/.bin").iterdir())
    manifest = (bundle / "bot.toml").read_text()
    (bundle / "bot.toml").write_text(manifest.replace('"node_modules/.bin"', '"node_modules/.none"'))
    try:
        files = read_bundle(pack(bundle)).files
    finally:
        (bundle / "bot.toml").write_text(manifest)
    assert "node_modules/.bin/proto-loader-gen-types" in files
    assert len(files) > 400
    assert not any(name.endswith((".map", ".ts")) or "/typescript/" in name for name in files)


def test_no_example_names_a_registry() -> None:
    names = ("registry.", "repo1.", "resolved")
    for path in (ROOT / "examples").rglob("*"):
        if "node_modules" not in path.parts and path.suffix in {".json", ".toml", ".sh", ".md"}:
            text = path.read_text(encoding="utf-8")
            assert not any(name in text for name in names), path


def test_scripts_can_be_run() -> None:
    assert all(os.access(path, os.X_OK) for path in (ROOT / "examples").glob("*/*.sh"))
