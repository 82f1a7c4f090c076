"""Bundles: a folder or zip file with bot.toml and code, read within limits, made canonical and named by a digest.

Two bundles with the same files have the same digest, however and wherever they were packed. The digest is the SHA-256
of a listing: for each file, by name, the line "<SHA-256 of the file> <r or x> <name>", x for programs, r for the rest.
"""

import hashlib
import io
import re
import shlex
import stat
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import translate
from pathlib import Path, PurePosixPath

from beanleague.league.bots.manifest import MANIFEST, MAX_BYTES, parse_manifest, patterns_of
from beanleague.league.errors import BundleError, LeagueError, Problem
from beanleague.model import Manifest

ALWAYS = ("__pycache__", "*.pyc", ".git", "__MACOSX")
"""What Python, Git and archivers leave behind: no bundle has it, and it may come to be in the folder of one."""

BY_DEFAULT = (
    *(*ALWAYS, ".venv", "node_modules/.cache", "*.js.map", "*.mjs.map", "*.cjs.map", "*.ts.map"),
    *(".DS_Store", "._*", "Icon\r", "Thumbs.db", "desktop.ini", ".directory", ".idea", ".vscode", "*~", ".*.sw[op]"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".ipynb_checkpoints", ".hg", ".svn"),
)
"""What is left out when a bot is packed or submitted. What is stored is not looked at again: this list may grow."""

MAX_PACKED_BYTES = 5 * 2**20
"""The largest zip file."""
MAX_UNPACKED_BYTES = 64 * 2**20
"""The most that all files and folders together may take, each rounded up to whole blocks, as on a disk."""
BLOCK_BYTES = 4096
"""A folder and an empty file take one of these."""
MAX_ENTRIES = 20_000
"""The most entries of a zip file, those that are left out included."""

