"""Owners of bots. Bots of one owner are kept apart at the tables, since they could collude.

An owner is the holder of the token that submitted the first version of a bot; the manifest is irrelevant. Bots of the
organisers, such as the house bots, have no owner and are treated as unrelated.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.model import Entrant, League


@dataclass(frozen=True, slots=True)
class SharedOwner:
    """An owner of several seated bots of a league."""

    name: str
    """Name of the owner."""
    bots: int
    """Number of the owner's seated bots."""
    together: bool
    """Whether the owner's bots share tables, because there are too few bots of other owners."""


def groups_of(owners: Sequence[str]) -> list[int]:
    """Return a group number for each bot, equal for bots of one owner. `owners`: of each bot, "" for none."""
    return [owners.index(owner) if owner else bot for bot, owner in enumerate(owners)]


def keeps_owners_apart(league: League) -> bool:
    """Return whether a league keeps the bots of an owner apart; a comparison does not, since it names its bots."""
    return not (league.mix_owners or league.solo or league.traits.compares)


def shared_owners(league: League, entrants: Sequence[Entrant]) -> tuple[SharedOwner, ...]:
    """Return the owners of several seated bots, by name; none if the league does not keep them apart."""
    if not keeps_owners_apart(league):
        return ()
    groups = groups_of([entrant.owner for entrant in entrants])
    seated = {groups[entrant.number] for entrant in entrants if entrant.active}
    bots = Counter(entrant.owner for entrant in entrants if entrant.active and entrant.owner)
    together = len(seated) < league.seats
    return tuple(SharedOwner(owner, count, together) for owner, count in sorted(bots.items()) if count > 1)
