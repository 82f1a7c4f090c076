"""Tables of ladders: days, epochs, checkpoints, nightly checks, thinking time, and old records."""

import sqlalchemy as sa

from beanleague.model import LadderState
from beanleague.store.tables.base import Bytes, Row, Total, column
from beanleague.store.tables.rules import COUNT, DIGEST_BYTES, LARGE_COUNT, one_of


class LadderRow(Row, table=True):
    """Settings of a ladder, in addition to the settings of every league."""

    __tablename__ = "ladder"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    state: str = column(one_of(LadderState))
    """State, one of `LadderState`."""
    reason: str
    """Reason why the ladder is not open."""
    per_owner: int = column(COUNT)
    """Maximum number of an owner's rated bots in the field."""
    versions_a_day: int = column(COUNT)
    """Number of versions that an owner may enter per day."""
    cpu_hours: int = column(COUNT)
    """CPU hours that an owner's bots may use per day."""
    megabytes: int = column(COUNT)
    """Maximum total size of an owner's bundles, in MiB."""
    share: int = column(COUNT)
    """Weight of the ladder when open ladders share a server's cores."""


class DayRow(Row, table=True):
    """A day of a ladder. Its secret never changes, and is published when the day has ended."""

    __tablename__ = "ladder_day"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    number: int = column(COUNT, primary_key=True)
    """Number of the day in the ladder, from 1."""
    began: float
    """Time at which the secret's digest was published."""
    digest: bytes = column(DIGEST_BYTES, sa_type=Bytes)
    """SHA-256 of the day's secret."""
    secret: bytes = column(DIGEST_BYTES, sa_type=Bytes)
    """Secret that decides the seeds of the day's deals."""
    ended: float | None
    """Time at which the day ended; NULL for the current day."""


class CheckpointRow(Row, table=True):
    """Counts of a ladder at the end of a day, so that a new run need not read earlier deals."""

    __tablename__ = "ladder_checkpoint"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    day: int = column(primary_key=True)
    """Number of the day."""
    entrants: int
    """Number of entries counted so far."""
    deals: int
    """Number of deals planned so far."""
    position: int
    """Number of deals committed so far."""
    epochs: int
    """Number of epochs planned so far."""
    digest: bytes = column(sa_type=Bytes)
    """SHA-256 over the previous checkpoint's digest, the day and this checkpoint."""
    data: bytes = column(sa_type=Bytes)
    """Encoded counts; see `league.ladder.checkpoints`."""


class CheckRow(Row, table=True):
    """Pairs of a ladder flagged for excessive gifts, by day."""

    __tablename__ = "ladder_check"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    day: int = column(primary_key=True)
    """Number of the day that began with this check."""
    made: float
    """Time of the check."""
    deals: int
    """Number of deals examined."""
    givers: list[int] = column(sa_type=sa.JSON)
    """Number of the giving entry, for each flagged pair."""
    receivers: list[int] = column(sa_type=sa.JSON)
    """Number of the receiving entry, for each flagged pair."""
    cents: list[int] = column(sa_type=sa.JSON)
    """Excess in cents per match, for each flagged pair."""


class EpochRow(Row, table=True):
    """An epoch: deals of a ladder that were planned together, and the inputs of the plan."""

    __tablename__ = "ladder_epoch"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    number: int = column(COUNT, primary_key=True)
    """Number of the epoch in the ladder, from 1."""
    day: int = column(COUNT)
    """Number of the day to which it belongs."""
    first: int = column(COUNT)
    """Number of the first deal."""
    count: int = column(COUNT)
    """Number of deals in the epoch."""
    tables: int = column(COUNT)
    """Maximum number of deals in the epoch."""
    background: int = column(COUNT)
    """Number of deals that the epoch would have if all entries were settled."""
    position: int = column(COUNT)
    """Number of deals committed when the epoch was planned."""
    made: float
    """Time of planning."""
    entries: bytes = column(sa_type=Bytes)
    """Encoded entries that could be seated; see `ladder.inputs`."""


class UsageRow(Row, table=True):
    """Thinking time of an owner's bots on a day of a ladder."""

    __tablename__ = "ladder_usage"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id", "day"], ["ladder_day.league_id", "ladder_day.number"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    day: int = column(primary_key=True)
    """Number of the day."""
    owner: str = column(primary_key=True)
    """Name of the owner."""
    ms: int = column(LARGE_COUNT, sa_type=Total)
    """CPU time in milliseconds."""


class PinRow(Row, table=True):
    """A match of a ladder whose whole record is kept."""

    __tablename__ = "pinned_match"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    rotation: int = column(primary_key=True)
    """Rotation of the table."""


class BlockRow(Row, table=True):
    """Old records of a ladder, without their events."""

    __tablename__ = "record_block"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """Id of the ladder's league."""
    number: int = column(COUNT, primary_key=True)
    """Number of the block in the ladder, from 1."""
    first: int = column(COUNT)
    """Number of the first deal of the block."""
    last: int = column(COUNT)
    """Number of the last deal of the block."""
    matches: int = column(COUNT)
    """Number of records in the block."""
    digest: bytes = column(sa_type=Bytes)
    """SHA-256 over the previous block's digest, the deals and the data."""
    data: bytes = column(sa_type=Bytes)
    """Compressed records; see `wire.block_of`."""
