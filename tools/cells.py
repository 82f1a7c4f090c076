"""Runs tests in the cells that users have: as root or as an ordinary user, with and without the packages of `.ci/run`.

    python tools/cells.py here COMMAND ...              # make test: run it, then say where, and what was skipped
    python tools/cells.py enter --user ordinary         # as root: all tests in a fresh clone, as another user
    python tools/cells.py enter --bare --part           # as root: without packages, the tests that depend on the place
    python tools/cells.py enter --bare make league      # as root: another command

`enter` clones the last commit, gives the clone to the user, and keeps of the environment only the settings of pip, npm,
tox, proxies and certificates. Packages are hidden by a mount namespace, so nothing is removed. The exit status is that
of the command. Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path

from pytest_output import Skip, result_in

ROOT = Path(__file__).resolve().parents[1]

PACKAGES: Mapping[str, str] = {
    "bubblewrap": "bwrap",
    "chromium-headless-shell": "chromium-headless-shell",
    "iproute2": "ip",
    "nginx-light": "nginx",
    "npm": "npm",
    "openssl": "openssl",
    "postgresql": "/usr/lib/postgresql",
}
"""Packages that tests use where they are installed: a program of each, or its folder."""
HIDDEN = (*PACKAGES.values(), "chromium", "java", "javac", "node", "npx", "postgres", "psql")
"""Programs and folders that a bare machine does not have."""
BROWSERS = ("chromium", "chromium-headless-shell")
TESTS = ("make", "test", "ENVIRONMENTS=$(HERE)")
"""All tests, on one Python."""
PART = (
    *TESTS,
    "TESTS="
    + " ".join(
        f"tests/{folder}" for folder in ("cli", "hostile", "league/run", "packaging", "referee", "service", "web")
    ),
)
"""Tests that depend on the user or the packages; for the site only the ones without a browser."""
PATHS = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SETTINGS = (
    *("CI", "LANG", "TERM"),
    *("PIP_*", "NPM_CONFIG_*", "npm_config_*", "TOX_*", "OPENBLAS_*"),
    *("*_proxy", "*_PROXY", "*_CA_BUNDLE", "*_CA_CERTS", "*_CAINFO", "SSL_CERT_*"),
)
"""Variables of the environment that a cell keeps."""
SETTING_FILES = (".npmrc", ".config/pip/pip.conf", ".pip/pip.conf")
"""Files below the home folder that it keeps too."""
CLONES = Path("/var/tmp")  # noqa: S108  # each clone has a folder of its own, made by mkdtemp
"""Folder of clones; root's temporary files may be closed to the user."""
PREFIX = "beanleague-cell-"
"""Prefix of the names of clones; the number of the process that made one follows."""
_NEW_MOUNTS = 0x20000
"""CLONE_NEWNS of unshare(2)."""
_SUITABLE = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))"
"""A program that succeeds on a Python that can make environments for Beanleague."""


class CellError(Exception):
    """The cell cannot be entered; the message says why."""


def place() -> str:
    """Return a sentence about who runs this and which packages are missing, e.g. "as root, with all packages"."""
    missing = [name for name, program in PACKAGES.items() if not installed(program)]
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
    if not missing:
        return f"as {who}, {python}, with all packages that tests use"
    return f"as {who}, {python}, without {', '.join(missing)} (.ci/run installs what tests use)"


def installed(program: str) -> bool:
    """Return whether a program is on the PATH, or a folder of programs, given by its absolute path, holds any."""
    return any(Path(program).glob("*")) if program.startswith("/") else shutil.which(program) is not None


def here(command: Sequence[str]) -> int:
    """Run a command where one is, and end with this place and the tests that were skipped; return its exit status."""
    skipped: Counter[str] = Counter()
    colours = {"FORCE_COLOR": "1"} if sys.stdout.isatty() else {}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **colours},
    ) as process:
        # Ctrl-C reaches the command too, which ends what it started; its last lines are still wanted.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda got, _: process.send_signal(got))
        for line in process.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            if isinstance(result := result_in(line), Skip):
                skipped[result.why] += result.number
    print("", *ending(skipped), sep="\n", flush=True)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def ending(skipped: Counter[str]) -> Iterator[str]:
    """Yield the lines that `make test` ends with."""
    yield f"Tests ran {place()}."
    if not skipped:
        yield "No test was skipped."
        return
    yield f"Skipped: {sum(skipped.values())}"
    for why, number in skipped.most_common():
        yield f"  {number:>4}  {why}"


