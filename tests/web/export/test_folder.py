"""A folder whose files are whole at every moment."""

from __future__ import annotations

from pathlib import Path

from beanleague.web.export.folder import SiteFolder


def test_a_file_that_is_as_it_should_be_is_not_written(tmp_path: Path) -> None:
    folder = SiteFolder(tmp_path)
    folder.write("a/b.html", b"one")
    before = (tmp_path / "a/b.html").stat().st_mtime_ns
    folder.write("a/b.html", b"one")
    assert (folder.written, folder.bytes) == (1, 3)
    assert (tmp_path / "a/b.html").stat().st_mtime_ns == before
    folder.write("a/b.html", b"other")
    assert (tmp_path / "a/b.html").read_bytes() == b"other"
    assert (folder.written, folder.bytes) == (2, 8)


def test_what_a_killed_run_was_writing_goes(tmp_path: Path) -> None:
    (tmp_path / ".part").write_bytes(b"ha")
    folder = SiteFolder(tmp_path)
    with folder.locked() as alone:
        assert alone
        assert list(tmp_path.iterdir()) == []


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    with SiteFolder(tmp_path / "new").locked() as first, SiteFolder(tmp_path / "new").locked() as second:
        assert (first, second) == (True, False)
    with SiteFolder(tmp_path / "new").locked() as third:
        assert third


def test_the_files_of_a_folder_can_be_listed_and_removed(tmp_path: Path) -> None:
    folder = SiteFolder(tmp_path)
    assert folder.names("a") == frozenset()
    folder.write_new("a/1", b"")
    folder.write_new("a/2", b"")
    assert folder.names("a") == {"1", "2"}
    folder.remove("a")
    assert folder.names("a") == frozenset()
