"""Cache of unpacked bundles, each in a folder named by its digest, ready to run."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from beanleague.league.bots.bundles import digest
from beanleague.league.bots.causes import missing_modules
from beanleague.league.bots.entries import File
from beanleague.league.bots.environments import Environments, alone_in
from beanleague.league.bots.manifest import MANIFEST, admitted_manifest
from beanleague.league.bots.reading import read_folder, read_zip
from beanleague.league.errors import BundleError, LeagueError, Problem
from beanleague.model import BotVersion
from beanleague.names import DIGEST, below
from beanleague.referee.messages import BotSpec
from beanleague.user_folders import NoHomeError, cache_folder


def default_bundles() -> Path:
    """Return the folder for unpacked bots in the user's cache folder.

    Raises:
        LeagueError: the user has no home folder.
    """
    try:
        return cache_folder() / "bundles"
    except NoHomeError as error:
        raise LeagueError(f"bots cannot be unpacked: {error}") from None


class BundleCache:
    """Unpacked bundles below `root`, and the environments of bots. Several processes may share a root."""

    def __init__(self, root: Path, environments: Environments | None = None) -> None:
        self._root = root
        self._environments = environments or Environments()

    def packages(self, environment: str) -> str:
        """Return the package folder of the environment with this digest, "" for none.

        Raises:
            EnvironmentMissingError: if the environment is not on this machine.
        """
        return str(self._environments.packages(environment)) if environment else ""

    def environment(self, name: str) -> str:
        """Return the digest of the environment with this name, "" for none.

        Raises:
            EnvironmentMissingError: if the environment is not on this machine.
        """
        return self._environments.named(name).digest if name else ""

    def missing_modules(self, said: str) -> Iterator[Problem]:
        """Yield a problem with the remedy for each module that a bot missed. `said`: its log and fault reasons."""
        yield from missing_modules(
            said, {each.name: each.importable() for each in self._environments.all() if each.name}
        )

    def folder(self, name: str, data: Callable[[], bytes]) -> Path:
        """Return the folder with exactly the files of the bundle with digest `name`; `data` returns its zip if needed.

        The folder is checked every time, and unpacked again if it was changed.

        Raises:
            LeagueError: if the bundle cannot be unpacked.
        """
        if not DIGEST.fullmatch(name):
            raise LeagueError(f"a bundle is damaged: {name!r:.80} is not the digest of its files")
        folder = below(self._root, name)
        if self._intact(folder, name):
            return folder
        files = read_zip(data())
        if digest(files) != name:
            raise LeagueError(f"the bundle {name} is damaged: its files have another digest")
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            with alone_in(self._root):
                # another process may have unpacked the bundle and be using it already
                if not self._intact(folder, name):
                    self._unpack(files, folder)
        except OSError as error:
            raise LeagueError(f"cannot unpack a bot to {self._root}: {error.strerror}") from None
        if not self._intact(folder, name):
            raise LeagueError(f"the bundle {name} cannot be unpacked to {self._root}: its files there keep changing")
        return folder

    def bot(self, number: int, version: BotVersion, data: Callable[[str], bytes]) -> BotSpec:
        """Return a version as a `BotSpec`: its folder, its command by bot.toml, and its packages.

        `data`: returns the zip file with a given digest. The command in the version's row is not trusted: combined with
        the files of a house bot, which are trusted, it could be any program.

        Raises:
            EnvironmentMissingError: if the version's environment is not on this machine.
            LeagueError: if the bundle cannot be unpacked, or its files contradict the row.
        """
        folder = self.folder(version.digest, partial(data, version.digest))
        command = admitted_manifest((folder / MANIFEST).read_bytes()).command
        if command != version.manifest.command:
            raise LeagueError(f"{version.label} is damaged: its stored command is not the one in its bot.toml")
        packages = self.packages(version.packages)
        return BotSpec(number, version.label, str(folder), command, packages=packages)

    @contextmanager
    def for_a_trial(self, name: str, data: Callable[[], bytes]) -> Iterator[Path]:
        """Yield the folder of a bundle like `folder`, and remove it afterwards: most tried bots are never submitted.

        Raises:
            LeagueError: if the bundle cannot be unpacked.
        """
        try:
            self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
            trial = Path(tempfile.mkdtemp(prefix=".try-", dir=self._root))
        except OSError as error:
            raise LeagueError(f"cannot unpack a bot to {self._root}: {error.strerror}") from None
        try:
            yield BundleCache(trial, self._environments).folder(name, data)
        finally:
            _remove(trial)

    def _intact(self, folder: Path, name: str) -> bool:
        try:
            return folder.is_dir() and digest(read_folder(folder)) == name
        except BundleError:
            return False

    def _unpack(self, files: Mapping[str, File], folder: Path) -> None:
        """Unpack files into a new folder, then rename it to `folder`."""
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=self._root))
        try:
            for inside, file in files.items():
                path = below(fresh, inside)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
                path.chmod(0o555 if file.program else 0o444)
            for path in (*fresh.rglob("*"), fresh):
                if path.is_dir():  # whoever owns the folder: bots cannot write to it, and its owner can delete it
                    path.chmod(0o755)
            if folder.exists():
                old = Path(tempfile.mkdtemp(prefix=".old-", dir=self._root))
                folder.rename(old)
                _remove(old)
            fresh.rename(folder)
        except OSError:
            _remove(fresh)
            raise


def _remove(folder: Path) -> None:
    """Remove a folder that has read-only subfolders."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
