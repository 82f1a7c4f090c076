"""Names of bots, versions and matches; checks of paths and hosts; sanitising of strangers' texts."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

NAME = re.compile(r"[a-z0-9_-]{1,32}")
"""Pattern of existing names of bots, leagues and tokens; new names must satisfy `is_new_name`, too."""

NAME_RULE = (
    'a name has 1 to 32 characters of a-z, 0-9, "_" and "-", begins with a letter, and is not a word that other '
    "programs read as a value or a device, such as null, nan, true or con"
)

DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(1, 10)), *(f"lpt{n}" for n in range(1, 10))}
)
"""File names that Windows reserves, with any suffix."""

_NOT_NAMES = frozenset(
    {
        # values in pandas, R, JSON and JavaScript
        *("nan", "na", "null", "nil", "none", "undefined", "inf", "infinity"),
        *("true", "false", "yes", "no", "y", "n", "on", "off"),  # values in spreadsheets and YAML
        *DEVICES,
    }
)
"""Words that mean something else where names are used; docs/data.md lists them, and explains why months are allowed."""

DIGEST = re.compile(r"[0-9a-f]{64}")
"""Pattern of the digests of bundles and environments, which also name folders."""

MAX_DEAL = 999_999_999
"""Largest deal number in a match id."""

_VERSION = re.compile(r"[1-9][0-9]{0,8}")
_MATCH = re.compile(rf"({NAME.pattern})/([0-9]{{1,9}})\.([0-9]{{1,2}})")
_PASSWORD = re.compile(r"^((?:[^:/?#@]*://)?[^:/?#@]*):(?!//).*@", re.DOTALL)
_SECRET_VALUE = re.compile(r"([?&][^=&]*(?:pass|pwd|secret|token)[^=&]*=)[^&]*", re.IGNORECASE)


def is_new_name(text: str) -> bool:
    """Return whether a name is allowed for a new bot, league, token or environment."""
    return bool(NAME.fullmatch(text)) and text[0].isalpha() and text not in _NOT_NAMES


class NameFormatError(ValueError):
    """Raised for a malformed name; the message gives the right format."""


def format_bot(name: str, version: int) -> str:
    """Return "name@version", or only the name for version 0: the Bean Thief has no versions."""
    return f"{name}@{version}" if version else name


def parse_bot(text: str) -> tuple[str, int | None]:
    """Return the name and the version of "name" (version None: the newest) or "name@version".

    Raises:
        NameFormatError: if `text` is neither.
    """
    name, at, version = text.partition("@")
    if not NAME.fullmatch(name):
        raise NameFormatError(f'{text!r:.80} is not a bot; write it as "name" or "name@version", e.g. trader@2')
    if at and not _VERSION.fullmatch(version):
        raise NameFormatError(f"{text!r:.80} is not a bot: a version number must follow the @, e.g. {name}@2")
    return name, int(version) if at else None


def below(root: Path, name: str) -> Path:
    """Return a path below a folder. `name`: parts separated by "/", possibly from a stranger.

    Raises:
        NameFormatError: if the path could lead out of the folder.
    """
    parts = name.split("/")
    if "\0" in name or not {"", ".", ".."}.isdisjoint(parts):
        raise NameFormatError(f"{name!r:.80} is not a path below a folder")
    return root.joinpath(*parts)


def hide_password(url: str) -> str:
    """Return a URL, well-formed or not, with its password replaced by "***" for display."""
    return _SECRET_VALUE.sub(r"\1***", _PASSWORD.sub(r"\1:***@", url))


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine. Of names, only localhost counts: other names may change their address."""
    import ipaddress  # imported late, since few callers need it

    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def format_match(league: str, deal: int, rotation: int) -> str:
    """Return the id of a match: "league/deal.rotation"."""
    return f"{league}/{deal}.{rotation}"


def parse_match(text: str) -> tuple[str, int, int]:
    """Return league, deal and rotation of a match id.

    Raises:
        NameFormatError: if `text` is not a match id.
    """
    parts = _MATCH.fullmatch(text)
    if parts is None:
        raise NameFormatError(f'{text!r:.80} is not a match; write it as "league/deal.rotation", e.g. spring/12.0')
    return parts[1], int(parts[2]), int(parts[3])


_TRACEBACK = "Traceback (most recent call last):"
_MAX_TRACEBACK_LINES = 40  # maximum lines of a traceback; a recursion can have a thousand
_KEPT = "\n\t"
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))  # control characters: C0, DEL and C1
# characters that change the writing direction
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CODES = [code for code in (*_CONTROLS, *_DIRECTIONS) if chr(code) not in _KEPT]
_REPLACED = dict.fromkeys(_CODES, "\N{REPLACEMENT CHARACTER}")
_NO_ASCII = re.compile(r"[^\x00-\x7f]+")
_ESCAPED = {code: f"\\u{code:04x}" for code in _CODES}


def replace_controls(text: str) -> str:
    """Return the text with control characters and characters that change the writing direction replaced by U+FFFD.

    Line ends and tabs stay.
    """
    return text.translate(_REPLACED)


def one_line(text: str, most: int) -> str:
    """Return the first `most` characters of the text as one line without control characters."""
    return " ".join(replace_controls(text[:most]).split())


def storable(text: str) -> str:
    """Return the text with NUL, which some databases refuse, replaced by U+FFFD."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def escape_controls(json_text: str) -> str:
    """Return the same JSON value with control characters escaped."""
    return json_text.translate(_ESCAPED)


def escape_unicode(json_text: str) -> str:
    """Return the same JSON value in ASCII."""
    return _NO_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], json_text)


def first_traceback(log: Sequence[str]) -> Sequence[str]:
    """Return the lines of the first Python traceback in a bot's log; empty if there is none.

    Prefixes of log lines, such as the move, are removed.
    """
    begin = next((i for i, line in enumerate(log) if line.endswith(_TRACEBACK)), None)
    if begin is None:
        return ()
    tag = log[begin].removesuffix(_TRACEBACK)
    lines = [line.removeprefix(tag) for line in log[begin:]]
    after = range(1, len(lines))
    end = next((i for i in after if not lines[i].startswith(" ")), len(lines) - 1)  # line with the error itself
    return lines[: end + 1][-_MAX_TRACEBACK_LINES:]
