"""What changed between versions of the tables, beside what they are today.

A new column in `tables` and the step that adds it are written together. The steps are plain SQL and do not follow the
classes there: what a version was does not change.
"""

from __future__ import annotations

from sqlalchemy import Connection

OLDEST_SCHEMA_VERSION = 2
"""The oldest version that can be upgraded."""

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
    7: (
        "ALTER TABLE deal ADD COLUMN position INTEGER",
        # Deals committed together have the same time; which of them came first is not known.
        """UPDATE deal SET position = ordered.position FROM (
            SELECT league_id, number, row_number() OVER (PARTITION BY league_id ORDER BY played, number) AS position
            FROM deal WHERE played IS NOT NULL
        ) AS ordered WHERE deal.league_id = ordered.league_id AND deal.number = ordered.number""",
        """CREATE TABLE league_change (
            league_id INTEGER NOT NULL,
            number INTEGER NOT NULL,
            kind VARCHAR NOT NULL,
            entrant INTEGER,
            deals INTEGER,
            scheduled INTEGER NOT NULL,
            position INTEGER,
            happened FLOAT NOT NULL,
            PRIMARY KEY (league_id, number),
            FOREIGN KEY (league_id) REFERENCES league (id)
        )""",
        "ALTER TABLE league ADD COLUMN rules INTEGER NOT NULL DEFAULT 1",  # those of that time
        "ALTER TABLE league ADD COLUMN isolate BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE league ADD COLUMN mix_owners BOOLEAN NOT NULL DEFAULT FALSE",
        "UPDATE league SET mix_owners = TRUE",  # they go on as they began
        """CREATE TABLE trade_flow (
            league_id INTEGER NOT NULL,
            deal INTEGER NOT NULL,
            giver INTEGER NOT NULL,
            receiver INTEGER NOT NULL,
            trades INTEGER NOT NULL,
            cards INTEGER NOT NULL,
            gifts INTEGER NOT NULL,
            cents INTEGER NOT NULL,
            PRIMARY KEY (league_id, deal, giver, receiver),
            FOREIGN KEY(league_id, deal) REFERENCES deal (league_id, number)
        )""",
        "ALTER TABLE rating ADD COLUMN least FLOAT",
        "ALTER TABLE rating ADD COLUMN most FLOAT",
        "ALTER TABLE rating ADD COLUMN anchor BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE rating ADD COLUMN provisional BOOLEAN NOT NULL DEFAULT TRUE",
        # The newest ratings of each league lack these; they are computed anew from its deals.
        """DELETE FROM rating WHERE deals =
            (SELECT max(newest.deals) FROM rating_snapshot AS newest WHERE newest.league_id = rating.league_id)""",
        """DELETE FROM rating_snapshot WHERE deals =
            (SELECT max(newest.deals) FROM rating_snapshot AS newest
            WHERE newest.league_id = rating_snapshot.league_id)""",
    ),
}

SCHEMA_VERSION = 1 + max(_STEPS)
"""The current version of the tables."""


def migrate(connection: Connection, version: int) -> None:
    """Upgrade tables from `version`, at least `OLDEST_SCHEMA_VERSION`, in the transaction of `connection`."""
    binary = "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"
    for _, statements in sorted(item for item in _STEPS.items() if item[0] >= version):
        for statement in statements:
            connection.exec_driver_sql(statement.replace("BLOB", binary))
