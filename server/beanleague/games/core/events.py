"""Events that several games share. `docs/records.md` says what each event changes."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class _Received(Event):
    """`count` cards go from the pile to the back of the hand of `seat`, in this order; only it sees `cards`."""

    seat: int
    count: int
    cards: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Dealt(_Received):
    """The start hand of `seat`."""

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat else Dealt(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class Drew(_Received):
    """`seat` draws, at the end of a turn."""

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat else Drew(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """Turn `turn` (1, 2, ...) begins; `seat` is the active player."""

    turn: int
    seat: int


@dataclass(frozen=True, slots=True)
class Planted(Event):
    """A card is planted by `seat` in its field `field`.

    `source`: "hand" (the first card of the hand), or where else the card was, at `position`: "aside" (trading games),
    "open" (for two), "turned" or "gift" (duel).
    """

    seat: int
    field: int
    kind: Kind
    source: str
    position: int


@dataclass(frozen=True, slots=True)
class Passed(Event):
    """`seat` plants no second card; in the game for two also: it discards none, or plants no more of what is open."""

    seat: int


@dataclass(frozen=True, slots=True)
class Harvested(Event):
    """`seat` harvests field `field`: of `cards` cards of `kind`, `dollars` become dollars, the rest is discarded."""

    seat: int
    field: int
    kind: Kind
    cards: int
    dollars: int


@dataclass(frozen=True, slots=True)
class FieldBought(Event):
    """`seat` pays `price` dollars, those earned last, for a field more, which comes behind its others.

    `discarded`: the kinds of the cards paid, as they go to the discard pile one after the other; none of them where
    they leave the game.
    """

    seat: int
    price: int
    discarded: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class TurnedOver(Event):
    """`seat` turns over `cards`, which lie open in this order behind those already there."""

    seat: int
    cards: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class RanOut(Event):
    """The draw pile runs out for the `time`-th time."""

    time: int


@dataclass(frozen=True, slots=True)
class Shuffled(Event):
    """All discarded cards, `cards` of them, become the draw pile; draw orders of pass `number` (1, 2, ...) hold."""

    number: int
    cards: int


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game is over. Per seat: `dollars` and `places` (1 is best)."""

    dollars: tuple[int, ...]
    places: tuple[int, ...]
