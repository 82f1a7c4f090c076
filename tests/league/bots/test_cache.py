from dataclasses import replace
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError, Environments
from beanleague.league.errors import LeagueError
from beanleague.model import BotVersion
from tests.league.helpers import bundle
from tests.together import raised_at_once

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
    assert not any(path.stat().st_mode & 0o222 for path in (folder, *folder.iterdir()))
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
    with pytest.raises(LeagueError, match=r"ann@1 is damaged: it is not started as its bot.toml says"):
        cache.bot(0, other, lambda _: MADE.data)
    with pytest.raises(EnvironmentMissingError, match="is not the digest of an environment"):
        cache.bot(0, replace(version, packages="../../packages"), lambda _: MADE.data)


def test_several_may_unpack_at_once(tmp_path: Path) -> None:
    assert raised_at_once(8, lambda: BundleCache(tmp_path).folder(MADE.digest, lambda: MADE.data)) == []
    assert [path.name for path in tmp_path.iterdir()] == [MADE.digest]


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LeagueError, match=r"cannot unpack a bot to .*/file/cache: Not a directory"):
        BundleCache(tmp_path / "file" / "cache").folder(MADE.digest, lambda: MADE.data)