_OF_ENVIRONMENTS = "pyvenv.cfg"  # is in each virtual environment of Python
_MAX_NAME_BYTES = 200  # bytes of UTF-8
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
    """Refuse links and devices.

    Raises:
        BundleError: for one.
    """
    if stat.S_ISLNK(mode):
        why = "is a symbolic link; submit the folder itself, or pack what the link leads to (zip does without -y)"
        raise BundleError(Problem(name, why))
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
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
        self._folders = {""}

    def take(self, name: str, size: int) -> None:
        """Take the space of the file `name` and of those folders that it is the first in.

        Raises:
            BundleError: if there is not as much.
        """
        self.take_folder(name.rpartition("/")[0])
        self._take(name, size)

    def take_folder(self, name: str) -> None:
        """Take the space of the folder `name` and of those that it lies in, unless that was taken before.

        Raises:
            BundleError: if there is not as much.
        """
        while name not in self._folders:
            self._folders.add(name)
            self._take(name, 0)
            name = name.rpartition("/")[0]

    def _take(self, name: str, size: int) -> None:
        self.left -= max(-(-size // BLOCK_BYTES), 1) * BLOCK_BYTES
        if self.left < 0:
            why = (
                f"with this the bundle exceeds the limit of {MAX_UNPACKED_BYTES // 2**20} MiB unpacked, in which each "
                f"file and folder takes at least 4 KiB; name in leave_out of {MANIFEST} what it does not need"
            )
            raise BundleError(Problem(f"{name:.100}", why))


def check_packed(data: bytes) -> None:
    """Check the size of a zip file.

    Raises:
        BundleError: if it is too large.
    """
    if len(data) > MAX_PACKED_BYTES:
        raise BundleError(Problem("", f"the packed bundle is larger than the limit of {MAX_PACKED_BYTES // 2**20} MiB"))


def read_zip(data: bytes, *, new: bool = False, wanted: Callable[[], bool] = lambda: True) -> dict[str, File]:
    """Return the files of a zip file, looking at every name and size before and while unpacking.

    Args:
        data: the zip file.
        new: comes from an author: leave out what is left out by default or by its bot.toml.
        wanted: called before each file; reading ends when it returns False.

    Raises:
        BundleError: if it is no zip file, is damaged, breaks a limit, or holds something that may not be in a bundle.
        LeagueError: if it is not wanted any more.
    """
    check_packed(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise BundleError(Problem("", f"the zip file has {len(entries)} entries; {MAX_ENTRIES} are allowed"))
            left_out = _left_out(_manifest_in(archive) if new else b"", new=new)
            infos = [info for info in _while(wanted, entries) if not left_out(info.filename.rstrip("/"))]
            if new:
                _check_environments(info.filename for info in infos)
            _check_infos(infos)
            return _unpacked(archive, _while(wanted, infos))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError, OSError, ValueError) as error:
        raise BundleError(Problem("", f"not a zip file that can be read: {error}")) from None


def _while(wanted: Callable[[], bool], infos: Iterable[zipfile.ZipInfo]) -> Iterator[zipfile.ZipInfo]:
    for info in infos:
        if not wanted():
            raise LeagueError("reading the bundle was cancelled")
        yield info


def read_folder(folder: Path, *, new: bool = False) -> dict[str, File]:
    """Return the files in a folder and its folders, and copies of what links in it lead to.

    Args:
        folder: to read.
        new: it is an author's: leave out what is left out by default or by its bot.toml.

    Raises:
        BundleError: if it cannot be read, breaks a limit, or holds something that may not be in a bundle.
    """
    try:
        text = _head(folder / MANIFEST, MAX_BYTES + 1) if new and (folder / MANIFEST).is_file() else b""
        left_out = _left_out(text, new=new)
        files = _listed(folder.resolve(strict=True), left_out, new=new)
    except OSError as error:
        raise BundleError(Problem(str(error.filename), f"cannot be read: {error.strerror}")) from None
    check_collisions(files)
    return files


def _check_environments(names: Iterable[str]) -> None:
    """Refuse virtual environments of Python: they are large, and lead to the Python of the machine that made them.

    Raises:
        BundleError: for the first of them.
    """
    for name in names:
        folder, _, file = name.rpartition("/")
        if folder and file == _OF_ENVIRONMENTS:
            why = (
                "is a virtual environment of Python, which works on your machine alone; add "
                f'leave_out = ["{folder}"] to {MANIFEST} (docs/environments.md says how bots get packages)'
            )
            raise BundleError(Problem(folder, why))


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


def _listed(root: Path, left_out: LeaveOut, *, new: bool) -> dict[str, File]:
    """Return the files in a folder, whose path has no links in it. Links to what is left out are left out.

    `new`: see `read_folder`.
    """
    files: dict[str, File] = {}
    space = _Space()

    def gather(folder: Path, inside: str, above: frozenset[Path]) -> None:
        """Add what is in `folder`, under names that begin with `inside`; `above`: the folders on the way there."""
        for path in sorted(folder.iterdir()):
            name = inside + path.name
            if left_out(name):
                continue
            check_name(name)
            real = _target(root, path, name) if path.is_symlink() else path
            if real is not path and left_out(real.relative_to(root).as_posix()):
                continue
            mode = real.stat().st_mode
            check_mode(name, mode)
            if stat.S_ISREG(mode):
                content = _head(real, space.left + 1)
                space.take(name, len(content))
                files[name] = File(content, bool(mode & 0o111))
            elif real in above:
                raise BundleError(Problem(f"{name:.100}", "is a link to a folder that it lies in"))
            else:
                if new and (real / _OF_ENVIRONMENTS).is_file():
                    _check_environments([f"{name}/{_OF_ENVIRONMENTS}"])
                space.take_folder(name)
                gather(real, f"{name}/", above | {real})

    gather(root, "", frozenset({root}))
    return files


def _target(root: Path, link: Path, name: str) -> Path:
    """Return what a link leads to in the end.

    Raises:
        BundleError: if that is outside the bundle or nothing, or the link stands for bot.toml.
    """
    if name == MANIFEST:
        raise BundleError(Problem(MANIFEST, "is a link; it must be a file"))
    what = f"is a link to {str(link.readlink())!r:.100}"
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: it leads in a circle
        raise BundleError(Problem(name, f"{what}, which leads to nothing")) from None
    if not target.is_relative_to(root):
        hint = f"copy it, or name it or its folder in leave_out of {MANIFEST}"
        raise BundleError(Problem(name, f"{what}, which leads out of the bundle; {hint}"))
    return target


def _check_infos(infos: Iterable[zipfile.ZipInfo]) -> None:
    """Check all that the directory of a zip file says, before anything is unpacked."""
    space = _Space()
    for info in infos:
        if "\0" in info.orig_filename:
            raise BundleError(Problem(f"{info.orig_filename!r:.100}", "has a NUL in its name"))
        name = info.filename.removesuffix("/")
        check_name(name)
        check_mode(info.filename, info.external_attr >> 16)
        if info.flag_bits & 1:
            raise BundleError(Problem(info.filename, "is encrypted"))
        if info.compress_type not in _METHODS:
            raise BundleError(Problem(info.filename, "is packed in an unusual way; use plain zip (stored or deflated)"))
        if info.is_dir():
            space.take_folder(name)
        else:
            space.take(name, info.file_size)
    check_collisions([info.filename for info in infos if not info.is_dir()])


def _unpacked(archive: zipfile.ZipFile, infos: Iterable[zipfile.ZipInfo]) -> dict[str, File]:
    """Return the files in a zip file. What it says of their sizes need not be true."""
    files: dict[str, File] = {}
    space = _Space()
    for info in infos:
        if info.is_dir():
            continue
        with archive.open(info) as stream:
            content = stream.read(space.left + 1)
        space.take(info.filename, len(content))
        files[info.filename] = File(content, bool(info.external_attr >> 16 & 0o111))
    return files


_FOREIGN = (b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # Windows, macOS
_NAME_LINE = re.compile(rb"^name[ \t]*=.*$", re.MULTILINE)
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can hold


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

    Of a folder, what is left out by default or by its bot.toml is missing.

    Raises:
        BundleError: if it cannot be read, or breaks a limit.
    """
    if path.is_dir():
        files = read_folder(path, new=True)
        try:
            return write_zip(files)
        except BundleError as error:
            why = "; ".join(problem.what for problem in error.problems)
            raise BundleError(Problem("", f"{why}; {_largest(files)}")) from None
    try:
        data = _head(path, MAX_PACKED_BYTES + 1)
    except OSError as error:
        raise BundleError(Problem(str(path), f"cannot be read: {error.strerror}")) from None
    try:
        check_packed(data)
    except BundleError as error:
        why = "; ".join(problem.what for problem in error.problems)
        raise BundleError(Problem("", why + _largest_packed(path))) from None
    return data


def _largest(files: Mapping[str, File]) -> str:
    """Return what takes most of the room of these files, and what to do about it."""
    name, size = _most({name: len(file.content) for name, file in files.items()})
    return f"{name} takes the most, {size / 2**20:.1f} MiB unpacked: name in leave_out of {MANIFEST} what can go"


def _largest_packed(path: Path) -> str:
    """Return what takes most of the room in a zip file, and what to do about it; "" if it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            name, size = _most({info.filename: info.compress_size for info in archive.infolist()})
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ""
    return f"; {name!r:.100} takes the most, {size / 2**20:.1f} MiB: pack without what can go, or submit the folder"


def _most(sizes: Mapping[str, int]) -> tuple[str, int]:
    """Return which file or folder at the top has most bytes, and how many. `sizes`: of files, by name."""
    top = Counter[str]({"": 0})
    for name, size in sizes.items():
        top[name.partition("/")[0]] += size
    ((name, most),) = top.most_common(1)
    return name, most


def read_bundle(data: bytes, wanted: Callable[[], bool] = lambda: True) -> Bundle:
    """Check a zip file with a bundle. `wanted`: see `read_zip`.

    Raises:
        BundleError: with all that is wrong with it.
    """
    files = read_zip(data, new=True, wanted=wanted)
    if MANIFEST not in files:
        deeper = sorted(name for name in files if name.endswith(f"/{MANIFEST}"))
        hint = f"; it is in {deeper[0].rpartition('/')[0]!r}: pack what is in that folder" if deeper else ""
        raise BundleError(Problem(MANIFEST, f"is missing{hint}"))
    manifest = parse_manifest(files[MANIFEST].content, files.keys())
    _check_program(manifest.command[0], files)
    canonical = write_zip(files)
    return Bundle(manifest, files, digest(files), canonical, sum(len(file.content) for file in files.values()))


def _check_program(word: str, files: Mapping[str, File]) -> None:
    """Refuse a program of the bundle that the system cannot start. `word`: the first of the command.

    Raises:
        BundleError: with the reason and what to do.
    """
    name = PurePosixPath(word).as_posix()
    if "/" not in word or name not in files:
        return
    head, _, _ = files[name].content.partition(b"\n")
    why = ""
    if head.startswith(b"\xef\xbb\xbf#!"):
        why = "begins with a byte order mark, before #!; save it as UTF-8 without one"
    elif head.startswith(b"#!") and head.endswith(b"\r"):
        why = r"has lines that end as on Windows (CR LF), so its first line names no program; run: sed -i 's/\r$//' "
        why += shlex.quote(name)
    elif head.startswith(_FOREIGN):
        why = "is a program of another system; bots run on Linux"
    elif not files[name].program:
        why = (
            f"is not executable, so it cannot be started; run: chmod +x {shlex.quote(name)}, and submit the folder, or "
            "pack it with a program that keeps this, such as zip"
        )
    if why:
        raise BundleError(Problem(name, why))


def renamed(data: bytes, name: str) -> bytes:
    """Return a bundle as that of a bot with another name.

    Raises:
        BundleError: if it breaks a limit.
    """
    files = read_zip(data)
    if MANIFEST in files:
        content = _NAME_LINE.sub(f'name = "{name}"'.encode(), files[MANIFEST].content, count=1)
        files[MANIFEST] = replace(files[MANIFEST], content=content)
    return write_zip(files)


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
    check_packed(data)
    return data
