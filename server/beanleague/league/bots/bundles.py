"""Bundles: a folder or zip file with bot.toml and code, made canonical and named by a digest.

Two bundles with the same files have the same digest, however and wherever they were packed. The digest is the SHA-256
of a listing: for each file, by name, the line "<SHA-256 of the file> <r or x> <name>", x for programs, r for the rest.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from beanleague.league.bots.manifest import MANIFEST, parse_manifest
from beanleague.league.errors import BundleError, Problem
from beanleague.model import Manifest

MAX_PACKED_BYTES = 5 * 2**20  # bytes
MAX_UNPACKED_BYTES = 50 * 2**20  # bytes of all files together
MAX_FILES = 500
MAX_FOLDERS = 500

_MAX_ENTRIES = 20_000  # of a zip file, those that are left out included
_MAX_NAME_BYTES = 200  # bytes of UTF-8
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can hold
_SKIPPED = frozenset({"__pycache__", ".git", "__MACOSX"})
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


@dataclass(frozen=True, slots=True)
class File:
    """A file of a bundle."""

    content: bytes
    """Its bytes."""
    program: bool
    """Whether it is executable."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was checked."""

    manifest: Manifest
    """The contents of bot.toml."""
    files: Mapping[str, File]
    """Its files by name."""
    digest: str
    """SHA-256 of the listing of its files, in hex."""
    data: bytes
    """Its canonical zip file."""
    size: int
    """Bytes of all files together."""


def pack(path: Path) -> bytes:
    """Return the folder at `path` as a zip file, or the zip file at `path`. Its bot.toml is not checked.

    Raises:
        BundleError: if it cannot be read, or breaks a limit.
    """
    if path.is_dir():
        return write_zip(read_folder(path))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_PACKED_BYTES + 1)
    except OSError as error:
        raise BundleError(Problem(str(path), f"cannot be read: {error.strerror}")) from None
    _check_packed(data)
    return data


def read_bundle(data: bytes) -> Bundle:
    """Check a zip file with a bundle.

    Raises:
        BundleError: with all that is wrong with it.
    """
    files = read_zip(data)
    if MANIFEST not in files:
        deeper = sorted(name for name in files if name.endswith(f"/{MANIFEST}"))
        hint = f"; it is in {deeper[0].rpartition('/')[0]!r}: pack what is in that folder" if deeper else ""
        raise BundleError(Problem(MANIFEST, f"is missing{hint}"))
    manifest = parse_manifest(files[MANIFEST].content, files.keys())
    canonical = write_zip(files)
    return Bundle(manifest, files, digest(files), canonical, sum(len(file.content) for file in files.values()))


def digest(files: Mapping[str, File]) -> str:
    """Return the digest of these files, hex."""
    listing = hashlib.sha256()
    for name in sorted(files):
        content = hashlib.sha256(files[name].content).hexdigest()
        listing.update(f"{content} {'x' if files[name].program else 'r'} {name}\n".encode())
    return listing.hexdigest()


