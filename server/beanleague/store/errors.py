"""Errors of the store; every one is a `StoreError` whose message is a sentence for people."""

from __future__ import annotations


class StoreError(Exception):
    """Base of every error that `beanleague.store` raises on purpose."""


class DatabaseError(StoreError):
    """The database cannot be opened, read or written: damaged, of a newer version, locked, full, or not ours."""


class MissingError(StoreError):
    """There is no bot, version, league, deal or match of that name."""


class TakenError(StoreError):
    """The name is in use already."""


class ConflictError(StoreError):
    """The state of things does not allow it: a deal is played already, or a league is being run by somebody else."""


class OwnerError(StoreError):
    """A bot belongs to somebody else."""
