"""The machines that play deals."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """A machine that plays deals, as it was at that time."""

    name: str
    """Its name: that of the host, or the one that it was started with."""
    cpu: str
    """The model of its CPU."""
    beanleague: str
    """Version of Beanleague that it plays with."""
    python: str
    """Version of Python that Beanleague runs on there."""


@dataclass(frozen=True, slots=True)
class NodeTotals:
    """What a node did in a league."""

    node: Node
    """The node."""
    deals: int
    """Deals that it played and that count."""
    voids: int
    """Deals that had to be played again, because something other than a bot failed there."""
    faults: int
    """Faults of bots in the deals that count."""
    timeouts: int
    """How many of these faults were late answers, which a slow machine leads to."""
