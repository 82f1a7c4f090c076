"""Harvests: the origin of a field's cards, and the gain that waiting would have brought.

The gain from waiting is an estimate in dollars from later events. The field is assumed to be kept to the end of the
seat's second turn after the harvest. Until then it would have grown by all cards of its kind that the seat planted in
any field, or turned over and gave away. The earnings of these cards elsewhere, and of the freed field in that time, are
subtracted; each card of a field counts for an equal share of its earnings.

If a card fitted nowhere else, the seat had to harvest some field. Waiting then means harvesting the smallest of its
other fields and planting there: the loss of that field is subtracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from beanbot.analysis.course import game_of
from beanleague.games import Kind, Record
from beanleague.games.bohnanza import Traded, TradingEnded
from beanleague.games.core import Harvest, Harvested
from beanleague.games.core.floats import float_sum
from beanleague.games.core.moves import FieldBought, Planted, TurnStarted, harvestable

CardSource: TypeAlias = Literal["hand", "turned over", "trade"]
TURNS = 2
"""Number of its own turns that a seat is assumed to wait."""
SHORT = 2
"""Maximum number of cards that a field lacks for its next dollar if waiting is considered."""


@dataclass(frozen=True, slots=True)
class PlantedCard:
    """A card in a field."""

    at: int
    """Index of the planting in the events."""
    source: CardSource
    """Origin of the card: the hand, the seat's own turned-over cards, or a trade."""
    second: bool
    """Whether it was the second hand card of a turn, which is optional."""


@dataclass(frozen=True, slots=True)
class Crop:
    """The cards of a field from the first planting to the harvest."""

    seat: int
    field: int
    """The seat's field, counted from 0."""
    kind: Kind
    cards: tuple[PlantedCard, ...]
    dollars: int
    at: int
    """Index of the harvest in the events."""
    turn: int
    move: int | None
    """Index of the harvest in the moves; None for the harvest at the end of the match."""
    others: tuple[tuple[Kind | None, int], ...]
    """Kind and number of cards in each field of the seat just before the harvest; None and 0 if empty."""

    def dollars_before(self, until: int) -> float:
        """Return the share of the dollars of the cards planted before the event `until`."""
        return self.dollars * sum(card.at < until for card in self.cards) / len(self.cards)


@dataclass(frozen=True, slots=True)
class EarlyHarvest:
    """A harvest one or two cards short of the next dollar."""

    kind: Kind
    cards: int
    """Number of cards in the field."""
    short: int
    """Number of cards missing for the next dollar."""
    move: int
    """Index of the move in the match."""
    turn: int
    came: int
    """Number of cards of the kind that waiting would have brought."""
    gained: float
    """Dollars gained by waiting."""


