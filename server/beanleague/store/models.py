"""The tables of ratings as classes of SQLModel, made of their one declaration; imported when ratings are stored.

SQLModel takes a third of a second to load, which commands that only read need not spend.
"""

from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel
from sqlmodel.main import SQLModelMetaclass

from beanleague.store.tables import RATING, SNAPSHOT


def _model(name: str, table: sa.Table) -> Any:  # noqa: ANN401 - a class that type checkers cannot know
    """Return the class of the rows of `table`."""
    kinds = {column.name: column.type.python_type for column in table.columns}
    body = {
        "__module__": __name__,
        "__table__": table,
        "__annotations__": {column.name: kinds[column.name] | None for column in table.columns},
        **{column.name: Field(sa_column=column) for column in table.columns},
    }
    return SQLModelMetaclass(name, (SQLModel,), body, table=True)


RatingRow = _model("RatingRow", RATING)
SnapshotRow = _model("SnapshotRow", SNAPSHOT)
