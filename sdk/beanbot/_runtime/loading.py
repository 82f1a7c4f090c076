"""Loading a bot's program into this process, to practise with it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from beanbot._runtime.asking import Failure, attempt
from beanbot._runtime.program import BotProgram
from beanbot._runtime.recording import recording
from beanbot.bot import Bot


class LoadError(Exception):
    """A bot cannot be loaded; the text says why. `details`: the traceback of its own code, or ""."""

    def __init__(self, text: str, details: str = "") -> None:
        super().__init__(text)
        self.details = details


def load_bot(path: str | Path) -> BotProgram:
    """Return the bot in a Python file, or in a bundle: a folder with `bot.toml`.

    The program is executed, but its `run()` does not play. It should import its own modules at the top: they are
    found there, but not later on, since other bots may have modules of the same names.

    Raises:
        LoadError: there is no such program, it fails, or it never calls `run()`.
    """
    path = Path(path)
    if path.is_dir():
        name, file, arguments = _read_bundle(path)
    else:
        name, file, arguments = path.stem, path, ()
    if not file.is_file():
        raise LoadError(f"{file}: there is no such file")
    with recording() as classes:
        _execute(file.resolve(), arguments, classes)
    if not classes:
        raise LoadError(f"{file}: the program never calls run(...) with a bot class")
    return BotProgram(name, tuple(classes))


def _read_bundle(folder: Path) -> tuple[str, Path, tuple[str, ...]]:
    """Return the name of the bot in `folder`, its Python file and the arguments for it."""
    config = folder / "bot.toml"
    try:
        told = tomllib.loads(config.read_text("utf-8"))
    except FileNotFoundError:
        raise LoadError(f"{config}: there is no such file; a bot is a Python file or a folder with bot.toml") from None
    except (OSError, ValueError) as problem:
        raise LoadError(f"{config}: {problem}") from None
    command = told.get("command")
    words = tuple(command) if isinstance(command, list) and all(isinstance(word, str) for word in command) else ()
    at = next((i for i, word in enumerate(words) if word.endswith(".py")), None)
    if at is None:
        raise LoadError(f'{config}: command names no Python file, as in ["python", "bot.py"]; practice plays no others')
    return str(told.get("name", folder.name)), folder / words[at], words[at + 1 :]


def _execute(file: Path, arguments: tuple[str, ...], classes: list[type[Bot[Any]]]) -> None:
    program = ModuleType("__main__")
    program.__file__ = str(file)
    with _as_program(program, file, arguments):
        try:
            done = attempt(_run_code, file, program)
        except SystemExit:
            if not classes:
                raise LoadError(f"{file}: the program exits before it calls run(...)") from None
            return
    if isinstance(done, Failure):
        raise LoadError(f"{file}: {done.line}", done.details)


def _run_code(file: Path, program: ModuleType) -> None:
    exec(compile(file.read_bytes(), file, "exec"), program.__dict__)  # noqa: S102  # it is the user's own bot


@contextmanager
def _as_program(program: ModuleType, file: Path, arguments: tuple[str, ...]) -> Iterator[None]:
    """Make things look as when Python is started with `file`; afterwards, its folder's modules are forgotten."""
    folder = str(file.parent)
    main, argv, before = sys.modules["__main__"], sys.argv, set(sys.modules)
    sys.modules["__main__"] = program
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        sys.argv = argv
        sys.modules["__main__"] = main
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]
