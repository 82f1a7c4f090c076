"""Tables as SQLModel classes, with typed columns and a rule for the values of each.

Queries use these tables through SQLAlchemy Core, which is faster than sessions.
"""

from functools import cache

import sqlalchemy as sa

from beanleague.store.tables.base import Row as Row, column
from beanleague.store.tables.bots import BotRow, BundleRow, LogRow, TokenRow, TrialRow, VersionRow
from beanleague.store.tables.ladders import (
    BlockRow,
    CheckpointRow,
    CheckRow,
    DayRow,
    EpochRow,
    LadderRow,
    PinRow,
    UsageRow,
)
from beanleague.store.tables.leagues import ChangeRow, EntrantRow, LeagueRow, RunRow
from beanleague.store.tables.matches import (
    AnalysisRow,
    DealRow,
    FaultRow,
    MatchRow,
    NodeRow,
    SeatRow,
    TradeRow,
    VoidRow,
)
from beanleague.store.tables.ratings import RatingRow, SnapshotRow


class SchemaRow(Row, table=True):
    """Schema version, for databases that cannot store it elsewhere."""

    __tablename__ = "schema_version"

    version: int = column(primary_key=True)
    """Schema version of these tables."""


METADATA = Row.metadata

ANALYSIS = AnalysisRow.__table__
BLOCK = BlockRow.__table__
BOT = BotRow.__table__
BUNDLE = BundleRow.__table__
CHANGE = ChangeRow.__table__
CHECK = CheckRow.__table__
CHECKPOINT = CheckpointRow.__table__
DAY = DayRow.__table__
DEAL = DealRow.__table__
ENTRANT = EntrantRow.__table__
EPOCH = EpochRow.__table__
FAULT = FaultRow.__table__
LADDER = LadderRow.__table__
LEAGUE = LeagueRow.__table__
LOG = LogRow.__table__
MATCH = MatchRow.__table__
NODE = NodeRow.__table__
PIN = PinRow.__table__
RATING = RatingRow.__table__
RUN = RunRow.__table__
SCHEMA = SchemaRow.__table__
SEAT = SeatRow.__table__
SNAPSHOT = SnapshotRow.__table__
TOKEN = TokenRow.__table__
TRADE = TradeRow.__table__
TRIAL = TrialRow.__table__
USAGE = UsageRow.__table__
VERSION = VersionRow.__table__
VOID = VoidRow.__table__


def create_all(connection: sa.Connection, *, file: bool) -> None:
    """Create all tables in an empty database. `file`: whether it is a SQLite file, with its version elsewhere."""
    if not file:
        METADATA.create_all(connection)
        return
    for statement in _file_statements():
        connection.exec_driver_sql(statement)


@cache
def _file_statements() -> tuple[str, ...]:
    """Return the statements that create the tables of a SQLite file; cached, since running them is five times as fast.

    A file keeps its schema version in `user_version`, not in a table.
    """
    statements: list[str] = []

    def compile_statement(statement: sa.ExecutableDDLElement, *_: object, **__: object) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = sa.create_mock_engine("sqlite://", compile_statement)
    METADATA.create_all(engine, [table for table in METADATA.sorted_tables if table is not SCHEMA], checkfirst=False)
    return tuple(statements)
