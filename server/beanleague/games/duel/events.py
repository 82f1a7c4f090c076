"""What happens in the duel, besides the events it shares with the other card games.

Those are `Dealt`, `Drew`, `TurnStarted`, `Planted`, `Passed`, `TurnedOver` and `RanOut`.
`docs/records.md` says what each event changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class FirstDollars(Event):
    """`count` cards, which nobody sees, become the first dollars of `seat`."""

    seat: int
    count: int
    cards: tuple[Kind, ...]

    def seen_by(self, seat: int) -> Event:
        del seat
        return FirstDollars(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class BohnusDrawn(Event):
    """`seat` draws `count` bo(h)nus cards; only it sees their numbers `cards`."""

    seat: int
    count: int
    cards: tuple[int, ...]

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat else BohnusDrawn(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class GiftOffered(Event):
    """Phase 2: `seat` offers a bean of `kind`; whether it has one does not show."""

    seat: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class GiftDeclined(Event):
    """Phase 2: `seat` declines what it was offered."""

    seat: int


@dataclass(frozen=True, slots=True)
class GiftAccepted(Event):
    """Phase 2: `seat` accepts what it was offered. What follows, once given, is `GiftGiven` or `BluffPaid`."""

    seat: int


@dataclass(frozen=True, slots=True)
class GiftGiven(Event):
    """Phase 2: `seat` gives a bean of `kind`, the card at `position` of its `source`: "hand" or "turned"."""

    seat: int
    kind: Kind
    source: str
    position: int


@dataclass(frozen=True, slots=True)
class BluffPaid(Event):
    """Phase 2: `seat` was bluffing, and gives the other `dollars` bean dollars (0 or 1) and `bohnus` cards (0 or 1)."""

    seat: int
    dollars: int
    bohnus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnedDiscarded(Event):
    """Phase 3: `seat` discards the turned-over card at `position`, a bean of `kind`."""

    seat: int
    position: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class BohnusDiscarded(Event):
    """Phase 4: `seat` discards the bo(h)nus card number `card`, face up."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class BohnusShuffled(Event):
    """All discarded bo(h)nus cards, `cards` of them, become the pile; draw orders of pass `number` (1, ...) hold."""

    number: int
    cards: int


@dataclass(frozen=True, slots=True)
class Fulfilled(Event):
    """`seat` fulfils the bo(h)nus card number `card` with field `field` of seat `owner`; it goes to its dollars."""

    seat: int
    card: int
    owner: int
    field: int


@dataclass(frozen=True, slots=True)
class ColumnHarvested(Event):
    """`seat` harvests field `field`, where `cards` were planted in this order.

    The `dollars` planted last become dollars, the rest is discarded.
    """

    seat: int
    field: int
    cards: tuple[Kind, ...]
    dollars: int


@dataclass(frozen=True, slots=True)
class DuelEnded(Event):
    """The game is over. Per seat: `cents` (a bean dollar is 100) and `places` (1 is best)."""

    cents: tuple[int, ...]
    places: tuple[int, ...]
