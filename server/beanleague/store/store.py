"""The store: one database and the queries on it, by subject."""

from __future__ import annotations

from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from beanleague.store.database import Database

if TYPE_CHECKING:
    from beanleague.store.audit import Audit
    from beanleague.store.bots import Bots
    from beanleague.store.changes import Changes
    from beanleague.store.deals import Deals
    from beanleague.store.leagues import Leagues
    from beanleague.store.logs import Logs
    from beanleague.store.matches import Matches
    from beanleague.store.nodes import Nodes
    from beanleague.store.pairs import Pairs
    from beanleague.store.ratings import RatingSnapshots
    from beanleague.store.runs import Runs
    from beanleague.store.tokens import Tokens
    from beanleague.store.trades import Trades


class Store:
    """Everything kept in the database at `url` (an SQLAlchemy URL); see the modules of the same names.

    Each is imported when it is first used.

    Raises:
        DatabaseError: see `Database`.
    """

    database: Database
    audit: Audit
    bots: Bots
    leagues: Leagues
    changes: Changes
    deals: Deals
    nodes: Nodes
    matches: Matches
    pairs: Pairs
    trades: Trades
    ratings: RatingSnapshots
    logs: Logs
    runs: Runs
    tokens: Tokens

    def __init__(self, url: str) -> None:
        self.database = Database(url)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - a part, as annotated
        if name not in PARTS:
            raise AttributeError(name=name, obj=self)
        part = getattr(import_module(f"beanleague.store.{name}"), Store.__annotations__[name])(self.database)
        setattr(self, name, part)
        return part

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


PARTS = tuple(name for name in Store.__annotations__ if name != "database")
"""The names of the parts of a store."""
