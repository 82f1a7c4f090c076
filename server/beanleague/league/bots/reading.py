"""Reading of bundles from folders and zip files, within limits: names and sizes are checked before use."""

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

from beanleague.files import largest_in_zip
from beanleague.league.bots.causes import no_manifest, no_zip
from beanleague.league.bots.entries import (
    ALWAYS,
    BY_DEFAULT,
    File,
    LeaveOut,
    Space,
    check_collisions,
    check_mode,
    check_name,
)
from beanleague.league.bots.manifest import MANIFEST, MAX_BYTES, patterns_of
from beanleague.league.errors import BundleError, LeagueError, Problem

MAX_PACKED_BYTES = 5 * 2**20
"""Maximum size of a zip file."""
MAX_ENTRIES = 20_000
"""Maximum number of entries in a zip file, ignored files included."""


_ENVIRONMENTS = {"pyvenv.cfg": "a Python virtual environment", "conda-meta/history": "a conda environment"}
"""File names that reveal an environment of packages, with the kind of environment."""
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


def check_packed(data: bytes) -> None:
    """Check the size of a zip file.

    Raises:
        BundleError: if it is too large; the message names the largest files.
    """
    if len(data) > MAX_PACKED_BYTES:
        raise too_large(io.BytesIO(data))


def too_large(stream: IO[bytes]) -> BundleError:
    """Return the error of a zip file that is too large, which names its largest files."""
    why = f"the packed bundle is larger than the limit of {MAX_PACKED_BYTES // 2**20} MiB"
    largest = largest_in_zip(stream)
    return BundleError(Problem("", f"{why}; {largest}" if largest else why))


def read_zip(data: bytes, *, new: bool = False, wanted: Callable[[], bool] = lambda: True) -> dict[str, File]:
    """Return the files of a zip file; names and sizes are checked before unpacking, sizes also during it.

    Args:
        data: the zip file.
        new: whether it comes from an author; if so, the patterns of `BY_DEFAULT` and of its bot.toml are left out.
        wanted: called before each file; reading ends when it returns False.

    Raises:
        BundleError: if the data are not a zip file, are damaged, exceed a limit, or contain a forbidden entry.
        LeagueError: if `wanted` returned False.
    """
    check_packed(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_ENTRIES:
                raise BundleError(Problem("", f"the zip file has {len(entries)} entries; {MAX_ENTRIES} are allowed"))
            if new:
                entries = _without_outer_folder(entries)
            left_out = _left_out(_manifest_in(archive, entries) if new else b"", new=new)
            infos = [info for info in _while(wanted, entries) if not left_out(info.filename.rstrip("/"))]
            if new:
                _check_environments(info.filename for info in infos)
            _check_infos(infos)
            return _unzip(archive, _while(wanted, infos))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError, OSError, ValueError) as error:
        raise BundleError(no_zip(data, error)) from None


