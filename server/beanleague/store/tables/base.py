"""Base class of all tables, their column types, and the declaration of columns with rules."""

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeEngine
from sqlmodel import Field, SQLModel

from beanleague.store.tables.rules import ColumnRule

ColumnType: TypeAlias = TypeEngine[Any] | type[TypeEngine[Any]]

RULE = "rule"
"""Key of a column's rule in `Column.info`."""

Total = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""Column type of totals that can exceed 32 bits. SQLite's integers can in any case, and small ones take less space."""


class Bytes(sa.LargeBinary):
    """Column type of bytes. SQLAlchemy's own would turn the number n in a damaged SQLite file into n zero bytes."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:  # noqa: ANN401 - SQLAlchemy's signature
        if dialect.name == "sqlite":
            return None
        return super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]


class Row(SQLModel):
    """Base class of all tables.

    A field is a column: its annotation gives the type, and with `None` the column may be NULL. Keys and constraints are
    in `__table_args__`.
    """

    # Rows are built in bulk and never validated by Pydantic: building its validators would add 60 ms to each command.
    model_config = {"defer_build": True}
    metadata = sa.MetaData()
    if TYPE_CHECKING:
        __table__: ClassVar[sa.Table]


Default: TypeAlias = Any
"""Default value of a field of any type."""


def column(rule: ColumnRule | None = None, *, primary_key: bool = False, sa_type: ColumnType | None = None) -> Default:
    """Declare a column with a rule for its values. `sa_type`: column type, by default from the annotation."""
    more: dict[str, Any] = {} if sa_type is None else {"sa_type": sa_type}
    return Field(primary_key=primary_key, sa_column_kwargs={"info": {RULE: rule}}, **more)


def rule_of(column: sa.Column[Any]) -> ColumnRule | None:
    """Return the rule of a column; None if it has none."""
    rule: ColumnRule | None = column.info.get(RULE)
    return rule
