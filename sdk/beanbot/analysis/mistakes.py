"""Mistakes of a seat: loss of a decision compared with the best legal alternative, by the seat's knowledge.

A decision that stands out is tried again in new games, and only the new games count, since otherwise the luckiest
alternative would look best. It must also lose in games played to their end, since `Market.chances` is often wrong about
just the alternative that looks best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from beanbot.analysis.course import Expected
from beanbot.analysis.weighing import Weighing
from beanleague.games import Action, Record
from beanleague.games.bohnanza import BohnanzaView, Decision, Decline, Stop
from beanleague.games.core import BuyField, Harvest

FIRST, MORE = 12, 60
"""Number of games to try every alternative, and number of games to compare the best one with the actual choice if that
stands out."""
TO_END = 100
"""Number of games played to the end to confirm a mistake."""
LEAST = 0.03
"""Minimum loss of a mistake, as a share of the probability of winning."""
ACCEPTS = 0.01
"""Minimum gain in the probability of winning at which a seat is assumed to accept an offer."""
ERRORS = 3
"""Minimum loss of a mistake in standard errors."""
PLANTING = {Decision.PLANT_FIRST, Decision.PLANT_SECOND, Decision.PLANT_ASIDE}
_TRADING = {Decision.ANSWER: "answer", Decision.PICK: "trade", Decision.TRADE: "offer"}


@dataclass(frozen=True, slots=True)
class MistakenMove:
    """Decision that reduced the chance of winning."""

    move: int
    """Index of the move in the match."""
    turn: int
    seat: int
    kind: str
    """Kind of decision: harvest, planting, purchase (of a field), answer (to an offer), trade (picked), offer (missed).

    In comparisons with a yardstick, a phrase for the deviation, e.g. "declines an offer".
    """
    played: str
    """Action of the match in words."""
    better: str
    """Best action in words, or the yardstick's."""
    loss: Expected
    """Loss in the probability of winning."""


def mistakes(
    record: Record, seat: int, first: int = FIRST, more: int = MORE, progress: Callable[[], None] = lambda: None
) -> tuple[MistakenMove, ...]:
    """Return the mistakes of a seat, in the order of moves; the same for the same record.

    `progress`: called after each decision of the seat.

    Raises:
        AnalysisError: see `beanbot.analysis.course.course`.
    """
    weighing = Weighing(record, seat)
    found = list[MistakenMove]()
    for move, view in weighing.decisions():
        if mistake := _mistake(weighing, view, move, first, more):
            found.append(mistake)
        progress()
    return tuple(found)


def _mistake(weighing: Weighing, view: BohnanzaView, move: int, first: int, more: int) -> MistakenMove | None:
    """Return the mistake at `move`, or None."""
    played = weighing.record.moves[move].action
    others = _others(weighing, view, move)
    if not others:
        return None
    games, least = weighing.games(view, first), ACCEPTS if view.decision is Decision.TRADE else LEAST
    values = {action: fmean(weighing.tried(games, action, least)) for action in others}
    best = max(values, key=values.__getitem__)
    if values[best] - fmean(weighing.tried(games, played)) < LEAST:
        return None
    loss = weighing.loss(weighing.games(view, more), played, best, least)
    if loss.mean < max(LEAST, ERRORS * loss.error):
        return None
    if weighing.loss(weighing.games(view, TO_END), played, best, least, to_end=True).mean <= 0:
        return None
    kind = _kind(view, played, best)
    said = [weighing.in_words(action, view) for action in (played, best)]
    return MistakenMove(move, view.turn, weighing.seat, kind, said[0], said[1], loss)


def _kind(view: BohnanzaView, played: Action, best: Action) -> str:
    types = {type(played), type(best)}
    if BuyField in types:
        return "purchase"
    if view.decision in PLANTING:
        return "harvest" if Harvest in types else "planting"
    return _TRADING[view.decision]


def _others(weighing: Weighing, view: BohnanzaView, move: int) -> Sequence[Action]:
    """Return the alternatives to the decision at `move`."""
    played = weighing.record.moves[move].action
    if view.decision in PLANTING or view.decision is Decision.PICK:
        return [action for action in view.legal() if action != played]
    if view.decision is not Decision.ANSWER:
        return weighing.left_out(view, move, FIRST) if isinstance(played, Stop) else []
    if isinstance(played, Decline):
        return weighing.feasible(view, move, view.legal())
    return [Decline()] if weighing.picked(move) else []
