"""Files as people have them, read within bounds, and written as a whole or not at all."""

import gzip
import io
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from beanleague import files
from beanleague.files import FileError, is_there, opened, read
from tests.waiting import join

TEXT = b'{"beans": 3}\n'
MOST = 1000


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # the same in each process of the tests, which name them by their data


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("data", [TEXT, MARK + TEXT, MARK * 2 + TEXT, packed(TEXT), packed(MARK + TEXT)])
def test_a_file_is_read_packed_or_not_and_without_its_mark(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    assert read(file, MOST) == TEXT


@pytest.mark.parametrize("data", [TEXT, packed(TEXT)])
def test_a_pipe_is_read_like_a_file(file: Path, data: bytes) -> None:
    os.mkfifo(file)
    assert is_there(file)
    writer = threading.Thread(target=file.write_bytes, args=(data,), daemon=True)
    writer.start()
    assert read(file, MOST) == TEXT
    join(writer)


@pytest.mark.parametrize("data", [TEXT, packed(TEXT)])
def test_a_hyphen_is_standard_input_which_stays_open(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    with monkeypatch.context() as patch:
        stdin = io.TextIOWrapper(io.BytesIO(data))
        patch.setattr(sys, "stdin", stdin)
        assert read("-", MOST) == TEXT
        assert not stdin.buffer.closed


@pytest.mark.parametrize("data", [bytes(MOST + 1), packed(bytes(50 * 2**20))])
def test_a_file_that_is_too_large_is_read_no_further_than_its_bound(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    with pytest.raises(FileError, match=r"is too large \(maximum 1,000 bytes\)"):
        read(file, MOST)


def test_a_device_without_an_end_is_read_no_further_than_its_bound() -> None:
    with pytest.raises(FileError, match=r"is too large \(maximum 1,000 bytes\)"):
        read("/dev/zero", MOST)


@pytest.mark.parametrize("damage", [packed(TEXT)[:-6], packed(TEXT)[:12] + b"xx", b"\x1f\x8bnonsense"])
def test_damaged_gzip_is_told(file: Path, damage: bytes) -> None:
    file.write_bytes(damage)
    with pytest.raises(FileError, match="is damaged"):
        read(file, MOST)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_told_with_the_cure(file: Path, encoding: str) -> None:
    file.write_bytes(TEXT.decode().encode(encoding))
    with pytest.raises(FileError, match="is UTF-16 text; save it as UTF-8"):
        read(file, MOST)


def test_lines_of_a_packed_file_are_read_one_by_one(file: Path) -> None:
    file.write_bytes(packed(TEXT * 3))
    with opened(file) as lines:
        assert list(lines) == [TEXT] * 3


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert not is_there(tmp_path)
    assert not is_there(tmp_path / "none")
    with pytest.raises(OSError, match="Is a directory"):
        read(tmp_path, MOST)


def test_gzip_in_gzip_is_told_with_the_cure(file: Path) -> None:
    file.write_bytes(packed(packed(TEXT)))
    with pytest.raises(FileError, match="is compressed with gzip twice; run gunzip once"):
        read(file, MOST)


def test_a_device_without_end_is_read_no_further_than_its_bound() -> None:
    with pytest.raises(FileError, match="is too large"):
        read("/dev/zero", MOST)


def test_a_pipe_that_nobody_opens_to_write_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "NO_WRITER_S", 0.05)
    os.mkfifo(file)
    with pytest.raises(FileError, match="is a pipe that nothing writes to"):
        read(file, MOST)


def test_a_writer_of_a_pipe_may_take_its_time_once_it_has_opened_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for the first byte waits as long as it takes."""
    monkeypatch.setattr(files, "NO_WRITER_S", 0.05)
    os.mkfifo(file)
    answer: list[bytes] = []
    reader = threading.Thread(target=lambda: answer.append(read(file, MOST)), daemon=True)
    with file.open("r+b", buffering=0) as held:  # opens a pipe without waiting for a reader
        reader.start()
        writer = file.open("wb")
        held.close()
        reader.join(0.2)
        assert not answer
        with writer:
            writer.write(TEXT)
    join(reader)
    assert answer == [TEXT]


@contextmanager
def full_disk(free: int) -> Iterator[None]:
    """Let no file grow beyond this size, as on a disk with as much room."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("write", [files.write, files.write_new])
def test_nothing_is_left_of_a_file_for_which_there_is_no_room(file: Path, write: Callable[[Path, str], None]) -> None:
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        write(file, "beans" * 1000)
    assert list(file.parent.iterdir()) == []


def test_a_file_is_as_it_was_where_there_is_no_room_for_a_new_one(file: Path) -> None:
    file.write_bytes(TEXT)
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        files.write(file, "beans" * 1000)
    assert file.read_bytes() == TEXT
    assert list(file.parent.iterdir()) == [file]


def test_a_device_that_is_full_stays_what_it_is() -> None:
    with pytest.raises(OSError, match="No space left on device"):
        files.write(Path("/dev/full"), "beans")
    assert Path("/dev/full").is_char_device()


def test_a_file_keeps_its_permissions_when_it_is_replaced(file: Path) -> None:
    file.write_bytes(TEXT)
    file.chmod(0o640)
    files.write(file, "beans")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("beans", 0o640)


def test_a_new_file_replaces_no_other_nor_what_a_link_stands_for(file: Path) -> None:
    file.write_bytes(TEXT)
    link = file.with_name("link")
    link.symlink_to("nothing")
    for taken in (file, link):
        with pytest.raises(FileExistsError):
            files.write_new(taken, "beans")
    assert file.read_bytes() == TEXT
    assert {path.name for path in file.parent.iterdir()} == {"file", "link"}


def test_a_note_with_a_secret_is_never_readable_by_others(file: Path) -> None:
    files.write_new(file, "beans", 0o600)
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("place", "why"),
    [("none/file", "No such file"), ("", "Is a directory"), ("file", ""), ("-", ""), ("/dev/null", "")],
)
def test_whether_a_file_can_be_written_is_known_before(tmp_path: Path, place: str, why: str) -> None:
    target = Path(place) if place in {"-", "/dev/null"} else tmp_path / place
    with pytest.raises(OSError, match=why) if why else nullcontext():
        files.check_place(target)
    assert list(tmp_path.iterdir()) == []
