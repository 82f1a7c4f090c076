"""Storage in one database: bots, leagues, deals, matches and ratings.

    from beanleague.store import Store, StoreError

The first use of `Store` imports SQLModel and SQLAlchemy, which takes 0.3 s. A `Store` is safe to use from several
threads and several processes at once. It returns plain frozen values. The message of every `StoreError` is a sentence
for people.
"""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by

if TYPE_CHECKING:
    from beanleague.store.store import Store
else:
    __getattr__ = exported_by(__name__, "store")


class StoreError(Exception):
    """Base of every error that `beanleague.store` raises on purpose."""


class DatabaseError(StoreError):
    """Raised when the database cannot be used: damaged, of a newer version, locked, full, or of another program."""


class DamagedError(DatabaseError):
    """Raised when a row holds a value that Beanleague never stores."""


class DisconnectedError(DatabaseError):
    """Raised when the database server disconnected in the middle of a transaction."""


class MissingError(StoreError):
    """Raised when there is no bot, version, league, deal or match of this name."""


class TakenError(StoreError):
    """Raised when the name is already in use."""


class ConflictError(StoreError):
    """Raised when the current state forbids a change: a deal is already played, or a league is already running."""


class OwnerError(StoreError):
    """Raised when a bot belongs to another author."""


__all__ = [
    "ConflictError",
    "DamagedError",
    "DatabaseError",
    "DisconnectedError",
    "MissingError",
    "OwnerError",
    "Store",
    "StoreError",
    "TakenError",
]
