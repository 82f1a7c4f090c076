"""Tables of bots, their versions, bundles and logs, and of access tokens."""

import sqlalchemy as sa

from beanleague.store.tables.base import Bytes, Row, column
from beanleague.store.tables.rules import (
    COUNT,
    DIGEST,
    DIGEST_OR_NONE,
    NAME,
    NAME_OR_NONE,
    SMALL,
    ColumnRule,
    one_of,
    read_between,
)


class BotRow(Row, table=True):
    """A bot, as a name for its versions."""

    __tablename__ = "bot"
    __table_args__ = (sa.UniqueConstraint("name"),)

    id: int = column(primary_key=True)
    """Primary key."""
    name: str = column(NAME)
    """Name of the bot."""
    owner: str = column(NAME_OR_NONE)
    """Name of the author who owns the bot, "" for organisers."""
    hidden: bool
    """Whether the bot is left out of lists, and of leagues that do not name it."""


class BundleRow(Row, table=True):
    """A canonical bundle."""

    __tablename__ = "bundle"

    digest: str = column(DIGEST, primary_key=True)
    """SHA-256 of the bundle's files."""
    data: bytes = column(sa_type=Bytes)
    """Zip file of the bundle."""


class VersionRow(Row, table=True):
    """A version of a bot. Rows are added and never changed."""

    __tablename__ = "bot_version"
    __table_args__ = (
        sa.UniqueConstraint("bot_id", "number"),
        sa.UniqueConstraint("bot_id", "digest"),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"]),
        sa.ForeignKeyConstraint(["digest"], ["bundle.digest"]),
    )

    id: int = column(primary_key=True)
    """Primary key."""
    bot_id: int
    """Id of the bot."""
    number: int = column(read_between(1, SMALL))
    """1, 2, ... for each bot."""
    digest: str = column(DIGEST)
    """Digest of the bundle."""
    games: list[str] = column(sa_type=sa.JSON)
    """Ids of the rulesets that it plays."""
    command: list[str] = column(ColumnRule(lambda column: sa.func.json_array_length(column) > 0), sa_type=sa.JSON)
    """Command line that starts the bot, run in its folder."""
    description: str
    """One line about the bot; may be empty."""
    author: str
    """Author as named in the manifest; may be empty."""
    bundle_bytes: int = column(COUNT)
    """Size of the packed bundle."""
    submitted: float
    """Time of submission."""
    environment: str
    """Name of the bot's environment, "" for the default one."""
    packages: str = column(DIGEST_OR_NONE)
    """Digest of the bot's environment, "" for the default one."""


class TrialRow(Row, table=True):
    """The trial match of a version. Versions that early releases stored have none."""

    __tablename__ = "trial"
    __table_args__ = (sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"]),)

    version_id: int = column(primary_key=True)
    """Id of the bot version."""
    record: bytes = column(sa_type=Bytes)
    """The packed record of the match."""


class LogRow(Row, table=True):
    """Latest part of the text that a version wrote to stderr in a league."""

    __tablename__ = "bot_log"
    __table_args__ = (
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"]),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"]),
    )

    version_id: int = column(primary_key=True)
    """Id of the bot version."""
    league_id: int = column(primary_key=True)
    """Id of the league."""
    text: str = column(sa_type=sa.Text)
    """Text of the log."""
    truncated: bool
    """Whether older text was dropped."""
    updated: float
    """Time of the last addition."""


class TokenRow(Row, table=True):
    """A token that lets its holder call a server."""

    __tablename__ = "token"

    id: str = column(primary_key=True)
    """Part of the token that identifies this row."""
    name: str = column(NAME)
    """Name of the holder."""
    role: str = column(one_of(("viewer", "author", "organiser")))
    """Role, which decides the calls that the token allows."""
    digest: bytes = column(sa_type=Bytes)
    """SHA-256 of the token; the token itself is not stored."""
    created: float
    """Time of creation."""
    expires: float | None
    """Time of expiry; NULL if it never expires."""
    revoked: float | None
    """Time of revocation; NULL if not revoked."""
