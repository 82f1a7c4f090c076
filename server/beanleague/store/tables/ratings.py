"""Tables of rating snapshots. Snapshots are derived data: they can be deleted without losing results."""

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
    """Id of the league."""
    deals: int = column(COUNT, primary_key=True)
    """Number of deals rated."""
    kept: bool
    """Whether it is kept for the rating history; other snapshots are replaced by the next one."""
    created: float
    """Time of the computation."""
    seats: list[list[float]] = column(ColumnRule(_are_effects), sa_type=sa.JSON)
    """Advantage of each seat: the fields of `SeatEffect`."""
    luck: float | None
    """Share of a result's variance that is due to the luck of seat and deal; NULL if unknown."""


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
    """Id of the league."""
    deals: int = column(primary_key=True)
    """Number of deals rated by the snapshot."""
    entrant: int = column(ENTRANT, primary_key=True)
    """Number of the entrant."""
    rating: float
    """Rating in Elo."""
    interval: float | None
    """Half the width of the rating's 95 % interval; NULL if there is none."""
    best_rank: int = column(COUNT)
    """1 + number of entrants that are better with more than 97.5 % probability."""
    worst_rank: int = column(COUNT)
    """Number of entrants, minus the number of entrants that are worse with more than 97.5 % probability."""
    least: float | None
    """Lower 95 % bound of a rating that has no upper one."""
    most: float | None
    """Upper 95 % bound of a rating that has no lower one."""
    anchor: bool
    """Whether the rating is the base value by definition."""
    provisional: bool
    """Whether the entrant has few deals, or its differences from both neighbours are uncertain."""
    effective: float | None
    """Effective deals of a ladder entry: the number of equally weighted deals that would give the same certainty; NULL
    elsewhere."""
