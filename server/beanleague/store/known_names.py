"""The names of bots and leagues in a database, for those who complete what is typed.

Opening a database as `Database` does takes longer than people wait for that, and creates or upgrades its tables.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

_CONNECT_TIMEOUT_S = 2
_SQLITE = "sqlite:///"


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names in a database."""

    leagues: tuple[str, ...] = ()
    """All leagues that are not hidden, in the order of their names."""
    versions: tuple[tuple[str, int], ...] = ()
    """All versions of bots that are not hidden, each as name and number, in this order."""


def known_names(url: str) -> KnownNames:
    """Return the names in the database at this SQLAlchemy URL; none if it is not there or cannot be read."""
    try:
        with closing(_connect(url)) as connection:
            leagues = connection.execute("SELECT name FROM league WHERE NOT hidden ORDER BY name").fetchall()
            versions = connection.execute(
                "SELECT name, number FROM bot JOIN bot_version ON bot_id = bot.id WHERE NOT hidden ORDER BY 1, 2"
            ).fetchall()
    except Exception:  # noqa: BLE001  # no database, an older one, no driver: there is nothing to complete
        return KnownNames()
    return KnownNames(tuple(name for (name,) in leagues), tuple(versions))


def _connect(url: str) -> Any:  # noqa: ANN401 - a connection of either database
    if url.startswith(_SQLITE):
        file = unquote(url.removeprefix(_SQLITE))
        return sqlite3.connect(f"file:{quote(file)}?mode=ro", uri=True, timeout=_CONNECT_TIMEOUT_S)
    import psycopg

    scheme, _, rest = url.partition("://")
    return psycopg.connect(f"{scheme.partition('+')[0]}://{rest}", connect_timeout=_CONNECT_TIMEOUT_S)
