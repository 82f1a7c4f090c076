"""How bots, versions, matches and paths below a folder are written, and URLs without their passwords: here only."""

import re
from pathlib import Path

NAME = re.compile(r"[a-z0-9_-]{1,32}")
"""Names of bots, leagues and tokens."""

NAME_RULE = 'a name is 1 to 32 of a-z, 0-9, "_" and "-"'

DIGEST = re.compile(r"[0-9a-f]{64}")
"""Digests of bundles and of environments, which name folders too."""

MAX_DEAL = 999_999_999
"""The largest deal number that a match id can hold."""

_VERSION = re.compile(r"[1-9][0-9]{0,8}")
_MATCH = re.compile(rf"({NAME.pattern})/([0-9]{{1,9}})\.([0-9]{{1,2}})")
_PASSWORD = re.compile(r"^((?:[^:/?#@]*://)?[^:/?#@]*):(?!//).*@", re.DOTALL)
_SECRET_VALUE = re.compile(r"([?&][^=&]*(?:pass|pwd|secret|token)[^=&]*=)[^&]*", re.IGNORECASE)


class NameFormatError(ValueError):
    """A text that does not name what it should; the message says how to write it."""


def format_bot(name: str, version: int) -> str:
    """Return "name@version", or the name alone for version 0: the Bean Thief has no versions."""
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
    """Return a path below a folder. `name`: its parts with "/" between them, as a stranger may have written it.

    Raises:
        NameFormatError: if it may lead elsewhere.
    """
    parts = name.split("/")
    if "\0" in name or not {"", ".", ".."}.isdisjoint(parts):
        raise NameFormatError(f"{name!r:.80} is not a path below a folder")
    return root.joinpath(*parts)


def hide_password(url: str) -> str:
    """Return a URL, well-formed or not, with "***" for its password, to be printed."""
    return _SECRET_VALUE.sub(r"\1***", _PASSWORD.sub(r"\1:***@", url))


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
