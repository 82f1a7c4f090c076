"""Limits on the entries of a bundle: names, kinds and sizes of files, and patterns of files to leave out."""

import re
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate

from beanleague.league.bots.manifest import MANIFEST
from beanleague.league.errors import BundleError, Problem

ALWAYS = ("__pycache__", "*.pyc", ".git", "__MACOSX")
"""By-products of Python, Git and archivers: ignored in a bot's folder, never part of a bundle."""

BY_DEFAULT = (
    *(*ALWAYS, ".venv", "node_modules/.cache", "*.js.map", "*.mjs.map", "*.cjs.map", "*.ts.map"),
    *(".DS_Store", "._*", "Icon\r", ".Spotlight-V100", ".Trashes", ".fseventsd", ".AppleDouble"),  # macOS
    *("[Tt]humbs.db", "ehthumbs.db", "[Dd]esktop.ini", "$RECYCLE.BIN", "*:Zone.Identifier", "~$*"),  # Windows
    *(".directory", ".Trash-*", ".nfs*", ".fuse_hidden*"),  # Linux
    *(".idea", ".vscode", ".vs", "*~", ".*.sw[op]", ".#*", "#*#"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints", ".hypothesis", ".tox", ".nox"),
    *(".hg", ".svn"),
)
"""Patterns of files left out by default when a bot is packed or submitted. The list may grow, since stored bundles are
not filtered again."""

MAX_UNPACKED_BYTES = 64 * 2**20
"""Maximum size of all files and folders together, each rounded up to whole blocks as on a disk."""
BLOCK_BYTES = 4096
"""Size of a block in bytes: a folder or an empty file takes one block."""
_MAX_NAME_BYTES = 200  # maximum length of a name in UTF-8 bytes


class LeaveOut:
    """Filter of file names by patterns.

    A pattern without "/" matches files and folders of that name anywhere; a pattern with "/" matches only that path in
    the bundle; `*`, `?` and `[...]` stand for characters of one name. A folder is left out with all its contents.
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
        """Return whether to leave out the file or folder `name` of a bundle; bot.toml is always kept."""
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
        BundleError: if the name is refused.
    """
    if not name.isprintable():  # false for surrogates, too, which stand for undecodable bytes
        raise BundleError(Problem(f"{name!r:.100}", "has unprintable characters in its name"))
    if len(name.encode()) > _MAX_NAME_BYTES:
        raise BundleError(Problem(f"{name:.100}...", f"has a name of more than {_MAX_NAME_BYTES} bytes"))
    if "\\" in name:
        why = (
            'has a backslash in its name, where zip files have "/"; some Windows programs write such files: use '
            "another program, or submit the folder"
        )
        raise BundleError(Problem(name, why))
    if name.startswith("/") or re.match("[A-Za-z]:", name):
        raise BundleError(Problem(name, "is an absolute path"))
    parts = name.split("/")
    if ".." in parts:
        raise BundleError(Problem(name, "points outside the bundle"))
    if "" in parts or "." in parts:
        raise BundleError(Problem(f"{name!r}", "is not a plain file name"))


def check_mode(name: str, mode: int) -> None:
    """Refuse links and devices.

    Raises:
        BundleError: if the entry is a link or device.
    """
    if stat.S_ISLNK(mode):
        why = "is a symbolic link; submit the folder itself, or pack what it points to (zip does without -y)"
        raise BundleError(Problem(name, why))
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise BundleError(Problem(name, "is a device, pipe or socket; a bundle may contain only files and folders"))


def check_collisions(names: Iterable[str]) -> None:
    """Refuse names that some file systems do not distinguish, and files named like a folder of another file.

    Raises:
        BundleError: for the first colliding name.
    """
    files: dict[str, str] = {}
    for name in names:
        folded = _casefold(name)
        if folded in files:
            other = files[folded]
            why = "occurs twice" if other == name else f"differs from {other} only in upper and lower case; rename one"
            raise BundleError(Problem(name, why))
        files[folded] = name
    for name in files.values():
        parts = name.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if _casefold(folder) in files:
                raise BundleError(Problem(folder, f"is a file, but {name} needs a folder of this name"))


def _casefold(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


@dataclass(frozen=True, slots=True)
class File:
    """A file of a bundle."""

    content: bytes
    """Content of the file."""
    program: bool
    """Whether the file is executable."""


class Space:
    """Space left for the files of a bundle."""

    def __init__(self) -> None:
        self.left = MAX_UNPACKED_BYTES
        self._folders = {""}
        self._top = Counter[str]()  # bytes in each top-level folder

    def take(self, name: str, size: int) -> None:
        """Reserve space for the file `name` and for parent folders that have none yet.

        Raises:
            BundleError: if too little is left.
        """
        self.take_folder(name.rpartition("/")[0])
        self._take(name, size)

    def take_folder(self, name: str) -> None:
        """Reserve space for the folder `name` and its parents, unless they have it already.

        Raises:
            BundleError: if too little is left.
        """
        while name not in self._folders:
            self._folders.add(name)
            self._take(name, 0)
            name = name.rpartition("/")[0]

    def _take(self, name: str, size: int) -> None:
        taken = max(-(-size // BLOCK_BYTES), 1) * BLOCK_BYTES
        self.left -= taken
        self._top[name.partition("/")[0]] += taken
        if self.left < 0:
            ((top, most),) = self._top.most_common(1)
            why = (
                f"brings the bundle over the limit of {MAX_UNPACKED_BYTES // 2**20} MiB unpacked (each file and "
                f"folder counts as at least 4 KiB); {top:.100} takes the most so far, {most / 2**20:.1f} MiB: list "
                f"in leave_out of {MANIFEST} what the bot does not need"
            )
            raise BundleError(Problem(f"{name:.100}", why))
