"""Reading of files, pipes and standard input, with or without gzip and byte order mark; atomic writing.

Some editors begin text files with a byte order mark.
"""

import errno
import gzip
import io
import os
import secrets
import stat
import sys
import threading
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

STANDARD = "-"
"""Name of standard input, and of standard output for writing."""

MAX_PEM_BYTES = 2**20
"""Maximum size of a file of certificates or keys; a system's full list of authorities is a quarter of this."""

NO_WRITER_S = 10.0
"""Seconds to wait for the first writer to open a named pipe."""

_LARGEST = 3  # number of files of a zip file that a message names
_RETRY_S = 0.01  # interval of attempts to end the wait for a pipe
# errors of file systems without hard links
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
GZIP = b"\x1f\x8b"
"""First bytes of a gzip file."""

_UTF_8 = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class FileError(Exception):
    """Raised when file contents cannot be used; the message continues a sentence that begins with the file's name."""


def is_there(source: str | Path) -> bool:
    """Return whether a source can be read: standard input, or an existing path other than a folder, e.g. a pipe."""
    return str(source) == STANDARD or (Path(source).exists() and not Path(source).is_dir())


def named(source: str | Path) -> str:
    """Return the name of a source, for messages."""
    return "standard input" if str(source) == STANDARD else str(source)


@contextmanager
def opened(source: str | Path) -> Iterator[io.BufferedIOBase]:
    """Open a file, or standard input for "-"; gzip is decompressed while reading, so limit the bytes read.

    Raises:
        OSError: the file cannot be read.
        FileError: the contents are damaged, or nobody writes to the pipe.
    """
    with _standard_input() if str(source) == STANDARD else _open_path(Path(source)) as stream:
        packed = stream.peek(len(GZIP)).startswith(GZIP)
        try:
            yield gzip.GzipFile(fileobj=stream) if packed else stream
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileError(f"is damaged: {error}") from None


def _open_path(path: Path) -> io.BufferedReader:
    """Open a file for reading; wait a limited time for the first writer of a pipe.

    Raises:
        OSError: the file cannot be opened.
        FileError: nobody writes to the pipe.
    """
    if not path.is_fifo():
        return path.open("rb")
    missed, done = threading.Event(), threading.Event()

    def let_go() -> None:
        """End the wait for a writer by opening the pipe for writing, which fails until the reader waits."""
        missed.set()
        while not done.is_set():
            with suppress(OSError):
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                return
            done.wait(_RETRY_S)

    timer = threading.Timer(NO_WRITER_S, let_go)
    timer.daemon = True
    timer.start()
    try:
        stream = path.open("rb")
    finally:
        done.set()
        timer.cancel()
    if missed.is_set():
        stream.close()
        raise FileError(f"is a pipe that nothing writes to; waited for {NO_WRITER_S:.0f} s")
    return stream


def read(source: str | Path, most: int) -> bytes:
    """Return the bytes of a text file without its byte order mark.

    Raises:
        OSError: the file cannot be read.
        FileError: the contents exceed `most` bytes (after unpacking), are damaged, packed twice, or in UTF-16.
    """
    with opened(source) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileError(f"is too large (maximum {most:,} bytes)")
    if data.startswith(GZIP):
        raise FileError("is compressed with gzip twice; run gunzip once")
    return without_mark(data)


def first(source: str | Path, most: int) -> bytes:
    """Return at most `most` bytes from the start of a file or of standard input, unchanged.

    Raises:
        OSError: the file cannot be read.
        FileError: nobody writes to the pipe.
    """
    with _standard_input() if str(source) == STANDARD else _open_path(Path(source)) as stream:
        return stream.read(most)


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which then replaces `file`, or its target if `file` is a link.

    The permissions of a replaced file are kept. Pipes and devices are yielded unchanged: a replacement would have no
    reader.

    Raises:
        OSError: the file cannot be replaced; it is left unchanged.
    """
    if is_stream(file):
        yield file
        return
    target = Path(os.path.realpath(file))
    part = _beside(target)
    try:
        yield part
        with suppress(FileNotFoundError):
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write(file: Path, text: str) -> None:
    """Write a text in UTF-8 to a file, atomically.

    Raises:
        OSError: the file cannot be written; an old one is unchanged.
    """
    with replacing(file) as part:
        part.write_text(text, "utf-8")


def _exists(file: Path) -> FileExistsError:
    """Return the error for an existing file, with the name of the file instead of the temporary file's."""
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))


def write_new(file: Path, text: str, mode: int = 0o666) -> None:
    """Write a text in UTF-8 to a new file, atomically. `mode`: its permissions before the umask.

    Raises:
        FileExistsError: the file exists.
        OSError: the file cannot be written.
    """
    part = _beside(file)
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "w", encoding="utf-8") as stream:
            stream.write(text)
        try:
            os.link(part, file, follow_symlinks=False)
        except FileExistsError as error:
            raise _exists(file) from error
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if file.exists():
                raise _exists(file) from None
            part.rename(file)
    finally:
        part.unlink(missing_ok=True)


def _beside(file: Path) -> Path:
    """Return an unguessable path in the folder of a file, where nobody can have placed a link."""
    return file.with_name(f".{secrets.token_hex(8)}.part")


def check_place(file: Path) -> None:
    """Check in advance, as far as possible, that a file can be written.

    Raises:
        OSError: the folder does not exist, the path is a folder, or file or folder are read-only.
    """
    if str(file) == STANDARD:
        return
    if file.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    folder = Path(os.path.realpath(file)).parent
    folder.stat()
    if not os.access(file if is_stream(file) else folder, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))


def is_stream(file: Path) -> bool:
    """Return whether `file`, or the target if it is a link, is a pipe or device, e.g. /dev/stdout."""
    return file.is_fifo() or file.is_char_device()


def largest_in_zip(stream: IO[bytes]) -> str:
    """Return the largest files of a zip file and the remedy, as part of a sentence; "" if it cannot be read.

    `stream`: the zip file, or its end with the whole directory.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            sizes = Counter({info.filename: info.compress_size for info in archive.infolist()})
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ""
    if not sizes:
        return ""
    shown = ", ".join(f"{name!r:.100} with {_mib(size)}" for name, size in sizes.most_common(_LARGEST))
    top = Counter[str]()
    for name, size in sizes.items():
        top[name.partition("/")[0]] += size
    ((folder, most),) = top.most_common(1)
    rest = "" if folder in sizes or len(top) == 1 else f", and {folder!r:.100} takes {_mib(most)} in all"
    remedy = "pack the bot without what it does not need, which leave_out in bot.toml does for a folder"
    return f"its largest files are {shown}{rest}: {remedy}"


def _mib(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def without_mark(data: bytes) -> bytes:
    """Return text data without leading byte order marks; programs may have added several.

    Raises:
        FileError: the data are UTF-16, by their mark or by a NUL next to the first letter.
    """
    if data.startswith(_UTF_16) or 0 in data[:2]:
        raise FileError("is UTF-16 text; save it as UTF-8")
    while data.startswith(_UTF_8):
        data = data.removeprefix(_UTF_8)
    return data


@contextmanager
def _standard_input() -> Iterator["io.BufferedReader[Any]"]:
    """Yield standard input, without closing it afterwards."""
    stdin = sys.stdin.buffer
    if isinstance(stdin, io.BufferedReader):
        yield stdin
        return
    reader = io.BufferedReader(stdin)  # type: ignore[type-var]  # tests use bytes in memory
    yield reader
    reader.detach()
