"""Figures of a match by seat: what it earned and with which cards, its harvests, its plans and its trades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from beanbot.analysis.harvests import Harvests
from beanbot.analysis.market import won
from beanleague.games import Record
from beanleague.games.bohnanza import Answered, Offered, Traded
from beanleague.games.records.trade_flow import trade_flows

SIZES = (("1 or 2 cards", 1, 2), ("3 or 4 cards", 3, 4), ("5 or 6 cards", 5, 6), ("7 cards or more", 7, 99))


def figures(record: Record, harvests: Harvests) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield the name of each figure of a match, and its value for each seat."""
    yield "won, %", [100 * part for part in won(record.places)]
    yield "place", record.places
    yield "dollars", record.scores
    yield from _harvested(record.seats, harvests)
    yield from _traded(record)
    if record.ms:
        times = list(zip(record.moves, record.ms, strict=True))
        seats = range(record.seats)
        yield "seconds of thinking", [sum(ms for made, ms in times if made.seat == seat) / 1000 for seat in seats]


def _harvested(seats: int, harvests: Harvests) -> Iterator[tuple[str, Sequence[float]]]:
    crops = [[crop for crop in harvests.crops if crop.seat == seat] for seat in range(seats)]
    for source in ("hand", "turned over", "trade"):
        shares = [
            [crop.dollars * sum(card.source == source for card in crop.cards) / len(crop.cards) for crop in own]
            for own in crops
        ]
        yield f"dollars by cards: {source}", [sum(own) for own in shares]
    at_end = [[crop.dollars for crop in own if crop.move is None] for own in crops]
    yield "dollars of fields left at the end", [sum(own) for own in at_end]
    yield "harvests", [len(own) for own in crops]
    for size, least, most in SIZES:
        yield f"harvests of {size}", [sum(least <= len(crop.cards) <= most for crop in own) for own in crops]
    yield "dollars a harvest", [fmean([crop.dollars for crop in own] or [0]) for own in crops]
    short = [[harvests.dollars(crop.kind, len(crop.cards) + 1) > crop.dollars for crop in own] for own in crops]
    yield "harvests one card short of more, %", [100 * fmean(own or [0]) for own in short]
    yield "cards that forced a harvest", [sum(harvests.forced_by(crop) is not None for crop in own) for own in crops]
    nothing = [[len(crop.cards) for crop in own if not crop.dollars] for own in crops]
    yield "cards planted that earned nothing", [sum(own) for own in nothing]


def _traded(record: Record) -> Iterator[tuple[str, Sequence[float]]]:
    seats = range(record.seats)
    offered, taken = [0] * record.seats, [0] * record.seats
    asked, agreed, picked = ([0] * record.seats for _ in range(3))
    for event in record.events:
        if type(event) is Offered:
            offered[event.seat] += 1
        elif type(event) is Answered:
            asked[event.seat] += 1
            agreed[event.seat] += event.answer != "decline"
        elif type(event) is Traded:
            taken[event.seat] += 1
            picked[event.partner] += 1
    yield "offers and calls", offered
    yield "offers and calls that led to a trade, %", _percent(taken, offered)
    yield "offers answered, %", _percent(agreed, asked)
    yield "answers that led to a trade, %", _percent(picked, agreed)
    flows = trade_flows(record.seats, record.events)
    given = [[flow for flow in flows if flow.giver == seat] for seat in seats]
    received = [[flow for flow in flows if flow.receiver == seat] for seat in seats]
    yield "trades", [sum(flow.trades for flow in own) for own in given]
    yield "cards given", [sum(flow.cards for flow in own) for own in given]
    yield "cards received", [sum(flow.cards for flow in own) for own in received]
    yield "dollars that others gained by them", [sum(flow.cents for flow in own) / 100 for own in given]
    yield "dollars gained by those received", [sum(flow.cents for flow in own) / 100 for own in received]


def _percent(parts: Sequence[int], wholes: Sequence[int]) -> list[float]:
    return [100 * part / whole if whole else 0.0 for part, whole in zip(parts, wholes, strict=True)]
