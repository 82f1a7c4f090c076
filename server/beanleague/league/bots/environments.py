"""Environments: packages installed by an organiser for bots, each in a folder named by its digest.

A bot names its environment in `bot.toml`. At submission the name is resolved to the digest of the packages installed at
that time; the version always plays with exactly these.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from beanleague.files import GZIP, FileError, first, is_stream, read
from beanleague.games.core.game import suggestion
from beanleague.interpreter import python
from beanleague.league.errors import LeagueError
from beanleague.names import DIGEST, NAME, NAME_RULE, below, is_new_name
from beanleague.user_folders import NoHomeError, data_folder

VARIABLE = "BEANLEAGUE_ENVIRONMENTS"
"""Name of the environment variable that gives the folder of environments."""

# Files that pip adds outside of packages, or that differ between machines: scripts name the interpreter of one machine.
_LEFT_OUT = ("bin", "__pycache__")
_RECORDS = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
_MAX_REQUIREMENTS_BYTES = 2**20  # maximum size of a requirements file: a hundred times a long one
_MAX_LINES = 5  # lines shown of pip's error
_MIN_DIGITS = 8  # minimum number of digits of a digest that identify packages without a name


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Lock a folder against changes by other processes and threads that use this lock.

    Raises:
        OSError: if the folder does not exist.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class EnvironmentMissingError(LeagueError):
    """Raised when an environment is not on this machine; the message gives the remedy."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Installed packages that bots can import."""

    name: str
    """Name in bot.toml; "" if the name now belongs to a newer environment."""
    digest: str
    """SHA-256 of the environment's files, hexadecimal."""
    packages: Path
    """Folder of the environment's packages."""

    def importable(self) -> list[str]:
        """Return the names of importable modules."""
        names = {path.name.partition(".")[0] for path in self.packages.iterdir() if _is_module(path)}
        return sorted(name for name in names if not name.startswith("_"))

    def distributions(self) -> list[str]:
        """Return the installed distributions, such as "torch 2.9.1"."""
        found = (path.name.removesuffix(".dist-info") for path in self.packages.glob("*.dist-info"))
        return sorted(name.replace("-", " ", 1) for name in found)


class Environments:
    """Environments stored below `root`: packages in `packages/DIGEST`, and the digest for a name in `names/NAME`."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root or _default_root()

    def add(self, name: str, requirements: Path) -> Environment:
        """Install the wheels listed in the file `requirements`, with hashes, and assign `name` to them.

        Raises:
            LeagueError: if the name is invalid, or pip fails; the message includes pip's error.
        """
        if not is_new_name(name):
            raise LeagueError(f"{name!r:.60} is not a valid environment name: {NAME_RULE}")
        _check_text(requirements)
        try:
            (self._root / "names").mkdir(parents=True, exist_ok=True)
            (self._root / "packages").mkdir(exist_ok=True)
            fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self._root))
            try:
                _install(requirements, fresh)
                found = _digest(fresh)
                with alone_in(self._root):
                    self._keep(fresh, found)
                    mark = self._root / "names" / f".{name}-{os.getpid()}"
                    mark.write_text(found, "ascii")
                    mark.replace(self._root / "names" / name)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
        except OSError as error:
            raise LeagueError(f"cannot write to {self._root}: {error.strerror}") from None
        return self._environment(name, found)

    def remove(self, name: str) -> None:
        """Remove a name, or unnamed packages by a prefix of their digest; packages without another name are deleted.

        Raises:
            EnvironmentMissingError: if the environment does not exist.
            LeagueError: if the files cannot be removed.
        """
        if not self._root.is_dir():
            self.named(name)  # raises, since no environment has this name
        try:
            with alone_in(self._root):
                self._remove(name)
        except OSError as error:
            raise LeagueError(f"cannot write to {self._root}: {error.strerror}") from None

    def _remove(self, name: str) -> None:
        nameless = [each for each in self.all() if not each.name and each.digest.startswith(name)]
        if len(name) >= _MIN_DIGITS and len(nameless) == 1:
            (removed,) = nameless
        else:
            removed = self.named(name)
            (self._root / "names" / name).unlink()
        if removed.digest not in {each.digest for each in self.all() if each.name}:
            shutil.rmtree(removed.packages, ignore_errors=True)

    def all(self) -> list[Environment]:
        """Return all environments: first named environments by name, then unnamed ones."""
        names, packages = (sorted(self._inside(folder)) for folder in ("names", "packages"))
        marks = {name: self._root / "names" / name for name in names if NAME.fullmatch(name)}
        stands_for = {name: mark.read_text("ascii").strip() for name, mark in marks.items()}
        named = [self._environment(name, found) for name, found in stands_for.items()]
        rest = [found for found in packages if DIGEST.fullmatch(found) and found not in stands_for.values()]
        return [*named, *(self._environment("", found) for found in rest)]

    def _inside(self, folder: str) -> list[str]:
        try:
            return [path.name for path in (self._root / folder).iterdir()]
        except FileNotFoundError:
            return []

    def named(self, name: str) -> Environment:
        """Return the current environment for `name`.

        Raises:
            EnvironmentMissingError: if the name is unknown.
        """
        known = {environment.name: environment for environment in self.all() if environment.name}
        if name not in known:
            there = suggestion(name, known) if known else "there are none"
            raise EnvironmentMissingError(f"there is no environment {name!r:.60} here; {there}")
        return known[name]

    def packages(self, digest: str) -> Path:
        """Return the folder of the packages with this digest.

        Raises:
            EnvironmentMissingError: if they are missing or were changed.
        """
        folder = self._environment("", digest).packages
        if not folder.is_dir():
            raise EnvironmentMissingError(
                f"the environment {digest[:16]} is not on this machine; install it with 'beanleague environment add', "
                "from the same requirements"
            )
        if _digest(folder) != digest:
            raise EnvironmentMissingError(f"the environment {digest[:16]} was changed: remove it, and add it again")
        return folder

    def _keep(self, fresh: Path, digest: str) -> None:
        """Store the installed packages under their digest, read-only for everybody."""
        folder = self._environment("", digest).packages
        if folder.is_dir() and _digest(folder) == digest:
            return
        for path in (*fresh.rglob("*"), fresh):
            if not path.is_symlink():
                path.chmod(0o755 if path.is_dir() else 0o444)
        if folder.exists():
            shutil.rmtree(folder)
        fresh.rename(folder)

    def _environment(self, name: str, digest: str) -> Environment:
        if not DIGEST.fullmatch(digest):
            raise EnvironmentMissingError(f"{digest!r:.80} is not the digest of an environment")
        return Environment(name, digest, below(self._root / "packages", digest))


def _default_root() -> Path:
    """Return the folder of environments: the value of the environment variable, else the default in the data folder.

    Raises:
        LeagueError: the user has no home folder.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    try:
        return data_folder() / "environments"
    except NoHomeError as error:
        raise LeagueError(f"environments cannot be stored: {error}") from None


