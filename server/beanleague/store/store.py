"""The store: one database and the queries on it, by subject."""

from threading import Event
from typing import Self

from beanleague.store.bots import Bots, Logs, Tokens
from beanleague.store.database import Database
from beanleague.store.deals import Deals, Nodes
from beanleague.store.ladders import Ladders
from beanleague.store.leagues import Changes, Leagues
from beanleague.store.matches import Audit, Matches, Trades
from beanleague.store.ratings import Pairs, RatingSnapshots
from beanleague.store.runs import Runs


class Store:
    """Everything kept in the database at `url` (an SQLAlchemy URL). `ending`: see `Database`.

    Raises:
        DatabaseError: see `Database`.
    """

    def __init__(self, url: str, ending: Event | None = None) -> None:
        self.database = Database(url, ending)
        self.audit = Audit(self.database)
        self.bots = Bots(self.database)
        self.leagues = Leagues(self.database)
        self.ladders = Ladders(self.database)
        self.changes = Changes(self.database)
        self.deals = Deals(self.database)
        self.nodes = Nodes(self.database)
        self.matches = Matches(self.database)
        self.pairs = Pairs(self.database)
        self.trades = Trades(self.database)
        self.ratings = RatingSnapshots(self.database)
        self.logs = Logs(self.database)
        self.runs = Runs(self.database)
        self.tokens = Tokens(self.database)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
