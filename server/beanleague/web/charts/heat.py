"""Matrices as heat maps: each cell with a class for its colour, which the style sheet has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.names import format_bot
from beanleague.web.numbers import signed
from beanproto.v1.league_pb2 import PairFlow, RatingsResponse

_STEPS = 5  # of colour to each side of the middle


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix."""

    text: str
    """What it shows; "" if nothing is known."""
    heat: int
    """Its colour: from -5, far below the middle, to 5, far above it."""
    title: str
    """What it says, in words."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A matrix of bots."""

    names: Sequence[str]
    """"name@version" of each row and column."""
    rows: Sequence[Sequence[Cell | None]]
    """The cells; None on the diagonal."""


def rating_matrix(rated: RatingsResponse) -> HeatMap:
    """Return the share of pairs that each bot won against each other, and how sure it is that it is the stronger."""
    names = [format_bot(standing.bot, standing.version) for standing in rated.standings]
    rows = []
    for name, row in zip(names, rated.matrix, strict=True):
        cells: list[Cell | None] = []
        for other, score, better in zip(names, row.pair_score, row.better, strict=True):
            if name == other:
                cells.append(None)
            elif score < 0:
                cells.append(Cell("", 0, f"{name} has not met {other}"))
            else:
                sure = f"; stronger with {better:.0%} probability" if better >= 0 else ""
                title = f"{name} won {score:.0%} of its pairs with {other}{sure}"
                cells.append(Cell(f"{100 * score:.0f}", _heat(2 * score - 1), title))
        rows.append(cells)
    return HeatMap(names, rows)


def gift_matrix(pairs: Sequence[PairFlow]) -> HeatMap:
    """Return what each bot (rows) gave each other (columns), in dollars' worth a match beyond what is expected."""
    excess = {}
    for pair in pairs:
        giver, receiver = (format_bot(each.bot, each.version) for each in (pair.giver, pair.receiver))
        excess[giver, receiver], excess[receiver, giver] = pair.excess, -pair.excess
    names = sorted({name for both in excess for name in both})
    most = max((abs(value) for value in excess.values()), default=0.0) or 1.0
    return HeatMap(names, [[_gift(excess, giver, receiver, most) for receiver in names] for giver in names])


def _gift(excess: dict[tuple[str, str], float], giver: str, receiver: str, most: float) -> Cell | None:
    if giver == receiver:
        return None
    value = excess.get((giver, receiver))
    if value is None:
        return Cell("", 0, f"{giver} and {receiver} cannot be compared with others")
    title = f"{giver} gave {receiver} {value:+.2f} dollars a match, beyond what is expected"
    return Cell(signed(value, 2), _heat(value / most), title)


def _heat(value: float) -> int:
    """Return the colour of a value from -1 to 1."""
    return round(_STEPS * max(-1.0, min(1.0, value)))
