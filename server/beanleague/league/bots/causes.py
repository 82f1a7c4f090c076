"""Causes of a bot's failure that are visible in its files, each with a remedy."""

import re
import shlex
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from beanleague.league.bots.entries import File
from beanleague.league.bots.manifest import MANIFEST
from beanleague.league.errors import BundleError, Problem

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ELF = b"\x7fELF"
_FOREIGN = (b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # first bytes of programs for Windows and macOS
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh"})
_ARCHIVES = {
    b"\x1f\x8b": "a gzip file, such as a .tar.gz",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\0": "an xz file",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
}
_TAR = slice(257, 262)  # position of the word "ustar" in a tar archive
_NO_MODULE = re.compile(r"\bModuleNotFoundError: No module named '(\w+)")
_MODULES = sys.stdlib_module_names | {"beanbot", "beanleague", "beanproto", "google", "grpc"}


def no_zip(data: bytes, error: Exception) -> Problem:
    """Return the problem of data that are not a readable zip file; it names the format if known."""
    kind = next((kind for begin, kind in _ARCHIVES.items() if data.startswith(begin)), "")
    if data[_TAR] == b"ustar":
        kind = "a tar archive"
    if not data:
        return Problem("", "the file is empty; pack the bot again, or submit its folder")
    if kind:
        return Problem("", f"not a zip file, but {kind}; submit the folder of the bot, or a zip file of it")
    if not data.startswith(b"PK") and _is_text(data):
        return Problem("", "not a zip file, but text; submit the folder that contains the bot and its bot.toml")
    return Problem("", f"not a readable zip file: {error}")


def no_manifest(names: Collection[str]) -> Problem:
    """Return the problem of a bundle without bot.toml, with the likely place: a subfolder, a similar name, a zip file.

    `names`: files of the bundle.
    """
    deeper = sorted(name.rpartition("/")[0] for name in names if name.endswith(f"/{MANIFEST}"))
    if deeper:
        return Problem(MANIFEST, f"is missing; it is in {deeper[0]!r}: submit that folder, or pack its contents")
    top = sorted(name for name in names if "/" not in name)
    for name in top:
        if name.casefold() in {MANIFEST, f"{MANIFEST}.txt"}:
            return Problem(MANIFEST, f"is missing, but there is {name}: rename it to {MANIFEST}")
    zips = [name for name in top if name.endswith(".zip")]
    hint = f"; if {zips[0]} is the bot, submit that" if len(zips) == 1 else ""
    return Problem(MANIFEST, f"is missing{hint}")


def check_program(command: Sequence[str], files: Mapping[str, File]) -> None:
    """Refuse a program that the system cannot start, and a shell script with Windows line ends.

    Raises:
        BundleError: if it is refused; the message gives reason and remedy.
    """
    program = PurePosixPath(command[0]).as_posix()
    script = next((word for word in command[1:] if not word.startswith("-")), "")
    if "/" in command[0] and program in files:
        name, why = program, _not_started(program, files[program])
    elif PurePosixPath(program).name in _SHELLS and (name := PurePosixPath(script).as_posix()) in files:
        why = _windows_lines(name) if _ends_lines_as_windows(files[name].content) else ""
    else:
        return
    if why:
        raise BundleError(Problem(name, why))


def _not_started(name: str, file: File) -> str:
    """Return the reason why a file cannot be started as a program, with the remedy; "" if none is known."""
    head, _, _ = file.content.partition(b"\n")
    if not file.content:
        return "is empty, so it cannot be started"
    if head.startswith(_BYTE_ORDER_MARK + b"#!"):
        return "begins with a byte order mark, before #!; save it as UTF-8 without one"
    if head.startswith(b"#!") and head.endswith(b"\r"):
        return _windows_lines(name)
    if head.startswith(_FOREIGN):
        return "is a program for another system; bots run on Linux"
    if not head.startswith((b"#!", _ELF)) and _is_text(file.content):
        return _no_first_line(name)
    if missing := _missing_interpreter(head):
        return f"names {missing} in its first line, but there is no such program here"
    if not file.program:
        return (
            f"is not executable, so it cannot be started; run: chmod +x {shlex.quote(name)}, and submit the "
            "folder, or pack it with a program that preserves this, such as zip"
        )
    return ""


def _no_first_line(name: str) -> str:
    """Return the problem of a script without an interpreter in its first line, with the line to add."""
    runner = "python" if name.endswith(".py") else "node" if name.endswith((".js", ".mjs")) else "sh"
    line = f"#!/usr/bin/env {'python3' if runner == 'python' else runner}"
    return (
        "is text without a #! line, so the system does not know how to run it; add the first line "
        f'{line}, or write command = ["{runner}", "{name}"]'
    )


def _missing_interpreter(head: bytes) -> str:
    """Return the interpreter in a script's first line if this machine lacks it, else ""."""
    words = head.removeprefix(b"#!").decode(errors="replace").split() if head.startswith(b"#!") else []
    if words and PurePosixPath(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words and shutil.which(words[0]) is None else ""


def _windows_lines(name: str) -> str:
    return (
        r"has Windows line endings (CR LF), so Linux cannot run it; convert it with: sed -i 's/\r$//' "
        + shlex.quote(name)
    )


def _ends_lines_as_windows(content: bytes) -> bool:
    """Return whether all lines of a script end with CR LF."""
    return 0 < content.count(b"\n") == content.count(b"\r\n")


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False


def hidden_modules(folder: Path, command: Sequence[str], said: str) -> Iterator[Problem]:
    """Yield a bot's Python files that shadow a module it needs.

    `said`: the bot's log and fault reasons; only modules mentioned there are considered.
    """
    if command[0] != "python":
        return
    script = next((word for word in command[1:] if word.endswith(".py")), "")
    for path in sorted((folder / script).parent.iterdir()):
        if (name := _module(path)) and re.search(rf"\b{name}\b", said):
            whose = "Python" if name in sys.stdlib_module_names else "the bots' library"
            yield Problem(
                path.relative_to(folder).as_posix(),
                f"shadows a module of {whose} with the same name; rename it",
            )


def missing_modules(said: str, environments: Mapping[str, Collection[str]]) -> Iterator[Problem]:
    """Yield a problem for each module that a bot missed, with what bots can import here.

    `said`: the bot's log and fault reasons. `environments`: importable modules by the name of the environment.
    """
    for name in dict.fromkeys(_NO_MODULE.findall(said)):
        having = [environment for environment, modules in environments.items() if name in modules]
        if having:
            what = f'is in the environment {having[0]}: write environment = "{having[0]}" into {MANIFEST}'
        else:
            others = f"the environments {', '.join(environments)}" if environments else "no other environment"
            what = (
                "is no module that bots have here. They have Python's own, beanbot and numpy, and this server has "
                f"{others}. Put a small module beside the bot, or ask the organiser for an environment with it"
            )
        yield Problem(f"module {name}", f"{what}; 'beanleague environment list' and docs/environments.md say more")


def _module(path: Path) -> str:
    """Return the module of Python or of the bots' library that a file or folder shadows; "" if there is none."""
    name = path.name.partition(".")[0]
    return name if name in _MODULES and (path.is_dir() or path.suffix in {".py", ".so"}) else ""