def enter(command: Sequence[str], user: str | None, hidden: Sequence[str], umask: int) -> int:
    """Run a command in a fresh clone; return its exit status.

    Args:
        command: runs in the root of the clone, with PYTHON naming a Python that the user may start.
        user: name of an ordinary user; None is root.
        hidden: programs and folders that the command does not find.
        umask: of the clone and the command.

    Raises:
        CellError: if this is not root, or there is no such user, or no Python for it.
    """
    if os.geteuid() != 0:
        raise CellError("only root can enter another cell; as another user run the command itself: make test")
    account = _account(user)
    if hidden:
        hide(hidden)
    remove_abandoned()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=CLONES))
    try:
        folder.chmod(0o755)
        home, clone = folder / "home", folder / "beanleague"
        home.mkdir()
        copy_settings(Path.home(), home)
        git = shutil.which("git") or "git"
        subprocess.run([git, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True, umask=umask)
        environment = copy_named_files(settings(os.environ, home, clone), home / "settings", clone)
        # Git refuses to work in a folder of another user.
        for each in (folder, *folder.rglob("*")):
            os.chown(each, account.pw_uid, account.pw_gid, follow_symlinks=False)
        environment["PYTHON"] = python_for(account, environment)
        process = subprocess.Popen(
            command,
            cwd=clone,
            env=environment,
            umask=umask,
            user=account.pw_uid,
            group=account.pw_gid,
            extra_groups=[],
        )
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda got, _: process.send_signal(got))
        status: int = process.wait()
        return status if status >= 0 else 128 - status
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned() -> None:
    """Remove the clones of earlier calls that were killed."""
    for folder in CLONES.glob(f"{PREFIX}*-*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdecimal() and not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _account(user: str | None) -> pwd.struct_passwd:
    """Return the account of a user; root's for None."""
    try:
        return pwd.getpwnam(user) if user else pwd.getpwuid(0)
    except KeyError:
        raise CellError(f"there is no user {user}: useradd --system {user}") from None


def hide(programs: Sequence[str]) -> None:
    """Hide programs and folders from this process and all that it starts, in a mount namespace of its own.

    Raises:
        CellError: if mount namespaces cannot be made here.
    """
    libc = ctypes.CDLL(None, use_errno=True)  # os.unshare is there from Python 3.12 on
    if libc.unshare(_NEW_MOUNTS):
        raise CellError(f"packages cannot be hidden here: no mount namespace: {os.strerror(ctypes.get_errno())}")
    mount = shutil.which("mount") or "mount"
    subprocess.run([mount, "--make-rprivate", "/"], check=True)
    for program in programs:
        if program.startswith("/"):
            if Path(program).is_dir():
                subprocess.run([mount, "-t", "tmpfs", "-o", "size=4k", "tmpfs", program], check=True)
            continue
        for folder in dict.fromkeys((*os.environ.get("PATH", "").split(":"), *PATHS.split(":"))):
            file = Path(folder, program)
            if file.is_file():  # a program under a mount cannot be run, so it is not found on the PATH
                subprocess.run([mount, "--bind", "/dev/null", str(file)], check=True)


def copy_settings(old: Path, new: Path) -> None:
    """Copy the files with settings of pip and npm from one home folder to another."""
    for name in SETTING_FILES:
        if (old / name).is_file():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(old / name, new / name)


def settings(environment: Mapping[str, str], home: Path, clone: Path) -> dict[str, str]:
    """Return the environment of a cell: a plain PATH, HOME, and the SETTINGS of `environment`.

    Files of the project are named in the clone: the user may not be let into the folder of the original.
    """
    kept = {name: value for name, value in environment.items() if any(fnmatch(name, each) for each in SETTINGS)}
    in_clone = {name: value.replace(f"{ROOT}/", f"{clone}/") for name, value in kept.items()}
    return in_clone | {"HOME": str(home), "PATH": PATHS}


def copy_named_files(environment: Mapping[str, str], folder: Path, clone: Path) -> dict[str, str]:
    """Copy files named by variables to a folder, e.g. certificates below /root; return the variables changed.

    Files in the clone and folders stay where they are.
    """
    found = dict(environment)
    for name, value in environment.items():
        file = Path(value)
        if file.is_absolute() and file.is_file() and not file.is_relative_to(clone):
            folder.mkdir(exist_ok=True)
            found[name] = str(shutil.copy(file, folder / name))
    return found


def python_for(account: pwd.struct_passwd, environment: Mapping[str, str]) -> str:
    """Return a Python that a user may start and that can make environments: on the plain PATH, or else this one.

    Raises:
        CellError: if neither is one.
    """
    for python in filter(None, (shutil.which("python3", path=PATHS), sys.executable)):
        try:
            tried = subprocess.run(
                [python, "-c", _SUITABLE],
                env=environment,
                user=account.pw_uid,
                group=account.pw_gid,
                extra_groups=[],
                stderr=subprocess.DEVNULL,
                check=False,
            )
        except PermissionError:
            continue
        if tried.returncode == 0:
            return python
    raise CellError("the user can start no Python from 3.11 on with venv (apt-get install python3-venv)")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb in ("here", "enter"):
        words = verbs.add_parser(verb)
        words.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...")
        if verb == "enter":
            words.add_argument("--user", metavar="NAME", help="an ordinary user (root)")
            words.add_argument("--bare", action="store_true", help="hide all packages that tests use")
            words.add_argument("--part", action="store_true", help="run the tests that depend on the place, no browser")
            words.add_argument("--umask", type=lambda text: int(text, 8), default=0o022, help="in octal (022)")
    asked = parser.parse_args()
    if asked.verb == "here":
        return here(asked.command)
    hidden = (*(HIDDEN if asked.bare else ()), *(BROWSERS if asked.part else ()))
    try:
        return enter(asked.command or (PART if asked.part else TESTS), asked.user, hidden, asked.umask)
    except CellError as error:
        print(f"cells: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
