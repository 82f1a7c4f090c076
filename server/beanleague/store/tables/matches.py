"""Tables of deals and matches, the nodes that play them, and analyses."""

from typing import Any

import sqlalchemy as sa

from beanleague.model import FaultKind
from beanleague.store.tables.base import Bytes, Row, column
from beanleague.store.tables.leagues import ENTRANT, LeagueRow, names_entrant
from beanleague.store.tables.rules import (
    COUNT,
    DIGEST_BYTES,
    SIGNED,
    SMALL,
    Column,
    ColumnRule,
    Condition,
    between,
    none_of_each,
    one_of,
)


def _key_of_many(columns: list[str], others: list[str]) -> sa.ForeignKeyConstraint:
    """Return the foreign key of a table with many rows per deal; PostgreSQL gets none.

    There it would need a query per row, which doubles the time to store the rows. It is not needed: the transaction
    fails unless the deal was scheduled, no row is ever changed or removed, and `league verify` compares all rows.
    """
    return sa.ForeignKeyConstraint(columns, others).ddl_if(dialect="sqlite")


def _seats(row: Column) -> sa.ScalarSelect[Any]:
    """Return the number of seats in the league of a row."""
    league = LeagueRow.__table__
    return sa.select(league.c.seats).where(league.c.id == row.table.c.league_id).correlate(row.table).scalar_subquery()


def _is_seat(seat: Column) -> Condition:
    return (seat >= 0) & (seat < sa.func.max(_seats(seat), 2))  # the Bean Thief has a seat in solo leagues


def _is_node(node_id: Column) -> Condition:
    node = NodeRow.__table__
    return sa.exists().where(node.c.id == node_id).correlate_except(node)


def _is_table(entrants: Column) -> Condition:
    of_league = none_of_each(entrants, lambda each: ~names_entrant(entrants.table.c.league_id, each.c.value))
    return (sa.func.json_array_length(entrants) == _seats(entrants)) & of_league


def _are_places(results: Column) -> Condition:
    deal, match = results.table.c, MatchRow.__table__
    of_deal = match.c.league_id == deal.league_id, match.c.deal == deal.number
    matches = sa.select(sa.func.count()).select_from(match).where(*of_deal).correlate(results.table)
    return sa.func.length(results) == _seats(results) * matches.scalar_subquery()


def _has_seats(rotation: Column) -> Condition:
    match, seat = rotation.table.c, SeatRow.__table__
    key = seat.c.league_id == match.league_id, seat.c.deal == match.deal, seat.c.rotation == rotation
    return rotation.between(0, 9999) & sa.exists().where(*key).correlate_except(seat)


NODE = ColumnRule(_is_node)
"""Rule for columns with the id of a node."""

SEAT = ColumnRule(_is_seat)
"""Rule for columns with a seat of the row's league."""


class NodeRow(Row, table=True):
    """A node that played deals; the same machine with another version or CPU has another row."""

    __tablename__ = "node"
    __table_args__ = (sa.UniqueConstraint("name", "cpu", "beanleague", "python"),)

    id: int = column(primary_key=True)
    """Primary key."""
    name: str
    """Name of the node."""
    cpu: str
    """Model of the node's CPU."""
    beanleague: str
    """Version of Beanleague on the node."""
    python: str
    """Version of Python on the node."""


class DealRow(Row, table=True):
    """A deal. Once it is played, `seed`, `played`, `layer`, `position` and `node_id` are set."""

    __tablename__ = "deal"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]), {"sqlite_with_rowid": False})

    league_id: int = column(primary_key=True)
    """Id of the league."""
    number: int = column(COUNT, primary_key=True)
    """Number of the deal in the league, from 1."""
    entrants: list[int] = column(ColumnRule(_is_table), sa_type=sa.JSON)
    """Entrants by seat in rotation 0."""
    seed_digest: bytes = column(sa_type=Bytes)
    """SHA-256 of the seed, published before play."""
    seed: bytes | None = column(sa_type=Bytes)
    """Seed; NULL until the deal has been played."""
    voids: int = column(COUNT)
    """Number of failed attempts to play the deal."""
    published: float
    """Time of scheduling."""
    played: float | None
    """Time at which the matches were committed; NULL before."""
    layer: str
    """Sandbox layer of the bots; "" before the deal is played."""
    results: bytes | None = column(ColumnRule(_are_places), sa_type=Bytes)
    """Places in the matches: by rotation, a byte for each seat. NULL in solo leagues.

    Ratings are computed from this one row per deal, instead of one row per seat.
    """
    position: int | None = column(between(1, SMALL))
    """Position in the order of commits, from 1; NULL before."""
    node_id: int | None = column(NODE)
    """Id of the node that played the deal; early versions stored none."""
    dropped: float | None
    """Time at which the deal was dropped; NULL if it was not."""


