"""Reading what people have: pipes, standard input, gzip within bounds, byte order marks."""

import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

from beanleague.files import FileError, is_there, opened, read

TEXT = b'{"beans": 3}\n'
MOST = 1000


def packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # the same in each process of the tests, which name them by their data


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


@pytest.mark.parametrize("data", [TEXT, b"\xef\xbb\xbf" + TEXT, packed(TEXT), packed(b"\xef\xbb\xbf" + TEXT)])
def test_a_file_is_read_packed_or_not_and_without_its_mark(file: Path, data: bytes) -> None:
    file.write_bytes(data)
    assert read(file, MOST) == TEXT


@pytest.mark.parametrize("data", [TEXT, packed(TEXT)])
def test_a_pipe_is_read_like_a_file(file: Path, data: bytes) -> None:
    os.mkfifo(file)
    assert is_there(file)
    writer = threading.Thread(target=file.write_bytes, args=(data,))
    writer.start()
    assert read(file, MOST) == TEXT
    writer.join()


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


def test_utf_16_is_told_with_the_cure(file: Path) -> None:
    file.write_bytes(TEXT.decode().encode("utf-16"))
    with pytest.raises(FileError, match="is text in UTF-16; save it as UTF-8"):
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
