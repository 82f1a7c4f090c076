"""What happens in Bohnanza for two, besides the events it shares with the other card games.

Those are all but those of trading and shuffling. `docs/records.md` says what each event changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Joined(Event):
    """Step 3: `cards` come from the top of the discard pile, one after the other, behind the open cards of `seat`."""

    seat: int
    cards: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class OpenDiscarded(Event):
    """Step 1: `seat` discards the open card at `position`, a bean of `kind`."""

    seat: int
    position: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class HandDiscarded(Event):
    """Step 2: `seat` discards the card at `position` of its hand, a bean of `kind`."""

    seat: int
    position: int
    kind: Kind
