"""Mistakes of a seat: what a decision lost against the best of what else was legal, from what the seat knew.

What stands out is tried anew in other games, which alone decide; else the choice that was luckiest would always look
best. Where it is a trade, others are played to their end, and the choice must look better there too: the estimate of
who wins, which the others are weighed by, is often wrong about trades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from beanbot.analysis.course import Expected
from beanbot.analysis.weighing import Weighing
from beanleague.games import Action, Record
from beanleague.games.bohnanza import BohnanzaView, Decision, Decline, Stop
from beanleague.games.core import Harvest

FIRST, MORE = 12, 60
"""Games in which every choice is tried; and those in which the best and the one that was made are, if it stands out."""
TO_END = 100
"""Games that are played to their end after both, where they are of a trade."""
LEAST = 0.03
"""Of the chance to win, that a mistake has lost."""
ACCEPTS = 0.01
"""Of its chance to win, that who accepts an offer gains at least."""
ERRORS = 3
"""A loss is at least so many of its standard errors."""
PLANTING = {Decision.PLANT_FIRST, Decision.PLANT_SECOND, Decision.PLANT_ASIDE}
_TRADING = {Decision.ANSWER: "answer", Decision.PICK: "trade", Decision.TRADE: "offer"}


@dataclass(frozen=True, slots=True)
class MistakenMove:
    """A decision that lost."""

    move: int
    """Index of the move in the match."""
    turn: int
    seat: int
    kind: str
    """What was decided: harvest, planting, answer (to an offer), trade (that was picked), or offer (that was not made).
    Beside a yardstick, what it does not do here."""
    played: str
    """The action in words."""
    better: str
    """The action that would have been best, or that of the yardstick."""
    loss: Expected
    """Of the chance to win."""


def mistakes(record: Record, seat: int, first: int = FIRST, more: int = MORE) -> tuple[MistakenMove, ...]:
    """Return the mistakes of a seat, in the order of moves; the same for the same record.

    Raises:
        AnalysisError: as `beanbot.analysis.course.course`.
    """
    weighing = Weighing(record, seat)
    found = (_mistake(weighing, view, move, first, more) for move, view in weighing.decisions())
    return tuple([mistake for mistake in found if mistake])


def _mistake(weighing: Weighing, view: BohnanzaView, move: int, first: int, more: int) -> MistakenMove | None:
    """Return the mistake that was made at `move`, if it was one."""
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
    if view.decision in PLANTING:
        kind = "harvest" if Harvest in {type(played), type(best)} else "planting"
    elif weighing.loss(weighing.games(view, TO_END), played, best, least, to_end=True).mean <= 0:
        return None
    else:
        kind = _TRADING[view.decision]
    said = [weighing.said(action, view) for action in (played, best)]
    return MistakenMove(move, view.turn, weighing.seat, kind, said[0], said[1], loss)


def _others(weighing: Weighing, view: BohnanzaView, move: int) -> Sequence[Action]:
    """Return the choices that the one made is held against."""
    played = weighing.record.moves[move].action
    if view.decision in PLANTING or view.decision is Decision.PICK:
        return [action for action in view.legal() if action != played]
    if view.decision is not Decision.ANSWER:
        return weighing.left_out(view, move, FIRST) if isinstance(played, Stop) else []
    if isinstance(played, Decline):
        return weighing.might_have_had(view, move, view.legal())
    return [Decline()] if weighing.picked(move) else []