def _install(requirements: Path, folder: Path) -> None:
    """Install wheels with pip; source packages are refused, since building them would run their code."""
    words = python("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check")
    words += ["--require-hashes", "--only-binary=:all:", "--no-compile"]
    words += ["--target", str(folder), "--requirement", str(requirements)]
    done = subprocess.run(
        words, capture_output=True, encoding="utf-8", errors="replace", check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        lines = [line for line in map(str.strip, done.stderr.splitlines()) if line and not line.startswith("WARNING:")]
        raise LeagueError("pip cannot install it:\n" + "\n".join(f"  {line:.300}" for line in lines[-_MAX_LINES:]))
    for name in _LEFT_OUT:
        for path in list(folder.rglob(name)):
            shutil.rmtree(path, ignore_errors=True)
    for info in folder.glob("*.dist-info"):
        for name in _RECORDS:
            (info / name).unlink(missing_ok=True)


def _check_text(requirements: Path) -> None:
    """Refuse requirements that are not text, since pip would fail with a traceback.

    Raises:
        LeagueError: the file is empty, too large, compressed, not text, or is a pipe or device.
    """
    if is_stream(requirements):
        raise LeagueError(f"{requirements} is a pipe or device, which can be read only once; name a file")
    try:
        data = read(requirements, _MAX_REQUIREMENTS_BYTES)
        text = data.decode()
    except FileError as error:
        raise LeagueError(f"{requirements} {error}") from None
    except UnicodeDecodeError as error:
        raise LeagueError(f"{requirements} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise LeagueError(f"cannot read {requirements}: {error.strerror}") from None
    if not text.strip():
        raise LeagueError(f"{requirements} is empty")
    if first(requirements, len(GZIP)) == GZIP:
        raise LeagueError(f"{requirements} is compressed with gzip; decompress it with gunzip")


def _digest(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of all files below `folder`."""
    total = hashlib.sha256()
    for path in sorted(_files(folder), key=lambda path: path.relative_to(folder).as_posix()):
        name = path.relative_to(folder).as_posix().encode()
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        total.update(len(name).to_bytes(4, "big") + name + content)
    return total.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_symlink():
            raise LeagueError(f"{path.name} is a link; an environment must not contain links")
        if path.is_file():
            yield path


def _is_module(path: Path) -> bool:
    if path.is_dir():
        return path.suffix != ".dist-info" and not path.name.endswith(".libs")
    return path.suffix in {".py", ".so"}
