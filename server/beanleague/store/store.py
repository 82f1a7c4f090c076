"""The store: one database and the queries on it, by subject."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from beanleague.store.audit import Audit
from beanleague.store.bots import Bots
from beanleague.store.changes import Changes
from beanleague.store.database import Database
from beanleague.store.deals import Deals
from beanleague.store.leagues import Leagues
from beanleague.store.logs import Logs
from beanleague.store.matches import Matches
from beanleague.store.nodes import Nodes
from beanleague.store.pairs import Pairs
from beanleague.store.ratings import Ratings
from beanleague.store.runs import Runs
from beanleague.store.tokens import Tokens
from beanleague.store.trades import Trades


class Store:
    """Everything kept in the database at `url` (an SQLAlchemy URL); see the modules of the same names.

    Raises:
        DatabaseError: see `Database`.
    """

    def __init__(self, url: str) -> None:
        self.database = Database(url)
        self.audit = Audit(self.database)
        self.bots = Bots(self.database)
        self.leagues = Leagues(self.database)
        self.changes = Changes(self.database)
        self.deals = Deals(self.database)
        self.nodes = Nodes(self.database)
        self.matches = Matches(self.database)
        self.pairs = Pairs(self.database)
        self.trades = Trades(self.database)
        self.ratings = Ratings(self.database)
        self.logs = Logs(self.database)
        self.runs = Runs(self.database)
        self.tokens = Tokens(self.database)

    def close(self) -> None:
        """Close every connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