def write_zip(files: Mapping[str, File]) -> bytes:
    """Return a zip of `files` in the order of their names, all with the same date.

    Raises:
        BundleError: if it is too large.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, wherever this runs
            info.external_attr = (stat.S_IFREG | (0o555 if files[name].program else 0o444)) << 16
            archive.writestr(info, files[name].content)
    data = out.getvalue()
    _check_packed(data)
    return data


def read_zip(data: bytes) -> dict[str, File]:
    """Return the files of a zip file, looking at every name and size before and while unpacking.

    Raises:
        BundleError: if it is no zip file, is damaged, breaks a limit, or holds something that may not be in a bundle.
    """
    _check_packed(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > _MAX_ENTRIES:
                raise BundleError(Problem("", f"the zip file has {len(entries)} entries; {_MAX_ENTRIES} are allowed"))
            infos = [info for info in entries if not _skipped(info.filename)]
            _check_infos(infos)
            files: dict[str, File] = {}
            left = MAX_UNPACKED_BYTES
            for info in infos:
                if info.is_dir():
                    continue
                with archive.open(info) as stream:
                    content = stream.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise _too_large(info.filename)
                files[info.filename] = File(content, bool(info.external_attr >> 16 & 0o111))
            return files
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError, OSError, ValueError) as error:
        raise BundleError(Problem("", f"not a zip file that can be read: {error}")) from None


def read_folder(folder: Path) -> dict[str, File]:
    """Return the files in a folder and its folders.

    Raises:
        BundleError: if it cannot be read, breaks a limit, or holds something that may not be in a bundle.
    """
    files: dict[str, File] = {}
    left = MAX_UNPACKED_BYTES
    folder_count = 0

    def failed(error: OSError) -> None:
        raise BundleError(Problem(str(error.filename), f"cannot be read: {error.strerror}"))

    for root, folders, names in os.walk(folder, onerror=failed):
        folders[:] = sorted(name for name in folders if not _skipped(name))
        for entry in (*folders, *sorted(names)):
            path = Path(root, entry)
            name = path.relative_to(folder).as_posix()
            if _skipped(name):
                continue
            _check_name(name)
            try:
                mode = path.lstat().st_mode
                _check_mode(name, mode)
                if stat.S_ISDIR(mode):
                    folder_count += 1
                    if folder_count > MAX_FOLDERS:
                        raise _too_many_folders(name)
                    continue
                with path.open("rb") as stream:
                    content = stream.read(left + 1)
            except OSError as error:
                failed(error)
                raise
            left -= len(content)
            if left < 0:
                raise _too_large(name)
            if len(files) == MAX_FILES:
                raise BundleError(Problem(name, f"is one file too many; {MAX_FILES} are allowed"))
            files[name] = File(content, bool(mode & 0o111))
    _check_collisions(files)
    return files


def _skipped(name: str) -> bool:
    """Whether a file is left out of bundles: what Python, Git and archivers leave behind."""
    return name.endswith(".pyc") or not _SKIPPED.isdisjoint(name.split("/"))


def _check_packed(data: bytes) -> None:
    if len(data) > MAX_PACKED_BYTES:
        raise BundleError(Problem("", f"the packed bundle is larger than the limit of {MAX_PACKED_BYTES // 2**20} MiB"))


def _too_large(name: str) -> BundleError:
    return BundleError(
        Problem(name, f"with this file the bundle exceeds the limit of {MAX_UNPACKED_BYTES // 2**20} MiB unpacked")
    )


def _too_many_folders(name: str) -> BundleError:
    return BundleError(Problem(f"{name!r:.100}", f"is one folder too many; {MAX_FOLDERS} are allowed"))


def _check_infos(infos: list[zipfile.ZipInfo]) -> None:
    """Check all that the directory of a zip file says, before anything is unpacked."""
    size = 0
    folders = [info.filename for info in infos if info.is_dir()]
    if len(folders) > MAX_FOLDERS:
        raise _too_many_folders(folders[MAX_FOLDERS])
    for info in infos:
        if "\0" in info.orig_filename:
            raise BundleError(Problem(f"{info.orig_filename!r:.100}", "has a NUL in its name"))
        _check_name(info.filename.removesuffix("/"))
        _check_mode(info.filename, info.external_attr >> 16)
        if info.flag_bits & 1:
            raise BundleError(Problem(info.filename, "is encrypted"))
        if info.compress_type not in _METHODS:
            raise BundleError(Problem(info.filename, "is packed in an unusual way; use plain zip (stored or deflated)"))
        size += info.file_size
        if size > MAX_UNPACKED_BYTES:
            raise _too_large(info.filename)
    names = [info.filename for info in infos if not info.is_dir()]
    if len(names) > MAX_FILES:
        raise BundleError(Problem(names[MAX_FILES], f"is one file too many; {MAX_FILES} are allowed"))
    _check_collisions(names)


def _check_name(name: str) -> None:
    """Refuse names that are not plain relative paths."""
    if not name.isprintable():  # surrogates, which stand for undecodable bytes, are not printable either
        raise BundleError(Problem(f"{name!r:.100}", "has characters in its name that cannot be printed"))
    if len(name.encode()) > _MAX_NAME_BYTES:
        raise BundleError(Problem(f"{name:.100}...", f"has a name of more than {_MAX_NAME_BYTES} bytes"))
    if "\\" in name:
        raise BundleError(Problem(name, "has a backslash in its name"))
    if name.startswith("/") or re.match("[A-Za-z]:", name):
        raise BundleError(Problem(name, "is an absolute path"))
    parts = name.split("/")
    if ".." in parts:
        raise BundleError(Problem(name, "leads out of the bundle"))
    if "" in parts or "." in parts:
        raise BundleError(Problem(f"{name!r}", "is not a plain name of a file"))


def _check_mode(name: str, mode: int) -> None:
    """Refuse links and devices."""
    if stat.S_ISLNK(mode):
        raise BundleError(Problem(name, "is a link; a bundle has files and folders only"))
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise BundleError(Problem(name, "is a device, pipe or socket; a bundle has files and folders only"))


def _check_collisions(names: Iterable[str]) -> None:
    """Refuse names that are the same on some file system, and files that would also have to be folders."""
    files: dict[str, str] = {}
    for name in names:
        folded = _folded(name)
        if folded in files:
            other = files[folded]
            why = "occurs twice" if other == name else f"differs from {other} in upper and lower case only"
            raise BundleError(Problem(name, why))
        files[folded] = name
    for name in files.values():
        parts = name.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if _folded(folder) in files:
                raise BundleError(Problem(folder, f"is a file, but {name} needs a folder of this name"))


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