class VoidRow(Row, table=True):
    """A failed attempt at a deal, which is played again because something other than a bot failed."""

    __tablename__ = "void"
    __table_args__ = (
        sa.ForeignKeyConstraint(["league_id", "deal"], ["deal.league_id", "deal.number"]),
        {"sqlite_with_rowid": False},
    )

    league_id: int = column(primary_key=True)
    """Id of the league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    number: int = column(COUNT, primary_key=True)
    """Number of the failed attempt at the deal, from 1."""
    reason: str
    """Description of the failure."""
    happened: float
    """Time of the failure."""
    node_id: int | None = column(NODE)
    """Id of the node that failed; early versions stored none."""


class MatchRow(Row, table=True):
    """A match. The record is the last column, since lists need not read it."""

    __tablename__ = "match"
    __table_args__ = (_key_of_many(["league_id", "deal"], ["deal.league_id", "deal.number"]),)

    league_id: int = column(primary_key=True)
    """Id of the league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    rotation: int = column(ColumnRule(_has_seats), primary_key=True)
    """Rotation of the table, from 0."""
    record: bytes = column(sa_type=Bytes)
    """Packed record; empty if it is in a block."""


class SeatRow(Row, table=True):
    """A seat of a match."""

    __tablename__ = "match_seat"
    __table_args__ = (
        _key_of_many(["league_id", "deal", "rotation"], ["match.league_id", "match.deal", "match.rotation"]),
        sa.Index("seats_of_entrant", "league_id", "entrant", "deal", "rotation"),
        {"sqlite_with_rowid": False},
    )

    league_id: int = column(primary_key=True)
    """Id of the league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    rotation: int = column(primary_key=True)
    """Rotation of the table, from 0."""
    seat: int = column(SEAT, primary_key=True)
    """The seat, from 0."""
    entrant: int = column(ENTRANT)
    """Number of the entrant in the seat."""
    score: int = column(SIGNED)
    """Score, in the unit of the game."""
    place: int = column(between(1, 255))
    """Place, 1 for the best; ties share a place."""
    decisions: int = column(COUNT)
    """Number of decisions."""
    faults: int = column(COUNT)
    """Number of faults."""
    forfeited: bool
    """Whether the seat forfeited."""


class FaultRow(Row, table=True):
    """A fault of a seat."""

    __tablename__ = "fault"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["league_id", "deal", "rotation", "seat"],
            ["match_seat.league_id", "match_seat.deal", "match_seat.rotation", "match_seat.seat"],
        ),
        sa.Index("faults_of_entrant", "league_id", "entrant", "deal", "rotation"),
        {"sqlite_with_rowid": False},
    )

    league_id: int = column(primary_key=True)
    """Id of the league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    rotation: int = column(primary_key=True)
    """Rotation of the table, from 0."""
    number: int = column(COUNT, primary_key=True)
    """Number of the fault in the match, from 0, ordered by seat."""
    seat: int = column(SEAT)
    """The seat that failed."""
    entrant: int = column(ENTRANT)
    """Number of the entrant in the seat."""
    move: int = column(COUNT)
    """Index in the record's moves of the default action played instead."""
    kind: str = column(one_of(FaultKind))
    """One of `FaultKind`."""
    reason: str
    """Explanation for the bot's author."""
    forfeited: bool
    """Whether the seat forfeited because of this fault."""


class TradeRow(Row, table=True):
    """Cards that one entrant gave another in all matches of a deal; no row if the two did not trade."""

    __tablename__ = "trade_flow"
    __table_args__ = (
        _key_of_many(["league_id", "deal"], ["deal.league_id", "deal.number"]),
        {"sqlite_with_rowid": False},
    )

    league_id: int = column(primary_key=True)
    """Id of the league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    giver: int = column(ENTRANT, primary_key=True)
    """Number of the giving entrant."""
    receiver: int = column(ENTRANT, primary_key=True)
    """Number of the receiving entrant."""
    trades: int = column(COUNT)
    """Number of trades between the two."""
    cards: int = column(COUNT)
    """Number of cards given."""
    gifts: int = column(COUNT)
    """Number of trades in which the giver got nothing in return."""
    cents: int = column(SIGNED)
    """Value of the cards to the receiver, in hundredths of a dollar."""


class AnalysisRow(Row, table=True):
    """The newest analysis of a match."""

    __tablename__ = "analysis"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """Id of the league."""
    deal: int = column(primary_key=True)
    """Number of the deal."""
    rotation: int = column(primary_key=True)
    """Rotation of the table, from 0."""
    version: int = column(COUNT)
    """Version of the analysis."""
    digest: bytes = column(DIGEST_BYTES, sa_type=Bytes)
    """Digest of the analysed match."""
    found: bytes = column(sa_type=Bytes)
    """Findings as zlib-compressed JSON."""
