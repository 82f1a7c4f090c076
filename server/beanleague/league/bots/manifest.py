"""Parsing and validation of bot.toml, the manifest of a bundle."""

import shutil
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Any

from beanleague.bot_settings import SettingError, bot_settings
from beanleague.files import FileError, without_mark
from beanleague.games import UnknownRulesetError, ruleset
from beanleague.games.core.game import brief, suggestion
from beanleague.league.errors import BundleError, Problem
from beanleague.model import Manifest
from beanleague.names import NAME, NAME_RULE

MANIFEST = "bot.toml"
LEAVE_OUT = "leave_out"
"""Key in bot.toml for patterns of files to leave out of the bundle."""

MAX_BYTES = 4096
"""Maximum size of bot.toml, since parsing time grows with the square of the number of parts in a dotted key."""

_NEEDED = {"name": 'name = "mybot"', "games": 'games = ["bohnanza"]', "command": 'command = ["python", "bot.py"]'}
_BELOW_SETTINGS = "is below [settings], which makes it a setting of the bot; move it above that line"
_MAX_ADMITTED_BYTES = 65_536  # former size limit, kept for bots submitted to earlier versions
_ALIKE = 0.75  # similarity of names that differ in a letter or two, or in the suffix
_MAX_WORDS = 32  # maximum number of words in a list
_MAX_CHARACTERS = {"description": 500, "author": 100}  # maximum length in characters


def parse_manifest(text: bytes, files: Collection[str]) -> Manifest:
    """Parse a bot.toml. `files`: the names of the files of the bundle.

    Raises:
        BundleError: if it is invalid; the error lists all problems.
    """
    problems: list[Problem] = []

    def complain(key: str, what: str) -> None:
        problems.append(Problem(f"{MANIFEST}: {key}" if key else MANIFEST, what))

    table = _load(text, MAX_BYTES)
    _check_keys(table, complain)
    name = table.get("name")
    if name is not None:
        _check_name("name", name, complain)
    games = _words(table, "games", complain)
    _check_games(games, complain)
    command = _words(table, "command", complain)
    if command:
        _check_command(command, files, complain)
    try:
        bot_settings(table.get("settings", {}))
    except SettingError as error:
        complain("settings", str(error))
    _words(table, LEAVE_OUT, complain)
    texts = {key: _text(table, key, longest, complain) for key, longest in _MAX_CHARACTERS.items()}
    environment = table.get("environment", "")
    if environment:
        _check_name("environment", environment, complain)
    if problems:
        raise BundleError(*problems)
    assert isinstance(name, str)
    return Manifest(name, games, command, texts["description"], texts["author"], environment)


def _check_keys(table: Mapping[str, Any], complain: Callable[[str, str], None]) -> None:
    """Complain about keys that are missing, unknown, or placed under [settings] by mistake."""
    settings = table.get("settings", {})
    for key, example in _NEEDED.items():
        if key not in table:
            misplaced = isinstance(settings, dict) and key in settings
            complain(key, _BELOW_SETTINGS if misplaced else f"is missing; write for example: {example}")
    known = [*_NEEDED, *_MAX_CHARACTERS, "environment", LEAVE_OUT, "settings"]
    for key in table:
        if key not in known:
            complain(f"{key:.60}", f"is not a key of {MANIFEST}; {suggestion(key, known)}")


def _check_name(key: str, name: object, complain: Callable[[str, str], None]) -> None:
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        complain(key, f"{brief(name)} is not a valid name: {NAME_RULE}")


def _check_games(games: Sequence[str], complain: Callable[[str, str], None]) -> None:
    """Complain about games that are unknown or listed twice."""
    for game in games:
        try:
            ruleset(game)
        except UnknownRulesetError as unknown:
            complain("games", str(unknown))
    if len(set(games)) < len(games):
        complain("games", "names a game twice")


def patterns_of(text: bytes) -> tuple[str, ...]:
    """Return the `leave_out` patterns of a bot.toml whose other keys may be invalid.

    Raises:
        BundleError: if it is not TOML, or `leave_out` is misplaced or not a list of texts. This error is reported
            first, since otherwise the files to leave out would be refused for other reasons.
    """
    table = _load(text, MAX_BYTES)
    problems: list[Problem] = []
    patterns = _words(table, LEAVE_OUT, lambda key, what: problems.append(Problem(f"{MANIFEST}: {key}", what)))
    settings = table.get("settings")
    if isinstance(settings, dict) and LEAVE_OUT in settings and LEAVE_OUT not in table:
        problems.append(Problem(f"{MANIFEST}: {LEAVE_OUT}", _BELOW_SETTINGS))
    if problems:
        raise BundleError(*problems)
    return patterns


