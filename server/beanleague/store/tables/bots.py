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
    """A bot: a name for its versions."""

    __tablename__ = "bot"
    __table_args__ = (sa.UniqueConstraint("name"),)

    id: int = column(primary_key=True)
    """Primary key."""
    name: str = column(NAME)
    """Its name."""
    owner: str = column(NAME_OR_NONE)
    """Name of the author who owns it, "" for organisers."""
    hidden: bool
    """Whether lists and leagues leave it out unless they name it."""


class BundleRow(Row, table=True):
    """A canonical bundle."""

    __tablename__ = "bundle"

    digest: str = column(DIGEST, primary_key=True)
    """SHA-256 of its files."""
    data: bytes = column(sa_type=Bytes)
    """The zip file."""


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
    """Its bot."""
    number: int = column(read_between(1, SMALL))
    """1, 2, ... for each bot."""
    digest: str = column(DIGEST)
    """Its bundle."""
    games: list[str] = column(sa_type=sa.JSON)
    """Ids of the rulesets that it plays."""
    command: list[str] = column(ColumnRule(lambda column: sa.func.json_array_length(column) > 0), sa_type=sa.JSON)
    """The command line that starts it, in its folder."""
    description: str
    """One line about the bot; may be empty."""
    author: str
    """The author as the manifest has it; may be empty."""
    bundle_bytes: int = column(COUNT)
    """Size of the packed bundle."""
    submitted: float
    """Time of submission."""
    environment: str
    """Name of its environment, "" for the default one."""
    packages: str = column(DIGEST_OR_NONE)
    """Digest of its environment, "" for the default one."""


class TrialRow(Row, table=True):
    """The trial match of a version. Versions that early releases stored have none."""

    __tablename__ = "trial"
    __table_args__ = (sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"]),)

    version_id: int = column(primary_key=True)
    """The version."""
    record: bytes = column(sa_type=Bytes)
    """The packed record of the match."""


class LogRow(Row, table=True):
    """The newest part of the text that a version wrote to stderr in a league."""

    __tablename__ = "bot_log"
    __table_args__ = (
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"]),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"]),
    )

    version_id: int = column(primary_key=True)
    """The version."""
    league_id: int = column(primary_key=True)
    """The league."""
    text: str = column(sa_type=sa.Text)
    """The text."""
    truncated: bool
    """Whether older text was dropped."""
    updated: float
    """Time of the last addition."""


class TokenRow(Row, table=True):
    """A token that lets its holder call a server."""

    __tablename__ = "token"

    id: str = column(primary_key=True)
    """Part of the token that identifies its row."""
    name: str = column(NAME)
    """Name of its holder."""
    role: str = column(one_of(("viewer", "author", "organiser")))
    """The calls that it allows."""
    digest: bytes = column(sa_type=Bytes)
    """SHA-256 of the token, which itself is not stored."""
    created: float
    """Time of its creation."""
    expires: float | None
    """Time after which it is invalid; NULL if it does not expire."""
    revoked: float | None
    """Time of its revocation; NULL if it was not revoked."""
