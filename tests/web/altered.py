"""Databases of strangers: what their records and tables say is not what a server of this project would have written."""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from beanproto.v1 import referee_pb2

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'\u202egnp.exe\u2066"
"""A text that would do something, and look like another, on a page that does not guard against it."""

HUGE = HOSTILE + "W" * 2**20


def execute(database: Path, statement: str, *values: object) -> None:
    """Change a database."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(statement, values)


def change_record(database: Path, deal: int, rotation: int, change: Callable[[referee_pb2.Record], object]) -> None:
    """Change the record of a match."""
    key = "deal = ? AND rotation = ?"
    with closing(sqlite3.connect(database)) as connection, connection:
        (packed,) = connection.execute(f"SELECT record FROM match WHERE {key}", (deal, rotation)).fetchone()
        record = referee_pb2.Record.FromString(zlib.decompress(packed))
        change(record)
        packed = zlib.compress(record.SerializeToString())
        connection.execute(f"UPDATE match SET record = ? WHERE {key}", (packed, deal, rotation))
