"""Tables of rating snapshots. They are derived: deleting all of them loses nothing that was played."""

import sqlalchemy as sa

from beanleague.store.tables.base import Row, column
from beanleague.store.tables.leagues import ENTRANT
from beanleague.store.tables.rules import COUNT, Column, ColumnRule, Condition, none_of_each


def _are_effects(seats: Column) -> Condition:
    def is_none(each: sa.TableValuedAlias) -> Condition:
        length = sa.func.json_array_length(each.c.value)
        return sa.case((each.c.type == "array", length != 4), else_=sa.true())

    return none_of_each(seats, is_none)


class SnapshotRow(Row, table=True):
    """The ratings of a league after a number of deals."""

    __tablename__ = "rating_snapshot"
    __table_args__ = (sa.ForeignKeyConstraint(["league_id"], ["league.id"]),)

    league_id: int = column(primary_key=True)
    """The league."""
    deals: int = column(COUNT, primary_key=True)
    """Number of deals."""
    kept: bool
    """Whether it stays for the history; others are replaced by the next snapshot."""
    created: float
    """Time of the computation."""
    seats: list[list[float]] = column(ColumnRule(_are_effects), sa_type=sa.JSON)
    """The value of each seat: the fields of `SeatEffect`."""
    luck: float | None
    """Share of a result that is the luck of seat and deal; NULL if unknown."""


class RatingRow(Row, table=True):
    """A rating in a snapshot."""

    __tablename__ = "rating"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["league_id", "deals"], ["rating_snapshot.league_id", "rating_snapshot.deals"], ondelete="CASCADE"
        ),
        {"sqlite_with_rowid": False},
    )

    league_id: int = column(primary_key=True)
    """The league."""
    deals: int = column(primary_key=True)
    """Number of deals of the snapshot."""
    entrant: int = column(ENTRANT, primary_key=True)
    """The entrant."""
    rating: float
    """Its rating, on the Elo scale."""
    interval: float | None
    """Half the width of its 95 % interval; NULL if it has none."""
    best_rank: int = column(COUNT)
    """1 + entrants that are better with more than 97.5 % probability."""
    worst_rank: int = column(COUNT)
    """Entrants minus the ones that are worse with more than 97.5 % probability."""
    least: float | None
    """One-sided 95 % bound of a rating without an upper one."""
    most: float | None
    """One-sided 95 % bound of a rating without a lower one."""
    anchor: bool
    """Whether its rating is the base by definition."""
    provisional: bool
    """Whether it rests on few deals, or the differences from both neighbours are uncertain."""
    effective: float | None
    """Effective deals of an entry of a ladder: deals of equal weight with the same certainty; NULL elsewhere."""
