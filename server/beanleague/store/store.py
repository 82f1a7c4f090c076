"""The store: one database and the queries on it, by subject."""

from contextlib import AbstractContextManager
from threading import Event
from typing import Self

from beanleague.store import archive, bots, database, deals, ladders, leagues, matches, ratings, runs


class Store:
    """Access to the database at `url` (an SQLAlchemy URL), by subject. `ending`: see `Database`.

    Raises:
        DatabaseError: see `Database`.
    """

    def __init__(self, url: str, ending: Event | None = None) -> None:
        self.database = database.Database(url, ending)
        self.archive = archive.Archive(self.database)
        self.audit = matches.Audit(self.database)
        self.bots = bots.Bots(self.database)
        self.leagues = leagues.Leagues(self.database)
        self.ladders = ladders.Ladders(self.database)
        self.changes = leagues.Changes(self.database)
        self.deals = deals.Deals(self.database)
        self.nodes = deals.Nodes(self.database)
        self.matches = matches.Matches(self.database)
        self.analyses = matches.Analyses(self.database)
        self.pairs = ratings.Pairs(self.database)
        self.trades = matches.Trades(self.database)
        self.ratings = ratings.RatingSnapshots(self.database)
        self.logs = bots.Logs(self.database)
        self.runs = runs.Runs(self.database)
        self.tokens = bots.Tokens(self.database)

    def alone(self) -> AbstractContextManager[None]:
        """Read, decide and write in one transaction; see `Database.alone`."""
        return self.database.alone()

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
