from __future__ import annotations

from pathlib import Path

import pytest

from beanleague.league.bots.bundles import read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.errors import LeagueError
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


def test_several_may_unpack_at_once(tmp_path: Path) -> None:
    assert raised_at_once(8, lambda: BundleCache(tmp_path).folder(MADE.digest, lambda: MADE.data)) == []
    assert [path.name for path in tmp_path.iterdir()] == [MADE.digest]


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LeagueError, match=r"cannot unpack a bot to .*/file/cache: Not a directory"):
        BundleCache(tmp_path / "file" / "cache").folder(MADE.digest, lambda: MADE.data)
