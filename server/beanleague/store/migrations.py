"""What changed between versions of the tables, so that a database of an earlier one need not be thrown away.

The statements are plain SQL, and do not follow the tables as they are today: what a version was does not change.
"""

from __future__ import annotations

from sqlalchemy import Connection

OLDEST = 2
"""The first version that can be brought up to date."""

_STEPS = {
    2: ("ALTER TABLE deal ADD COLUMN layer VARCHAR NOT NULL DEFAULT ''",),
    3: (
        "ALTER TABLE bot ADD COLUMN owner VARCHAR NOT NULL DEFAULT ''",
        """CREATE TABLE token (
            id VARCHAR NOT NULL,
            name VARCHAR NOT NULL,
            role VARCHAR NOT NULL,
            digest BLOB NOT NULL,
            created FLOAT NOT NULL,
            expires FLOAT,
            revoked FLOAT,
            PRIMARY KEY (id)
        )""",
    ),
    4: (
        "ALTER TABLE league ADD COLUMN all_seatings BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE entrant ADD COLUMN forfeits_in_a_row INTEGER NOT NULL DEFAULT 0",
    ),
    5: (
        "ALTER TABLE entrant ADD COLUMN most_forfeits_in_a_row INTEGER NOT NULL DEFAULT 0",
        "UPDATE entrant SET most_forfeits_in_a_row = forfeits_in_a_row",
    ),
    6: ("DROP TABLE pair",),  # counts of what deal.results says, too
}

SCHEMA_VERSION = 1 + max(_STEPS)
"""The version of the tables of today."""


def migrate(connection: Connection, version: int) -> None:
    """Bring tables of an earlier version, from `OLDEST` on, up to date, in the transaction of `connection`."""
    binary = "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"
    for _, statements in sorted(item for item in _STEPS.items() if item[0] >= version):
        for statement in statements:
            connection.exec_driver_sql(statement.replace("BLOB", binary))
