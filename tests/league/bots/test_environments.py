"""Environments, by the digest of what is installed; the cache of bundles; wheels made here, without a network."""

import fcntl
import hashlib
import tempfile
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import Environment, EnvironmentMissingError, Environments
from beanleague.league.bots.submission import check, submit
from beanleague.league.errors import BundleError, LeagueError
from beanleague.model import BotVersion
from beanleague.store import Store
from tests.league.fakepool import FakePools, play
from tests.league.helpers import bundle
from tests.together import Meanwhile, raised_at_once


@pytest.fixture
def environments(tmp_path: Path) -> Environments:
    return Environments(tmp_path / "environments")


def test_installed_packages_are_listed_and_have_the_same_digest_everywhere(
    tmp_path: Path, environments: Environments
) -> None:
    file = requirements(wheel(tmp_path))
    added = environments.add("beans", file)
    assert environments.all() == [added]
    assert (added.importable(), added.distributions()) == (["tiny"], ["tiny 1.0"])
    assert environments.packages(added.digest) == added.packages
    assert Environments(tmp_path / "elsewhere").add("others", file).digest == added.digest
    assert not (added.packages / "tiny.py").stat().st_mode & 0o222


def test_a_name_stands_for_the_newest_and_what_it_stood_for_before_stays(
    tmp_path: Path, environments: Environments
) -> None:
    first = environments.add("beans", requirements(wheel(tmp_path)))
    second = environments.add("beans", requirements(wheel(tmp_path, code="WORD = 'soy'\n", version="1.1")))
    assert environments.named("beans") == second != first
    assert environments.packages(first.digest) == first.packages
    assert environments.all() == [second, replace(first, name="")]
    environments.remove("beans")
    environments.remove(first.digest[:16])
    assert environments.all() == []
    with pytest.raises(EnvironmentMissingError, match="is not on this machine; install it with"):
        environments.packages(second.digest)


@pytest.mark.parametrize("name", ["../beans", "", "Beans", "a/b", ".beans"])
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path: Path, environments: Environments, name: str) -> None:
    with pytest.raises(LeagueError, match="is not a valid environment name"):
        environments.add(name, requirements(wheel(tmp_path)))
    assert not (tmp_path / "environments").exists()


def test_a_package_without_its_hash_is_not_installed(tmp_path: Path, environments: Environments) -> None:
    with pytest.raises(LeagueError, match=r"pip cannot install it:\n(.|\n)*hash"):
        environments.add("beans", requirements(wheel(tmp_path), hashed=False))
    file = requirements(wheel(tmp_path))
    wheel(tmp_path, code="WORD = 'poison'\n")
    with pytest.raises(LeagueError, match=r"(?i)pip cannot install it:\n(.|\n)*hash"):
        environments.add("beans", file)
    assert environments.all() == []
    assert not list((tmp_path / "environments" / "packages").iterdir())


def test_packages_that_were_changed_are_not_used(tmp_path: Path, environments: Environments) -> None:
    added = environments.add("beans", requirements(wheel(tmp_path)))
    (added.packages / "tiny.py").chmod(0o644)
    (added.packages / "tiny.py").write_text("WORD = 'poison'\n")
    with pytest.raises(EnvironmentMissingError, match="was changed"):
        environments.packages(added.digest)
    environments.add("beans", requirements(wheel(tmp_path)))
    assert environments.packages(added.digest) == added.packages


def test_a_bot_is_submitted_with_the_packages_of_its_environment(tmp_path: Path, environments: Environments) -> None:
    cache = BundleCache(tmp_path / "cache", environments)
    data = bundle("ann", environment="beans")
    (problem,) = check(data, cache, FakePools()).problems
    assert str(problem) == "bot.toml: environment: there is no environment 'beans' here; there are none"
    added = environments.add("beans", requirements(wheel(tmp_path)))
    pools = FakePools(play)
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        kept = submit(data, store, cache, pools).version
        assert (kept.manifest.environment, kept.packages) == ("beans", added.digest)
        assert pools.bots[0].packages == str(added.packages)
        environments.add("beans", requirements(wheel(tmp_path, code="WORD = 'soy'\n")))
        again = submit(bundle("ann", "better", environment="beans"), store, cache, FakePools(play)).version
        assert again.packages != kept.packages == store.bots.version("ann", 1).packages
        with pytest.raises(BundleError, match="did you mean 'beans'"):
            submit(bundle("bob", environment="bean"), store, cache, FakePools())


MADE = read_bundle(bundle("ann", "print('beans')\n"))


def test_a_bundle_is_unpacked_once_and_read_only(tmp_path: Path) -> None:
    asked = []

    def data() -> bytes:
        asked.append(1)
        return MADE.data

    cache = BundleCache(tmp_path / "cache")
    folder = cache.folder(MADE.digest, data)
    assert (folder / "bot.py").read_text() == "print('beans')\n"
    assert sorted(path.name for path in folder.iterdir()) == ["bot.py", "bot.toml"]
    assert not any(path.stat().st_mode & 0o222 for path in folder.iterdir())
    assert not folder.stat().st_mode & 0o022, "its owner may delete it"
    assert cache.folder(MADE.digest, data) == folder
    assert len(asked) == 1


@pytest.mark.parametrize("spoil", ["change", "add", "remove"])
def test_a_folder_that_was_changed_is_made_anew(tmp_path: Path, spoil: str) -> None:
    cache = BundleCache(tmp_path)
    folder = cache.folder(MADE.digest, lambda: MADE.data)
    folder.chmod(0o755)
    (folder / "bot.py").chmod(0o644)
    if spoil == "change":
        (folder / "bot.py").write_text("evil\n")
    elif spoil == "add":
        (folder / "json.py").write_text("evil\n")
    else:
        (folder / "bot.py").unlink()
    cache.folder(MADE.digest, lambda: MADE.data)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: file.content for name, file in MADE.files.items()
    }
    assert [path.name for path in tmp_path.iterdir()] == [MADE.digest]


