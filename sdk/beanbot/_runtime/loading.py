"""Loading a bot's program into this process, for practice."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from beanbot._runtime.asking import Failure, attempt
from beanbot._runtime.program import BotProgram, Home, read_settings, recording
from beanbot.bot import Bot
from beanleague.games.records.faults import NEVER_RUN

if TYPE_CHECKING:
    from pathlib import Path

    from beanleague.bot_settings import Value

_MAX_MANIFEST_BYTES = 4096  # maximum size of bot.toml in leagues


class LoadError(Exception):
    """Raised when a bot cannot be loaded; the message gives the reason."""

    details: str
    """The traceback of an error in the bot's own code, else ""."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


def load_bot(path: str | Path, settings: Mapping[str, object] | None = None) -> BotProgram:
    """Return the bot in a Python file, in a bundle (a folder with `bot.toml`), or the house bot of this name.

    `settings` override values of the same names in the table [settings] of `bot.toml`; a Python file uses the
    `bot.toml` in its folder.

    The program is executed in its folder, but its `run()` does not play.

    Raises:
        LoadError: if the file does not exist, the program fails or never calls `run()`, or a setting is unknown.
    """
    from pathlib import Path  # imported late: only practice needs paths

    path = _house_bot(str(path)) or Path(path)
    if path.is_dir():
        name, file, arguments = _read_bundle(path)
    else:
        name, file, arguments = path.stem, path, ()
    if not file.is_file():
        raise LoadError(f"{file}: no such file{_hint(path)}")
    chosen = _settings(path if path.is_dir() else path.parent, settings or {})
    program = file.resolve()
    home = Home((path if path.is_dir() else path.parent).resolve(), program.parent)
    with recording() as classes, home.entered():
        _execute(program, arguments, classes)
    if not classes:
        raise LoadError(f"{file}: {NEVER_RUN}")
    return BotProgram(name, tuple(classes), home, chosen)


def _settings(folder: Path, others: Mapping[str, object]) -> Mapping[str, Value]:
    """Return the settings of a bundle, overridden by `others`."""
    from beanleague.bot_settings import bot_settings

    try:
        found = read_settings(str(folder))
        given = bot_settings(others)
    except ValueError as problem:
        raise LoadError(f"{folder / 'bot.toml'}: {problem}") from None
    unknown = next((name for name in given if name not in found), None)
    if unknown is not None:
        known = ", ".join(found) or "none"
        raise LoadError(f"{folder / 'bot.toml'}: [settings] has no {unknown!r:.60}; there are: {known}")
    return {**found, **given}


def _house_bot(name: str) -> Path | None:
    """Return the bundle of the house bot `name`; None if there is none, or a file or folder here has this name."""
    from pathlib import Path

    from beanleague.house_folder import house_folders

    if Path(name).exists():
        return None
    return next((folder for folder in house_folders() if folder.name == name), None)


def _hint(path: Path) -> str:
    """Return a suggestion for a missing `path`, for an error message."""
    from beanleague.games.core.game import suggestion
    from beanleague.house_folder import house_folders

    if path.suffix or len(path.parts) > 1:
        return ""
    return f", nor a house bot; {suggestion(path, (folder.name for folder in house_folders()))}"


def _read_bundle(folder: Path) -> tuple[str, Path, tuple[str, ...]]:
    """Return the name of the bot in `folder`, its Python file, and the arguments of that file."""
    import tomllib  # imported late: a bot that plays in a league reads no manifest

    from beanleague.files import FileError, read

    config = folder / "bot.toml"
    try:
        manifest = tomllib.loads(read(config, _MAX_MANIFEST_BYTES).decode())
    except FileError as problem:
        raise LoadError(f"{config} {problem}") from None
    except FileNotFoundError:
        raise LoadError(f"{config}: no such file; a bot is a Python file or a folder with bot.toml") from None
    except (OSError, ValueError) as problem:
        raise LoadError(f"{config}: {problem}") from None
    except RecursionError:
        raise LoadError(f"{config}: nested too deeply") from None
    command = manifest.get("command")
    words = tuple(command) if isinstance(command, list) and all(isinstance(word, str) for word in command) else ()
    at = next((i for i, word in enumerate(words) if word.endswith(".py")), None)
    if at is None:
        raise LoadError(
            f'{config}: command must name a Python file, as in ["python", "bot.py"]; practice plays only Python bots'
        )
    name = manifest.get("name")
    return name if isinstance(name, str) else folder.name, folder / words[at], words[at + 1 :]


def _execute(file: Path, arguments: tuple[str, ...], classes: list[type[Bot[Any]]]) -> None:
    program = ModuleType("__main__")
    program.__file__ = str(file)
    with _as_program(program, file, arguments):
        done = attempt(_run_code, file, program)
    if isinstance(done, Failure) and done.line.startswith("SystemExit"):
        if not classes:
            raise LoadError(f"{file}: {NEVER_RUN}")
    elif isinstance(done, Failure):
        raise LoadError(f"{file}: {done.line}", done.details)


def _run_code(file: Path, program: ModuleType) -> None:
    exec(compile(file.read_bytes(), file, "exec"), program.__dict__)  # noqa: S102  # the user's own bot


@contextmanager
def _as_program(program: ModuleType, file: Path, arguments: tuple[str, ...]) -> Iterator[None]:
    """Make this process look as if Python had been started with `file`."""
    main, argv = sys.modules["__main__"], sys.argv
    sys.modules["__main__"] = program
    sys.argv = [str(file), *arguments]
    try:
        yield
    finally:
        sys.argv = argv
        sys.modules["__main__"] = main
