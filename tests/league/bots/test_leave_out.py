from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from beanleague.league.bots.bundles import digest, pack, read_bundle
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.entries import ALWAYS, BY_DEFAULT, LeaveOut, read_zip
from beanleague.league.errors import BundleError
from tests.league.bots.test_bundles import CODE, FILES, folder
from tests.league.helpers import TOML, zipped

LEAVINGS = {
    ".venv/bin/python": "x",
    "node_modules/.cache/x": "x",
    "node_modules/long/index.js.map": "x",
    "node_modules/long/index.d.ts.map": "x",
    "lib/__pycache__/trade.pyc": "x",
}


@pytest.mark.parametrize(
    ("pattern", "left_out", "kept"),
    [
        ("test", ["test", "test/x.js", "lib/test/x.js"], ["tests", "lib/test.js"]),
        ("*.md", ["a.md", "lib/b.md", "docs.md/x"], ["a.mdx"]),
        ("build/", ["build", "lib/build/x"], ["rebuild"]),
        ("/build", ["build", "build/x"], ["lib/build"]),
        ("lib/*.js", ["lib/a.js", "lib/a.js/x"], ["a.js", "lib/x/a.js", "x/lib/a.js"]),
        ("node_modules/.cache", ["node_modules/.cache/x"], ["node_modules/x"]),
        ("*", ["a", "lib/b"], ["bot.toml"]),
    ],
)
def test_a_pattern_is_for_names_anywhere_or_for_a_place(pattern: str, left_out: list[str], kept: list[str]) -> None:
    leaves_out = LeaveOut([pattern])
    assert [name for name in (*left_out, *kept) if leaves_out(name)] == left_out


def test_what_tools_leave_behind_is_in_no_bundle(tmp_path: Path) -> None:
    assert read_bundle(pack(folder(tmp_path, {**FILES, **LEAVINGS}))) == read_bundle(zipped(FILES))
    assert read_bundle(zipped({**FILES, **LEAVINGS})) == read_bundle(zipped(FILES))


def test_a_manifest_names_what_else_is_left_out(tmp_path: Path) -> None:
    manifest = TOML.format(name="ann") + 'leave_out = ["notes", "*.ts"]\n'
    files = {"bot.toml": manifest, "bot.py": CODE}
    more = {"notes/plan.txt": "x", "lib/types.ts": "x", "node_modules/x/types.d.ts": "x"}
    assert read_bundle(pack(folder(tmp_path, {**files, **more}))) == read_bundle(zipped(files))
    assert read_bundle(zipped({**files, **more})) == read_bundle(zipped(files))


def test_what_is_left_out_counts_for_no_limit(tmp_path: Path) -> None:
    """A virtual environment with more than a bundle may have, and names that no bundle may have."""
    folder(tmp_path)
    large = tmp_path / ".venv" / "large"
    large.parent.mkdir()
    with large.open("wb") as file:
        file.truncate(2**30)
    (tmp_path / ".venv" / "python").symlink_to("/usr/bin/python3")
    assert read_bundle(pack(tmp_path)) == read_bundle(zipped(FILES))


def test_a_command_that_needs_what_is_left_out_is_refused() -> None:
    files = {**FILES, "bot.toml": TOML.format(name="ann") + 'leave_out = ["*.py"]\n'}
    with pytest.raises(BundleError, match=r"^bot.toml: command: there is no file 'bot.py' in the bundle$"):
        read_bundle(zipped(files))


def test_a_stored_bundle_is_read_with_all_its_files(tmp_path: Path) -> None:
    """One of a time when less was left out keeps its digest, in the database and unpacked."""
    old = {name: text for name, text in {**FILES, **LEAVINGS}.items() if not LeaveOut(ALWAYS)(name)}
    assert any(LeaveOut(BY_DEFAULT)(name) for name in old)
    data = zipped(old)
    name = digest(read_zip(data))
    cached = BundleCache(tmp_path).folder(name, lambda: data)
    assert {file.relative_to(cached).as_posix() for file in cached.rglob("*") if file.is_file()} == old.keys()


def test_a_manifest_that_cannot_be_read_is_reported() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bot.toml", "leave_out = [")
    with pytest.raises(BundleError, match=r"bot.toml: is not valid TOML"):
        read_bundle(out.getvalue())