def test_a_bundle_with_another_digest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LeagueError, match=f"the bundle {'0' * 64} is damaged"):
        BundleCache(tmp_path).folder("0" * 64, lambda: MADE.data)


@pytest.mark.parametrize("where", ["{}/mine", "../mine", ".", "..", "", "A" * 64, "0" * 63, "0" * 64 + "\n"])
def test_a_digest_is_no_path_out_of_the_cache(tmp_path: Path, where: str) -> None:
    """Else a stranger's database would have a folder removed, and files of its own put in its place."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "authorized_keys").write_text("me")
    with pytest.raises(LeagueError, match="is not the digest of its files"):
        BundleCache(tmp_path / "cache").folder(where.format(tmp_path), lambda: MADE.data)
    assert [(path.name, path.read_text()) for path in mine.iterdir()] == [("authorized_keys", "me")]
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_nothing_is_moved_for_files_with_another_digest(tmp_path: Path) -> None:
    there = tmp_path / ("0" * 64)
    there.mkdir()
    (there / "bot.py").write_text("mine")
    with pytest.raises(LeagueError, match="its files have another digest"):
        BundleCache(tmp_path).folder(there.name, lambda: MADE.data)
    assert [path.read_text() for path in there.iterdir()] == ["mine"]
    assert list(tmp_path.iterdir()) == [there]


def test_a_bot_is_started_as_its_own_files_say(tmp_path: Path) -> None:
    version = BotVersion(1, 1, MADE.manifest, MADE.digest, len(MADE.data), 0.0)
    cache = BundleCache(tmp_path, Environments(tmp_path / "environments"))
    assert cache.bot(0, version, lambda _: MADE.data).command == ("python", "bot.py")
    other = replace(version, manifest=replace(MADE.manifest, command=("sh", "-c", "touch /tmp/beans")))
    with pytest.raises(LeagueError, match=r"ann@1 is damaged: its stored command is not the one in its bot.toml"):
        cache.bot(0, other, lambda _: MADE.data)
    with pytest.raises(EnvironmentMissingError, match="is not the digest of an environment"):
        cache.bot(0, replace(version, packages="../../packages"), lambda _: MADE.data)


def test_several_may_unpack_at_once(tmp_path: Path) -> None:
    assert raised_at_once(8, lambda: BundleCache(tmp_path).folder(MADE.digest, lambda: MADE.data)) == []
    assert [path.name for path in tmp_path.iterdir()] == [MADE.digest]


def test_a_folder_that_somebody_else_has_just_made_anew_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bots run in it already."""
    cache = BundleCache(tmp_path)
    folder = cache.folder(MADE.digest, lambda: MADE.data)
    folder.chmod(0o755)
    (folder / "bot.py").unlink()
    mends = Meanwhile(lambda: BundleCache(tmp_path).folder(MADE.digest, lambda: MADE.data).stat().st_ino)
    _when_it_locks(monkeypatch, mends)
    new_folder = tempfile.mkdtemp

    def mended_before(prefix: str, dir: Path) -> str:  # noqa: A002 - as it is called
        if prefix == ".old-":
            mends()
        return new_folder(prefix=prefix, dir=dir)

    monkeypatch.setattr(tempfile, "mkdtemp", mended_before)
    cache.folder(MADE.digest, lambda: MADE.data)
    assert mends.result() == folder.stat().st_ino


def _when_it_locks(monkeypatch: pytest.MonkeyPatch, meanwhile: Meanwhile) -> None:
    """Let the thread of `meanwhile` say that it waits when it asks for a lock that somebody has."""
    lock, here = fcntl.flock, threading.current_thread()

    def note_and_lock(handle: int, how: int) -> None:
        if threading.current_thread() is not here:
            meanwhile.waits()
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", note_and_lock)


def test_packages_that_get_another_name_while_theirs_is_removed_stay(
    tmp_path: Path, environments: Environments, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = requirements(wheel(tmp_path))
    added = environments.add("beans", file)
    adds = Meanwhile(lambda: Environments(tmp_path / "environments").add("others", file).digest)
    _when_it_locks(monkeypatch, adds)
    every = environments.all

    def found_before() -> list[Environment]:
        found = every()
        if not any(each.name for each in found):
            adds()
        return found

    monkeypatch.setattr(environments, "all", found_before)
    environments.remove("beans")
    assert adds.result() == added.digest
    assert environments.packages(added.digest) == added.packages


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LeagueError, match=r"cannot unpack a bot to .*/file/cache: Not a directory"):
        BundleCache(tmp_path / "file" / "cache").folder(MADE.digest, lambda: MADE.data)


def wheel(folder: Path, name: str = "tiny", code: str = "WORD = 'bean'\n", version: str = "1.0") -> Path:
    """Make a wheel with one module, in the same bytes each time."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as packed:
        for inside, text in files.items():
            packed.writestr(zipfile.ZipInfo(inside), text)
    return path


def requirements(*wheels: Path, hashed: bool = True) -> Path:
    """Return a file that asks for these wheels."""
    file = wheels[0].parent / "requirements.txt"
    lines = []
    for path in wheels:
        seal = f" --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}" if hashed else ""
        lines.append(f"{path.name.partition('-')[0]} @ {path.as_uri()}{seal}\n")
    file.write_text("".join(lines))
    return file