class Harvests:
    """The harvests of all seats of a match.

    Raises:
        AnalysisError: if the match is not of a trading game, or has other rules.
    """

    def __init__(self, record: Record) -> None:
        self._rules = game_of(record).rules
        self._events = record.events
        self._turns: list[tuple[int, int]] = []
        """(event index, seat) of the beginning of each turn."""
        moves = [
            iter([at for at, made in enumerate(record.moves) if made.seat == seat and type(made.action) is Harvest])
            for seat in range(record.seats)
        ]
        self.crops = list(self._crops(moves))
        """All harvests, in order."""

    def _crops(self, moves: Sequence[Iterator[int]]) -> Iterator[Crop]:
        fields: list[list[tuple[Kind | None, list[PlantedCard]]]]
        fields = [[(None, []) for _ in range(self._rules.fields)] for _ in moves]
        aside: list[list[CardSource]] = [[] for _ in moves]
        from_hand = 0  # number of hand cards planted in this turn
        for at, event in enumerate(self._events):
            if type(event) is TurnStarted:
                self._turns.append((at, event.seat))
                from_hand = 0
            elif type(event) is Traded:
                aside[event.partner] += ["trade"] * len(event.gives)
                aside[event.seat] += ["trade"] * len(event.receives)
            elif type(event) is TradingEnded:
                aside[event.seat] += ["turned over"] * len(event.left)
            elif type(event) is FieldBought:
                fields[event.seat].append((None, []))
            elif type(event) is Planted:
                own = event.source == "hand"
                from_hand += own
                source = "hand" if own else aside[event.seat].pop(event.position)
                planted = [*fields[event.seat][event.field][1], PlantedCard(at, source, own and from_hand > 1)]
                fields[event.seat][event.field] = (event.kind, planted)
            elif type(event) is Harvested:
                seat, field = event.seat, event.field
                others = tuple([(kind, len(cards)) for kind, cards in fields[seat]])
                grown, move = tuple(fields[seat][field][1]), next(moves[seat], None)
                yield Crop(seat, field, event.kind, grown, event.dollars, at, len(self._turns), move, others)
                fields[seat][field] = (None, [])

    def dollars(self, kind: Kind, cards: int) -> int:
        """Return the earnings of a field of `cards` cards."""
        return self._rules.kind(kind).dollars(cards)

    def forced_by(self, crop: Crop) -> PlantedCard | None:
        """Return the card that forced a harvest because it fitted into no field; None if there is none.

        A second hand card forces no harvest, since the seat could have kept it.
        """
        planted, grown = self._following(crop)
        if not planted or not grown or grown.kind == crop.kind or planted.second:
            return None
        fits = any(kind in {None, grown.kind} for at, (kind, _) in enumerate(crop.others) if at != crop.field)
        return None if fits else planted

    def early(self, seat: int) -> Iterator[EarlyHarvest]:
        """Yield the harvests of a seat that fell one or two cards short, and could have waited."""
        for crop in self.crops:
            kind, count = crop.kind, len(crop.cards)
            short = next((more for more in range(1, SHORT + 1) if self.dollars(kind, count + more) > crop.dollars), 0)
            if crop.seat != seat or crop.move is None or not short:
                continue
            until = self._until(crop)
            lost = self._cost_of_waiting(crop, until)
            if lost is None:
                continue
            again = [each for each in self.crops if each.seat == seat and each.kind == kind and each.at > crop.at]
            came = sum(crop.at < card.at < until for each in again for card in each.cards)
            made = float_sum(each.dollars_before(until) - each.dollars_before(crop.at) for each in again)
            came += sum(
                event.gives[: len(event.turned)].count(kind)
                for event in self._events[crop.at : until]
                if type(event) is Traded and event.seat == seat
            )
            gained = self.dollars(kind, count + came) - crop.dollars - made - lost
            yield EarlyHarvest(kind, count, short, crop.move, crop.turn, came, gained)

    def _until(self, crop: Crop) -> int:
        """Return the event index at which the waiting would have ended."""
        later = [number for number, (at, seat) in enumerate(self._turns) if seat == crop.seat and at > crop.at]
        ends = later[TURNS - 1] + 1 if len(later) >= TURNS else len(self._turns)
        return self._turns[ends][0] if ends < len(self._turns) else len(self._events)

    def _following(self, crop: Crop) -> tuple[PlantedCard | None, Crop | None]:
        """Return the seat's next planted card and its crop, if they are in the freed field; else (None, None)."""
        ahead = ((card, each) for each in self.crops if each.seat == crop.seat for card in each.cards)
        after = [(card, each) for card, each in ahead if card.at > crop.at]
        planted, grown = min(after, key=lambda one: one[0].at, default=(None, None))
        return (planted, grown) if grown and grown.field == crop.field else (None, None)

    def _cost_of_waiting(self, crop: Crop, until: int) -> float | None:
        """Return the dollars that waiting would have cost elsewhere; None if the seat could not have waited."""
        if not self.forced_by(crop):
            return float_sum(
                each.dollars_before(until)
                for each in self.crops
                if (each.seat, each.field) == (crop.seat, crop.field) and each.at > crop.at and each.kind != crop.kind
            )
        counts = [count for _, count in crop.others]
        others = [field for field in harvestable(counts) if field != crop.field]
        if not others:
            return None
        instead = min(others, key=lambda field: counts[field])
        other = next(
            each for each in self.crops if (each.seat, each.field) == (crop.seat, instead) and each.at > crop.at
        )
        return other.dollars_before(until) - self.dollars(other.kind, counts[instead])
