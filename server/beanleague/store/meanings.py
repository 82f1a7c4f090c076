"""What errors of the drivers of databases mean, as sentences for people."""

from __future__ import annotations

from beanleague.store.errors import DatabaseError, DisconnectedError
from beanleague.store.migrations import SCHEMA_VERSION

_FULL = "cannot be written: the disk is full; nothing is lost; free some space and try again"
_IS_LOCKED = "is locked by another program; nothing is lost; try again when that program has finished"
_NO_TABLES = "is damaged: tables are missing; restore it from a copy"
_NO_COLUMNS = "is damaged: columns are missing; restore it from a copy"
_NO_ANSWER = "does not answer; check that its server runs, and that its URL is right"
_LOST = "was lost in the middle of a transaction, which had no effect unless it was the very last step; try again"
_MANY = "has no connection left; raise max_connections of its server, or stop other programs that use it"
_REFUSES = "refuses this user; check user and password in its URL, and pg_hba.conf of its server"

_OF_SQLITE = (
    ("is locked", _IS_LOCKED),
    ("is full", _FULL),
    ("readonly", "cannot be written: it or its folder is read-only"),
    ("not a database", "is not a database; choose another file"),
    ("malformed", "is damaged; restore it from a copy"),
    ("no such table", _NO_TABLES),
    ("no such column", _NO_COLUMNS),
    ("unable to open", "cannot be opened; check that it is a file, and that you may read and write it and its folder"),
    ("disk I/O error", "cannot be read or written: the disk fails or is full"),
)
_OF_POSTGRESQL = {
    "25006": "cannot be written: its server is read-only, perhaps a standby; use the URL of the primary",
    "28": _REFUSES,
    "3D000": "does not exist; create it on its server (createdb)",
    "42501": "cannot be used: its owner must give this user the right to create and change tables",
    "42703": _NO_COLUMNS,
    "42P01": _NO_TABLES,
    "53100": _FULL,
    "53200": "cannot be used: its server has no memory left; nothing is lost; try again",
    "53300": _MANY,
    "55P03": _IS_LOCKED,
    "58030": "cannot be read or written: the disk of its server fails or is full",
    "08": _LOST,
    "57P": _LOST,
    "25P03": _LOST,
    "XX001": "is damaged; restore it from a copy",
    "XX002": "is damaged; restore it from a copy",
}
"""By the beginning of the code of an error."""

_ON_CONNECTING = (
    ("too many clients", _MANY),
    ("remaining connection slots", _MANY),
    ("password", _REFUSES),
    ("authentication", _REFUSES),
    ("pg_hba.conf", _REFUSES),
    ("role ", _REFUSES),
    ("does not exist", _OF_POSTGRESQL["3D000"]),
    ("certificate", "cannot be reached safely: TLS failed; check sslmode and sslrootcert in its URL"),
    ("SSL", "cannot be reached safely: TLS failed; check sslmode and sslrootcert in its URL"),
)
"""While connecting there are no codes."""

_CUT = "closed the connection"
_UNREACHABLE = (
    "refused",
    "no such file",
    "starting up",
    "shutting down",
    "recovery mode",
    "not yet accepting",
    "timeout",
    "timed out",
    _CUT,
    "reset by peer",
    "unreachable",
    "no route",
    "name resolution",
    "not known",
)
"""What errors say while a server starts again, or another takes its place."""


def explained(error: BaseException, name: str, *, lost: bool = False) -> DatabaseError:
    """Return an error of a driver as a sentence about the database `name`. `lost`: the connection is gone."""
    text = str(error).strip()
    first = text.splitlines()[0] if text else type(error).__name__
    if hasattr(error, "sqlstate"):
        return _of_postgresql(error.sqlstate, text, first, name, lost=lost)
    for sign, meaning in _OF_SQLITE:
        if sign in first:
            return DatabaseError(f"{name} {meaning}")
    return DatabaseError(f"the database {name} failed: {first}")


def newer(name: str, version: int) -> DatabaseError:
    """Return the error for tables of a later version."""
    return DatabaseError(
        f"{name} was written by a newer version of Beanleague (tables of version {version}; this one knows "
        f"{SCHEMA_VERSION}); upgrade Beanleague, or choose another database"
    )


def is_unreachable(error: BaseException) -> bool:
    """Return whether a server could not be reached, which may pass by itself."""
    text = str(error).lower()
    return any(sign in text for sign in _UNREACHABLE)


def _of_postgresql(code: str | None, text: str, first: str, name: str, *, lost: bool) -> DatabaseError:
    for sign, meaning in _OF_POSTGRESQL.items():
        if code and code.startswith(sign):
            return (DisconnectedError if meaning is _LOST else DatabaseError)(
                f"the connection to {name} {meaning}" if meaning is _LOST else f"{name} {meaning}"
            )
    if lost or (code is None and _CUT in text):  # also while a connection is made, to a server that is about to end
        return DisconnectedError(f"the connection to {name} {_LOST}")
    if code is None:
        for sign, meaning in _ON_CONNECTING:
            if sign in text:
                return DatabaseError(f"{name} {meaning} ({_reason(text)})")
        if is_unreachable(RuntimeError(text)):
            return DatabaseError(f"{name} {_NO_ANSWER} ({_reason(text)})")
    return DatabaseError(f"the database {name} failed: {first}")


def _reason(text: str) -> str:
    """Return the part of an error that says why: the end of its first line."""
    return text.splitlines()[0].rpartition("failed: ")[2].strip()
