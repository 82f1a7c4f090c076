"""Tables of ladders: days, epochs, checkpoints, nightly checks, thinking time, and old records."""

import sqlalchemy as sa

from beanleague.model import LadderState
from beanleague.store.tables.base import Bytes, Row, Total, column
from beanleague.store.tables.rules import COUNT, DIGEST_BYTES, LARGE_COUNT, one_of


class LadderRow(Row, table=True):
    """Settings of a ladder in addition to those of every league."""

    __tablename__ = "ladder"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    state: str = column(one_of(LadderState))
    """One of `LadderState`."""
    reason: str
    """The reason why it is not open."""
    per_owner: int = column(COUNT)
    """Rated bots of an owner that play at once."""
    versions_a_day: int = column(COUNT)
    """Versions that an owner may enter in a day."""
    cpu_hours: int = column(COUNT)
    """Hours that the bots of an owner may think in a day."""
    megabytes: int = column(COUNT)
    """Largest size of an owner's bundles together, in units of 2^20 bytes."""
    share: int = column(COUNT)
    """Its share of the cores of a server, beside other open ladders."""


class DayRow(Row, table=True):
    """A day of a ladder. Its secret never changes, and is shown once the day has ended."""

    __tablename__ = "ladder_day"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    number: int = column(COUNT, primary_key=True)
    """1, 2, ... in the ladder."""
    began: float
    """Time when its digest was published."""
    digest: bytes = column(DIGEST_BYTES, sa_type=Bytes)
    """SHA-256 of its secret."""
    secret: bytes = column(DIGEST_BYTES, sa_type=Bytes)
    """The secret that decides the seeds of its deals."""
    ended: float | None
    """Time of its end; NULL for the present day."""


class CheckpointRow(Row, table=True):
    """Counts of a ladder at the end of a day: a new run need not read earlier deals."""

    __tablename__ = "ladder_checkpoint"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    day: int = column(primary_key=True)
    """The day."""
    entrants: int
    """Entries that were counted."""
    deals: int
    """Deals planned by then."""
    position: int
    """Deals committed by then."""
    epochs: int
    """Epochs planned by then."""
    digest: bytes = column(sa_type=Bytes)
    """SHA-256 of the checkpoint before, the day and this one."""
    data: bytes = column(sa_type=Bytes)
    """The counts; see `league.ladder.checkpoints`."""


class CheckRow(Row, table=True):
    """The pairs of a ladder that gave each other too much, by day."""

    __tablename__ = "ladder_check"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    day: int = column(primary_key=True)
    """The day that began."""
    made: float
    """Time of the check."""
    deals: int
    """Deals that were compared."""
    givers: list[int] = column(sa_type=sa.JSON)
    """The giving entry of each pair."""
    receivers: list[int] = column(sa_type=sa.JSON)
    """The receiving entry of each pair."""
    cents: list[int] = column(sa_type=sa.JSON)
    """The excess of each pair, in cents a match."""


class EpochRow(Row, table=True):
    """An epoch: deals of a ladder that were planned at once, and the facts that they were planned from."""

    __tablename__ = "ladder_epoch"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    number: int = column(COUNT, primary_key=True)
    """1, 2, ... in the ladder."""
    day: int = column(COUNT)
    """Its day."""
    first: int = column(COUNT)
    """Its first deal."""
    count: int = column(COUNT)
    """Number of its deals."""
    tables: int = column(COUNT)
    """Number of deals that it could have had."""
    background: int = column(COUNT)
    """Number of them if all entries were settled."""
    position: int = column(COUNT)
    """Deals committed when it was planned."""
    made: float
    """Time of planning."""
    entries: bytes = column(sa_type=Bytes)
    """The entries that could be seated; see `ladder.inputs`."""


class UsageRow(Row, table=True):
    """Thinking time of an owner's bots on a day of a ladder."""

    __tablename__ = "ladder_usage"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    day: int = column(primary_key=True)
    """The day."""
    owner: str = column(primary_key=True)
    """The owner."""
    ms: int = column(LARGE_COUNT, sa_type=Total)
    """The time in milliseconds."""


class PinRow(Row, table=True):
    """A match of a ladder that keeps its whole record."""

    __tablename__ = "pinned_match"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    deal: int = column(primary_key=True)
    """The deal."""
    rotation: int = column(primary_key=True)
    """The rotation."""


class BlockRow(Row, table=True):
    """Old records of a ladder, without their events."""

    __tablename__ = "record_block"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """The ladder."""
    number: int = column(COUNT, primary_key=True)
    """1, 2, ... in the ladder."""
    first: int = column(COUNT)
    """Number of the first deal of the block."""
    last: int = column(COUNT)
    """Number of the last deal of the block."""
    matches: int = column(COUNT)
    """Number of records in it."""
    digest: bytes = column(sa_type=Bytes)
    """SHA-256 of the digest before, the deals and the data."""
    data: bytes = column(sa_type=Bytes)
    """The records; see `wire.block_of`."""
