"""Files as people have them: at a path, in a pipe or on standard input, packed by gzip or not, with or without a mark.

The byte order mark is meant, with which some editors begin a file.
"""

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STANDARD = "-"
"""Stands for standard input, and for standard output where something is written."""

_GZIP = b"\x1f\x8b"
_UTF_8 = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class FileError(Exception):
    """Raised when the contents of a file cannot be used; the message goes on after its name."""


def is_there(source: str | Path) -> bool:
    """Return whether something can be read: standard input, or what is at a path and no folder, e.g. a pipe."""
    return str(source) == STANDARD or (Path(source).exists() and not Path(source).is_dir())


def named(source: str | Path) -> str:
    """Return what to call a source in a sentence."""
    return "standard input" if str(source) == STANDARD else str(source)


@contextmanager
def opened(source: str | Path) -> Iterator[io.BufferedIOBase]:
    """Open a file, or standard input for "-"; what is packed by gzip is unpacked as it is read, so read within bounds.

    Raises:
        OSError: it cannot be read.
        FileError: what it has is damaged.
    """
    with _standard_input() if str(source) == STANDARD else Path(source).open("rb") as stream:
        packed = stream.peek(len(_GZIP)).startswith(_GZIP)
        try:
            yield gzip.GzipFile(fileobj=stream) if packed else stream
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileError(f"is damaged: {error}") from None


def read(source: str | Path, most: int) -> bytes:
    """Return the bytes of a text file without its byte order mark.

    Raises:
        OSError: it cannot be read.
        FileError: it has more than `most` bytes, unpacked if it is packed, is damaged, or UTF-16.
    """
    with opened(source) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileError(f"is too large (maximum {most:,} bytes)")
    return without_mark(data)


def without_mark(data: bytes) -> bytes:
    """Return the beginning of a text file, or all of it, without its byte order mark.

    Raises:
        FileError: the mark is that of UTF-16.
    """
    if data.startswith(_UTF_16):
        raise FileError("is text in UTF-16; save it as UTF-8")
    return data.removeprefix(_UTF_8)


@contextmanager
def _standard_input() -> Iterator["io.BufferedReader[Any]"]:
    """Give standard input, which stays open."""
    stdin = sys.stdin.buffer
    if isinstance(stdin, io.BufferedReader):
        yield stdin
        return
    reader = io.BufferedReader(stdin)  # type: ignore[type-var]  # bytes in memory stand for it in tests
    yield reader
    reader.detach()
