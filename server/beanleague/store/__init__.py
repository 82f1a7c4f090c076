"""Everything that is stored, in one database: bots, leagues, deals, matches, ratings.

    from beanleague.store import StoreError
    from beanleague.store.store import Store      # imports SQLAlchemy, which takes 0.2 s

A `Store` is safe to use from several threads and several processes at once. It returns plain frozen values.
"""

from beanleague.store.errors import ConflictError, DatabaseError, MissingError, OwnerError, StoreError, TakenError

__all__ = ["ConflictError", "DatabaseError", "MissingError", "OwnerError", "StoreError", "TakenError"]