def admitted_manifest(text: bytes) -> Manifest:
    """Return the manifest of a bot.toml that was already checked at submission, possibly elsewhere.

    Raises:
        BundleError: if it is not TOML, or larger than any release allowed.
    """
    table = _load(text, _MAX_ADMITTED_BYTES)
    description, author = (" ".join(str(table.get(key, "")).split()) for key in _MAX_CHARACTERS)
    games, command = (tuple(table.get(key, ())) for key in ("games", "command"))
    return Manifest(str(table.get("name")), games, command, description, author, str(table.get("environment", "")))


def _load(text: bytes, max_bytes: int) -> dict[str, Any]:
    if len(text) > max_bytes:
        raise BundleError(Problem(MANIFEST, f"has {len(text)} bytes; {max_bytes} are allowed"))
    try:
        return tomllib.loads(without_mark(text).decode())
    except FileError as error:
        raise BundleError(Problem(MANIFEST, str(error))) from None
    except UnicodeDecodeError as error:
        raise BundleError(Problem(MANIFEST, f"is not UTF-8 text (byte {error.start})")) from None
    except ValueError as error:  # malformed TOML, or a number with more digits than Python reads
        twice = "a key or table is written twice: " if "overwrite" in str(error) or "twice" in str(error) else ""
        raise BundleError(Problem(MANIFEST, f"is not valid TOML: {twice}{error!s:.200}")) from None
    except RecursionError:
        raise BundleError(Problem(MANIFEST, "is not valid TOML: nested too deep")) from None


def _words(table: Mapping[str, Any], key: str, complain: Callable[[str, str], None]) -> tuple[str, ...]:
    """Return the texts of a list; () if the key is missing or its value is invalid."""
    value = table.get(key)
    if value is None:
        return ()
    if problem := _problem_of_words(value):
        complain(key, problem)
        return ()
    return tuple(value)


def _problem_of_words(value: object) -> str:
    """Return the reason why a value is not a valid list of texts; "" if it is."""
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return "must be a list of strings in quotes"
    if not value or not value[0]:
        return "must not be empty"
    if len(value) > _MAX_WORDS or any("\0" in word or len(word) > 1000 for word in value):
        return f"must have at most {_MAX_WORDS} entries, each of at most 1000 characters and without NUL"
    return ""


def _text(table: Mapping[str, Any], key: str, longest: int, complain: Callable[[str, str], None]) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        complain(key, "must be a string in quotes")
        return ""
    if len(value) > longest:
        complain(key, f"has {len(value)} characters; {longest} are allowed")
    text = " ".join(value.split())
    if not text.isprintable():
        complain(key, "contains unprintable characters")
    return text


def _check_command(command: tuple[str, ...], files: Collection[str], complain: Callable[[str, str], None]) -> None:
    """Check that the program of a command exists, and for "python" also the file or module to run."""
    program, *arguments = command
    if program == "python":
        _check_python(arguments, files, complain)
    elif "/" not in program:
        if program in files:
            complain("command", f"write ./{program} for the program {program} in the bundle")
        elif "\\" in program:
            complain("command", _no_file(program, files))
        elif shutil.which(program) is None:
            complain("command", f"there is no program {program!r} here, nor a file of that name in the bundle")
    elif not program.startswith("/") and _inside(program) not in files:
        complain("command", _no_file(program, files))
    elif program.startswith("/") and shutil.which(program) is None:
        complain("command", f"there is no program {program!r} here")


def _check_python(arguments: list[str], files: Collection[str], complain: Callable[[str, str], None]) -> None:
    while arguments and arguments[0].startswith("-") and arguments[0] not in {"-m", "-c", "-"}:
        takes_value = arguments[0] in {"-W", "-X"}
        arguments = arguments[2 if takes_value else 1 :]
    if not arguments or arguments[0] == "-":
        complain("command", 'does not say what python should run; write for example: command = ["python", "bot.py"]')
    elif arguments[0] == "-m":
        return  # the package may be installed; the trial match will show
    elif arguments[0] != "-c" and _inside(arguments[0]) not in files:
        complain("command", _no_file(arguments[0], files))


def _no_file(path: str, files: Collection[str]) -> str:
    """Return the complaint about a file missing from the bundle, with a similar name if there is one."""
    turned = path.replace("\\", "/")
    if turned != path and _inside(turned) in files:
        return f'write {turned}: use "/" between the parts of a path'
    similar = get_close_matches(_inside(path), set(files) - {MANIFEST}, n=1, cutoff=_ALIKE)
    hint = f"; did you mean {similar[0]!r}?" if similar else ""
    return f"there is no file {path!r} in the bundle{hint}"


def _inside(path: str) -> str:
    """Return the file's name within the bundle, given its relative path."""
    return PurePosixPath(path).as_posix()