def _without_outer_folder(entries: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the entries with names relative to the folder of bot.toml: the top, or the only folder there.

    Windows and macOS pack a folder together with its name. By-products of systems and tools may be beside it.

    Raises:
        BundleError: if bot.toml is in neither place.
    """
    names = {entry.filename for entry in entries}
    if MANIFEST in names:
        return entries
    left_out = LeaveOut(BY_DEFAULT)
    kept = [entry for entry in entries if not left_out(entry.filename.rstrip("/"))]
    outer = _outer_folder([entry.filename for entry in kept])
    if not outer:
        raise BundleError(no_manifest(names))
    for entry in kept:
        entry.filename = entry.filename.removeprefix(outer)
    return [entry for entry in kept if entry.filename]


def _outer_folder(names: Sequence[str]) -> str:
    """Return the folder that all files are in, with its slash, if it has a bot.toml; else ""."""
    folders = {name.partition("/")[0] for name in names}
    outer = f"{folders.pop()}/" if len(folders) == 1 else ""
    return outer if f"{outer}{MANIFEST}" in names else ""


def _while(wanted: Callable[[], bool], infos: Iterable[zipfile.ZipInfo]) -> Iterator[zipfile.ZipInfo]:
    for info in infos:
        if not wanted():
            raise LeagueError("reading the bundle was cancelled")
        yield info


def read_folder(folder: Path, *, new: bool = False) -> dict[str, File]:
    """Return the files in a folder and its subfolders; links become copies of their targets.

    Args:
        folder: folder to read.
        new: whether it comes from an author; if so, the patterns of `BY_DEFAULT` and of its bot.toml are left out.

    Raises:
        BundleError: if the folder cannot be read, exceeds a limit, or contains a forbidden entry.
    """
    try:
        if new and (folder / MANIFEST).is_dir():
            raise BundleError(Problem(MANIFEST, "is a folder; it must be a file"))
        if new and not (folder / MANIFEST).exists():
            raise BundleError(no_manifest(_names_near(folder)))
        text = _head(folder / MANIFEST, MAX_BYTES + 1) if new and (folder / MANIFEST).is_file() else b""
        left_out = _left_out(text, new=new)
        files = _files_in(folder.resolve(strict=True), left_out, new=new)
    except OSError as error:
        raise BundleError(Problem(str(error.filename), f"cannot be read: {error.strerror}")) from None
    check_collisions(files)
    return files


def _names_near(folder: Path) -> list[str]:
    """Return the names of files in a folder, and the paths of bot.toml in its subfolders, for error messages."""
    here = [path.name for path in folder.iterdir()]
    return [*here, *(f"{name}/{MANIFEST}" for name in here if (folder / name / MANIFEST).is_file())]


def _check_environments(names: Iterable[str]) -> None:
    """Refuse environments of packages: they are large, and refer to the Python of one machine.

    Raises:
        BundleError: if there is one.
    """
    for name in names:
        for mark, kind in _ENVIRONMENTS.items():
            folder = name.removesuffix(f"/{mark}")
            if folder != name:
                why = (
                    f"is {kind}, which works only on your machine; add "
                    f'leave_out = ["{folder}"] to {MANIFEST} (docs/environments.md says how bots get packages)'
                )
                raise BundleError(Problem(folder, why))


def _left_out(manifest: bytes, *, new: bool) -> LeaveOut:
    return LeaveOut((*BY_DEFAULT, *patterns_of(manifest)) if new else ALWAYS)


def _manifest_in(archive: zipfile.ZipFile, entries: Iterable[zipfile.ZipInfo]) -> bytes:
    """Return the contents of bot.toml; b"" if it cannot be read, which is reported later."""
    try:
        with archive.open(next(entry for entry in entries if entry.filename == MANIFEST)) as stream:
            return stream.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, EOFError):
        return b""


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(size)


def _files_in(root: Path, left_out: LeaveOut, *, new: bool) -> dict[str, File]:
    """Return the files in a folder; its path must be free of links. Links to filtered files are also filtered.

    `new`: see `read_folder`.
    """
    files: dict[str, File] = {}
    space = Space()

    def gather(folder: Path, inside: str, above: frozenset[Path]) -> None:
        """Add the files of `folder`, with names prefixed by `inside`. `above`: folders on the path to it."""
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
                raise BundleError(Problem(f"{name:.100}", "is a link to a folder that contains it"))
            else:
                if new:
                    _check_environments(f"{name}/{mark}" for mark in _ENVIRONMENTS if (real / mark).is_file())
                space.take_folder(name)
                gather(real, f"{name}/", above | {real})

    gather(root, "", frozenset({root}))
    return files


def _target(root: Path, link: Path, name: str) -> Path:
    """Return the final target of a link.

    Raises:
        BundleError: if the target is missing or outside the bundle, or the link is bot.toml.
    """
    if name == MANIFEST:
        raise BundleError(Problem(MANIFEST, "is a link; it must be a file"))
    what = f"is a link to {str(link.readlink())!r:.100}"
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # RuntimeError: a link leads in a circle
        raise BundleError(Problem(name, f"{what}, which points to nothing")) from None
    if not target.is_relative_to(root):
        hint = f"copy the file, or list it or its folder in leave_out of {MANIFEST}"
        raise BundleError(Problem(name, f"{what}, which points outside the bundle; {hint}"))
    return target


def _check_infos(infos: Iterable[zipfile.ZipInfo]) -> None:
    """Check the directory of a zip file before unpacking."""
    space = Space()
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


def _unzip(archive: zipfile.ZipFile, infos: Iterable[zipfile.ZipInfo]) -> dict[str, File]:
    """Return the files in a zip file, checking sizes, since its directory may lie about them."""
    files: dict[str, File] = {}
    space = Space()
    for info in infos:
        if info.is_dir():
            continue
        with archive.open(info) as stream:
            content = stream.read(space.left + 1)
        space.take(info.filename, len(content))
        files[info.filename] = File(content, bool(info.external_attr >> 16 & 0o111))
    return files
