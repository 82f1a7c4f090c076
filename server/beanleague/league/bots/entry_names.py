"""Names of files in a bundle, and what kind of file may be there."""

from __future__ import annotations

import re
import stat
import unicodedata
from collections.abc import Iterable

from beanleague.league.errors import BundleError, Problem

_MAX_NAME_BYTES = 200  # bytes of UTF-8


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
