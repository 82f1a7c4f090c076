"""The names in a database of this machine, without a service: see `beanleague.store.known_names`."""

from __future__ import annotations

from beanleague.store.known_names import KnownNames, known_names

__all__ = ["KnownNames", "known_names"]
