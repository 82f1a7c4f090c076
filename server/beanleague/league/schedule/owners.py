"""Owners of bots. The bots of one owner are kept apart at the tables, since they could play into each other's hands.

An owner is the holder of the token that submitted the first version of a bot. What the manifest says counts nothing.
Bots of the organisers, such as the house bots, have no owner and are strangers to each other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.model import COMPARISON, Entrant, League


@dataclass(frozen=True, slots=True)
class SharedOwner:
    """An owner of several bots that are seated in a league."""

    name: str
    """Name of the owner."""
    bots: int
    """How many of the bots seated are theirs."""
    together: bool
    """Whether they share tables, because there are too few bots of others."""


def groups_of(owners: Sequence[str]) -> list[int]:
    """Return a number for each bot, the same for those of one owner. `owners`: of each bot, "" for none."""
    return [owners.index(owner) if owner else bot for bot, owner in enumerate(owners)]


def kept_apart(league: League) -> bool:
    """Whether the bots of an owner are kept apart in a league. A comparison is about the bots it names."""
    return not (league.mix_owners or league.solo or league.format == COMPARISON)


def shared_owners(league: League, entrants: Sequence[Entrant]) -> tuple[SharedOwner, ...]:
    """Return the owners of several bots that are seated, by name; none if the league does not keep them apart."""
    if not kept_apart(league):
        return ()
    groups = groups_of([entrant.owner for entrant in entrants])
    seated = {groups[entrant.number] for entrant in entrants if entrant.active}
    bots = Counter(entrant.owner for entrant in entrants if entrant.active and entrant.owner)
    together = len(seated) < league.seats
    return tuple(SharedOwner(owner, count, together) for owner, count in sorted(bots.items()) if count > 1)
