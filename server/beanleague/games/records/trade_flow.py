"""Flow of cards between the players of a trading game, and its value, computed from the events alone.

A card is worth the value that it adds to the receiver's fields at that moment. For a kind that the receiver grows, this
is the rise of the beanometer, interpolated linearly between its steps. Other cards are worth the dollars that they earn
together, so a single card of a new kind is worth nothing. Cards set aside count as planted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from beanleague.games.core.values import dataclass

if TYPE_CHECKING:
    from beanleague.games.bohnanza.moves import Traded
    from beanleague.games.core.game import Event, Kind
    from beanleague.games.core.moves import Planted


@dataclass(frozen=True, slots=True)
class TradeFlow:
    """Cards given by one player to another."""

    giver: int
    """Seat that gives; in a deal, the number of the entrant."""
    receiver: int
    """Seat that receives; in a deal, the number of the entrant."""
    trades: int
    """Number of trades between the two, whoever was the active player."""
    cards: int
    """Number of cards given."""
    gifts: int
    """Number of trades in which the giver got nothing in return."""
    cents: int
    """Value of the cards to the receiver, in hundredths of a dollar."""


def trade_flows(seats: int, events: Sequence[Event]) -> tuple[TradeFlow, ...]:
    """Return the flow from each seat to each of its trading partners, sorted by giver and receiver."""
    # Compared by name, since the class is loaded only with games that have trades.
    if not any(type(event).__name__ == "Traded" for event in events):
        return ()
    from beanleague.games.bohnanza.moves import Traded, TradingEnded
    from beanleague.games.core.moves import Harvested, Planted

    table = _Table(seats)
    flows: list[TradeFlow] = []
    for event in events:
        if type(event) is Traded:
            flows += table.trade(event)
        elif type(event) is Planted:
            table.plant(event)
        elif type(event) is Harvested:
            del table.fields[event.seat][event.field]
        elif type(event) is TradingEnded:
            table.aside[event.seat].update(event.left)
    return added_up(flows)


def of_entrants(seating: Sequence[int], flows: Iterable[TradeFlow]) -> Iterable[TradeFlow]:
    """Yield the flows of a match between entrants instead of seats, without flows within one entrant."""
    for flow in flows:
        giver, receiver = seating[flow.giver], seating[flow.receiver]
        if giver != receiver:
            yield replace(flow, giver=giver, receiver=receiver)


def added_up(flows: Iterable[TradeFlow]) -> tuple[TradeFlow, ...]:
    """Return the total flow for each giver and receiver, sorted."""
    sums: dict[tuple[int, int], list[int]] = {}
    for flow in flows:
        total = sums.setdefault((flow.giver, flow.receiver), [0, 0, 0, 0])
        for i, more in enumerate((flow.trades, flow.cards, flow.gifts, flow.cents)):
            total[i] += more
    return tuple(TradeFlow(*pair, *total) for pair, total in sorted(sums.items()))


class _Table:
    """Fields and set-aside cards of each seat, as known from events."""

    def __init__(self, seats: int) -> None:
        self.fields: list[dict[int, tuple[Kind, int]]] = [{} for _ in range(seats)]
        self.aside: list[Counter[Kind]] = [Counter() for _ in range(seats)]

    def plant(self, event: Planted) -> None:
        _, count = self.fields[event.seat].get(event.field, ("", 0))
        self.fields[event.seat][event.field] = (event.kind, count + 1)
        if event.source == "aside":
            self.aside[event.seat][event.kind] -= 1

    def trade(self, event: Traded) -> Iterable[TradeFlow]:
        sides = (
            (event.seat, event.partner, event.gives, event.receives),
            (event.partner, event.seat, event.receives, event.gives),
        )
        flows = [
            TradeFlow(giver, receiver, 1, len(given), int(bool(given) and not back), self._cents(receiver, given))
            for giver, receiver, given, back in sides
        ]
        for _, receiver, given, _ in sides:
            self.aside[receiver].update(given)
        return flows

    def _cents(self, seat: int, cards: Sequence[Kind]) -> int:
        return sum(self._worth(seat, kind, count) for kind, count in Counter(cards).items())

    def _worth(self, seat: int, kind: Kind, count: int) -> int:
        grows = max((planted for there, planted in self.fields[seat].values() if there == kind), default=0)
        before = grows + self.aside[seat][kind]
        line, steps = _beanometer(kind)
        values = line if grows else steps
        return values[min(before + count, len(values) - 1)] - values[min(before, len(values) - 1)]


@cache
def _beanometer(kind: Kind) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the beanometer in cents by number of cards: as printed, and interpolated between its steps."""
    from beanleague.games.core.kinds import all_kinds

    rule = next(rule for rule in all_kinds() if rule.name == kind)
    steps = [(0, 0), *((least, 100 * dollars) for dollars, least in enumerate(rule.beanometer, 1) if least)]
    line = [0]
    for (start, low), (end, high) in pairwise(steps):
        line += (low + (high - low) * (count - start) // (end - start) for count in range(start + 1, end + 1))
    return tuple(line), tuple(100 * rule.dollars(count) for count in range(len(line)))
