"""Reading what is in a folder or a zip file: the files of a bundle, within limits and with links followed."""

from __future__ import annotations

import io
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path

from beanleague.league.bots.links import Link, follow
from beanleague.league.bots.manifest import MANIFEST, MAX_BYTES, patterns_of
from beanleague.league.errors import BundleError, Problem

ALWAYS = ("__pycache__", "*.pyc", ".git", "__MACOSX")
"""What Python, Git and archivers leave behind: no bundle has it, and it may come to be in the folder of one."""

BY_DEFAULT = (*ALWAYS, ".venv", "node_modules/.cache", "*.js.map", "*.mjs.map", "*.cjs.map", "*.ts.map")
"""What is left out when a bot is packed or submitted. What is stored is not looked at again: this list may grow."""

MAX_PACKED_BYTES = 5 * 2**20
"""The largest zip file."""
MAX_UNPACKED_BYTES = 64 * 2**20
"""Of all files and folders together, each rounded up to whole blocks, as on a disk."""
BLOCK_BYTES = 4096
"""A folder and an empty file take one of these."""

_MAX_NAME_BYTES = 200  # bytes of UTF-8
_MAX_ENTRIES = 20_000  # of a zip file, those that are left out included
_MAX_LINK_BYTES = 1000
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class LeaveOut:
    """Tells which names are left out.

    A pattern without "/" matches files and folders of that name anywhere, one with "/" those at that place of the
    bundle; `*`, `?` and `[...]` stand for characters of one name. What is in a folder that is left out is left out too.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        stripped = [pattern.rstrip("/") for pattern in patterns]
        names = [translate(pattern) for pattern in stripped if "/" not in pattern]
        self._names = re.compile("|".join(names) or "(?!)")
        self._places = [
            [re.compile(translate(part)) for part in pattern.lstrip("/").split("/")]
            for pattern in stripped
            if "/" in pattern
        ]

    def __call__(self, name: str) -> bool:
        """Return whether the file or folder `name` of the bundle is left out. Its bot.toml never is."""
        if name == "bot.toml":
            return False
        parts = name.split("/")
        return any(map(self._names.match, parts)) or any(
            len(place) <= len(parts) and all(word.match(part) for word, part in zip(place, parts, strict=False))
            for place in self._places
        )


def check_name(name: str) -> None:
    """Refuse names that are not plain relative paths.

    Raises:
        BundleError: for such a name.
    """
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


def check_mode(name: str, mode: int) -> None:
    """Refuse devices.

    Raises:
        BundleError: for one.
    """
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}:
        raise BundleError(Problem(name, "is a device, pipe or socket; a bundle has files and folders only"))


def check_collisions(names: Iterable[str]) -> None:
    """Refuse names that are the same on some file system, and files that would also have to be folders.

    Raises:
        BundleError: for the first of them.
    """
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


@dataclass(frozen=True, slots=True)
class File:
    """A file of a bundle."""

    content: bytes
    """Its bytes."""
    program: bool
    """Whether it is executable."""


class _Space:
    """What is left of the space that a bundle may take."""

    def __init__(self) -> None:
        self.left = MAX_UNPACKED_BYTES

    def take(self, name: str, size: int = 0) -> None:
        """Take the space of one file or folder.

        Raises:
            BundleError: if there is not as much.
        """
        self.left -= max(-(-size // BLOCK_BYTES), 1) * BLOCK_BYTES
        if self.left < 0:
            limit = f"{MAX_UNPACKED_BYTES // 2**20} MiB unpacked"
            raise BundleError(
                Problem(
                    f"{name:.100}",
                    f"with this the bundle exceeds the limit of {limit}, in which each file and folder takes at least "
                    f"4 KiB; name in leave_out of {MANIFEST} what it does not need",
                )
            )


def check_packed(data: bytes) -> None:
    """Check the size of a zip file.

    Raises:
        BundleError: if it is too large.
    """
    if len(data) > MAX_PACKED_BYTES:
        raise BundleError(Problem("", f"the packed bundle is larger than the limit of {MAX_PACKED_BYTES // 2**20} MiB"))


def read_zip(data: bytes, *, new: bool = False) -> dict[str, File]:
    """Return the files of a zip file, looking at every name and size before and while unpacking.

    Args:
        data: the zip file.
        new: comes from an author: leave out what is left out by default or by its bot.toml.

    Raises:
        BundleError: if it is no zip file, is damaged, breaks a limit, or holds something that may not be in a bundle.
    """
    check_packed(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > _MAX_ENTRIES:
                raise BundleError(Problem("", f"the zip file has {len(entries)} entries; {_MAX_ENTRIES} are allowed"))
            left_out = _left_out(_manifest_in(archive) if new else b"", new=new)
            infos = [info for info in entries if not left_out(info.filename.rstrip("/"))]
            _check_infos(infos)
            return _followed(_unpacked(archive, infos), left_out)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError, OSError, ValueError) as error:
        raise BundleError(Problem("", f"not a zip file that can be read: {error}")) from None


def read_folder(folder: Path, *, new: bool = False) -> dict[str, File]:
    """Return the files in a folder and its folders.

    Args:
        folder: to read.
        new: it is an author's: leave out what is left out by default or by its bot.toml.

    Raises:
        BundleError: if it cannot be read, breaks a limit, or holds something that may not be in a bundle.
    """
    try:
        text = _head(folder / MANIFEST, MAX_BYTES + 1) if new and (folder / MANIFEST).is_file() else b""
        left_out = _left_out(text, new=new)
        entries = _listed(folder, left_out)
    except OSError as error:
        raise BundleError(Problem(str(error.filename), f"cannot be read: {error.strerror}")) from None
    check_collisions(entries)
    return _followed(entries, left_out)


def _left_out(manifest: bytes, *, new: bool) -> LeaveOut:
    return LeaveOut((*BY_DEFAULT, *patterns_of(manifest)) if new else ALWAYS)


def _manifest_in(archive: zipfile.ZipFile) -> bytes:
    """Return the text of bot.toml, b"" if it cannot be read: what is wrong with it is reported later."""
    try:
        with archive.open(MANIFEST) as stream:
            return stream.read(MAX_BYTES + 1)
    except (KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError):
        return b""


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(size)


def _listed(folder: Path, left_out: LeaveOut) -> dict[str, File | Link]:
    """Return the files and links in a folder on disk."""
    entries: dict[str, File | Link] = {}
    space = _Space()

    def failed(error: OSError) -> None:
        raise error

    for root, folders, names in os.walk(folder, onerror=failed):
        inside = Path(root).relative_to(folder)
        # Links to folders are among the folders, but are not walked into.
        found = {entry: (inside / entry).as_posix() for entry in sorted((*folders, *names))}
        folders[:] = [entry for entry in folders if not left_out(found[entry])]
        for entry, name in found.items():
            if left_out(name):
                continue
            check_name(name)
            path = Path(root, entry)
            mode = path.lstat().st_mode
            check_mode(name, mode)
            if stat.S_ISLNK(mode):
                entries[name] = Link(path.readlink())
            elif stat.S_ISREG(mode):
                content = _head(path, space.left + 1)
                entries[name] = File(content, bool(mode & 0o111))
                space.take(name, len(content))
            else:
                space.take(name)
    return entries


def _check_infos(infos: list[zipfile.ZipInfo]) -> None:
    """Check all that the directory of a zip file says, before anything is unpacked."""
    space = _Space()
    for info in infos:
        if "\0" in info.orig_filename:
            raise BundleError(Problem(f"{info.orig_filename!r:.100}", "has a NUL in its name"))
        check_name(info.filename.removesuffix("/"))
        check_mode(info.filename, info.external_attr >> 16)
        if info.flag_bits & 1:
            raise BundleError(Problem(info.filename, "is encrypted"))
        if info.compress_type not in _METHODS:
            raise BundleError(Problem(info.filename, "is packed in an unusual way; use plain zip (stored or deflated)"))
        space.take(info.filename, info.file_size)
    check_collisions([info.filename for info in infos if not info.is_dir()])


def _unpacked(archive: zipfile.ZipFile, infos: list[zipfile.ZipInfo]) -> dict[str, File | Link]:
    """Return the files and links in a zip file. What it says of their sizes need not be true."""
    entries: dict[str, File | Link] = {}
    space = _Space()
    for info in infos:
        if info.is_dir():
            continue
        mode = info.external_attr >> 16
        with archive.open(info) as stream:
            content = stream.read((_MAX_LINK_BYTES if stat.S_ISLNK(mode) else space.left) + 1)
        space.take(info.filename, len(content))
        if stat.S_ISLNK(mode):
            entries[info.filename] = Link(content.decode())
        else:
            entries[info.filename] = File(content, bool(mode & 0o111))
    return entries


def _followed(entries: Mapping[str, File | Link], left_out: LeaveOut) -> dict[str, File]:
    """Return all files, with copies of what links lead to in their place."""
    if isinstance(entries.get(MANIFEST), Link):
        raise BundleError(Problem(MANIFEST, "is a link; it must be a file"))
    files: dict[str, File] = {}
    space = _Space()
    for name, file in follow(entries, left_out):
        check_name(name)
        space.take(name, 0 if file is None else len(file.content))
        if file is not None:
            files[name] = file
    return files
