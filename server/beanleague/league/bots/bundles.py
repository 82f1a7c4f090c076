"""Bundles: a folder or zip file with bot.toml and code, made canonical and named by a digest.

Two bundles with the same files have the same digest, however and wherever they were packed. The digest is the SHA-256
of a listing: for each file, sorted by name, the line "<SHA-256 of the file> <r or x> <name>", x for programs and r for
other files.
"""

import hashlib
import io
import re
import stat
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from beanleague.files import FileError, first, named
from beanleague.league.bots.causes import check_program
from beanleague.league.bots.entries import File
from beanleague.league.bots.manifest import MANIFEST, parse_manifest
from beanleague.league.bots.reading import MAX_PACKED_BYTES, check_packed, read_folder, read_zip, too_large
from beanleague.league.errors import BundleError, Problem
from beanleague.model import Manifest

_NAME_LINE = re.compile(rb"^name[ \t]*=.*$", re.MULTILINE)
_DATE = (1980, 1, 1, 0, 0, 0)  # earliest date that a zip file can hold


@dataclass(frozen=True, slots=True)
class Bundle:
    """A valid bundle."""

    manifest: Manifest
    """Contents of the bundle's bot.toml."""
    files: Mapping[str, File]
    """Files of the bundle by name."""
    digest: str
    """SHA-256 of the listing of files, in hex."""
    data: bytes
    """Canonical zip file of the bundle."""
    size: int
    """Total size of the files in bytes."""


def pack(path: Path) -> bytes:
    """Return the folder at `path` as a zip file, or the zip file at `path` ("-": standard input).

    Files of a folder that match `BY_DEFAULT` or `leave_out` are left out; the rest of its bot.toml is not checked.

    Raises:
        BundleError: if the path cannot be read, or exceeds a limit.
    """
    if path.is_dir():
        return write_zip(read_folder(path, new=True))
    try:
        data = first(path, MAX_PACKED_BYTES + 1)
    except FileError as error:
        raise BundleError(Problem(named(path), str(error))) from None
    except OSError as error:
        raise BundleError(Problem(str(path), f"cannot be read: {error.strerror}")) from None
    if len(data) > MAX_PACKED_BYTES and path.is_file():  # the end of a device or pipe might never come
        with path.open("rb") as stream:
            raise too_large(stream)
    check_packed(data)
    return data


def read_bundle(data: bytes, wanted: Callable[[], bool] = lambda: True) -> Bundle:
    """Check a zip file with a bundle. `wanted`: see `read_zip`.

    Raises:
        BundleError: if the bundle has problems; it lists all of them.
    """
    files = read_zip(data, new=True, wanted=wanted)
    manifest = parse_manifest(files[MANIFEST].content, files.keys())
    check_program(manifest.command, files)
    canonical = write_zip(files)
    return Bundle(manifest, files, digest(files), canonical, sum(len(file.content) for file in files.values()))


def renamed(data: bytes, name: str) -> bytes:
    """Return a copy of a bundle in which the bot has another name.

    Raises:
        BundleError: if the copy exceeds a limit.
    """
    files = read_zip(data)
    if MANIFEST in files:
        content = _NAME_LINE.sub(f'name = "{name}"'.encode(), files[MANIFEST].content, count=1)
        files[MANIFEST] = replace(files[MANIFEST], content=content)
    return write_zip(files)


def digest(files: Mapping[str, File]) -> str:
    """Return the hexadecimal digest of these files."""
    listing = hashlib.sha256()
    for name in sorted(files):
        content = hashlib.sha256(files[name].content).hexdigest()
        listing.update(f"{content} {'x' if files[name].program else 'r'} {name}\n".encode())
    return listing.hexdigest()


def write_zip(files: Mapping[str, File]) -> bytes:
    """Return a zip of `files` in the order of their names, all with the same date.

    Raises:
        BundleError: if the zip file is too large.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # create_system 3 is Unix, written on every platform
            info.external_attr = (stat.S_IFREG | (0o555 if files[name].program else 0o444)) << 16
            archive.writestr(info, files[name].content)
    data = out.getvalue()
    check_packed(data)
    return data
