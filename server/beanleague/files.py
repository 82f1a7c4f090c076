"""Reading of files at a path, in a pipe or on standard input, with or without gzip and byte order mark.

Some editors begin text files with a byte order mark.
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
"""Name of standard input, and of standard output for writing."""

_GZIP = b"\x1f\x8b"
_UTF_8 = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class FileError(Exception):
    """Raised when the contents of a file cannot be used; the message continues a sentence that begins with its name."""


def is_there(source: str | Path) -> bool:
    """Return whether a source is readable: standard input, or an existing path that is not a folder, e.g. a pipe."""
    return str(source) == STANDARD or (Path(source).exists() and not Path(source).is_dir())


def named(source: str | Path) -> str:
    """Return the name of a source for messages."""
    return "standard input" if str(source) == STANDARD else str(source)


@contextmanager
def opened(source: str | Path) -> Iterator[io.BufferedIOBase]:
    """Open a file, or standard input for "-"; gzip is decompressed while reading, so limit the bytes read.

    Raises:
        OSError: it cannot be read.
        FileError: its contents are damaged.
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
        FileError: it has more than `most` bytes after decompression, is damaged, or is UTF-16.
    """
    with opened(source) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileError(f"is too large (maximum {most:,} bytes)")
    return without_mark(data)


def without_mark(data: bytes) -> bytes:
    """Return the beginning of a text file, or all of it, without its byte order mark.

    Raises:
        FileError: it is UTF-16.
    """
    if data.startswith(_UTF_16):
        raise FileError("is text in UTF-16; save it as UTF-8")
    return data.removeprefix(_UTF_8)


@contextmanager
def _standard_input() -> Iterator["io.BufferedReader[Any]"]:
    """Yield standard input, which stays open."""
    stdin = sys.stdin.buffer
    if isinstance(stdin, io.BufferedReader):
        yield stdin
        return
    reader = io.BufferedReader(stdin)  # type: ignore[type-var]  # tests use bytes in memory
    yield reader
    reader.detach()
