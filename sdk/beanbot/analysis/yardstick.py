"""Loss of a seat's decisions compared with the decisions of another bot, the yardstick, in the same positions.

A mistake stands out in a single match; small systematic faults show only here, as a mean over many matches.
"""

from __future__ import annotations

from statistics import fmean

from beanbot._runtime.again import asked_again
from beanbot.analysis.course import game_of
from beanbot.analysis.mistakes import ACCEPTS, PLANTING, MistakenMove
from beanbot.analysis.weighing import Weighing
from beanbot.bohnanza import BohnanzaBot
from beanbot.bot import seat_bot
from beanleague.games import Action, Record
from beanleague.games.bohnanza import BohnanzaView, Decision, Decline, Refuse, Stop
from beanleague.games.core import BuyField, Harvest, Pass

GAMES = 24
"""Number of games in which both choices are tried."""
LEAST = 0.0
"""Minimum gain of the other side, in probability of winning, for a trade to be carried out."""


def otherwise(record: Record, seat: int, yardstick: type[BohnanzaBot], games: int = GAMES) -> tuple[MistakenMove, ...]:
    """Return the decisions that differ from the yardstick's, in the order of moves.

    Their loss may be negative.

    Different offers do not count, since their value depends on the answers. But a seat that ended the trading where the
    yardstick would have offered or called lost the value of the best offer.

    Raises:
        AnalysisError: see `beanbot.analysis.course.course`.
    """
    luck = record.luck[seat] if record.luck else b""
    bot = seat_bot(yardstick, ruleset=record.ruleset, seat=seat, seats=record.seats, luck=luck)
    again = {asked.move: asked.action for asked in asked_again(record.moves, game_of(record), bot) if asked.otherwise}
    weighing = Weighing(record, seat)
    found = []
    for move, view in weighing.decisions():
        instead = _alternative(weighing, view, move, again.get(move), games)
        if instead is None:
            continue
        made = record.moves[move].action
        unpicked = view.decision is Decision.ANSWER and not weighing.picked(move)
        played = Decline() if unpicked else made  # an answer that was not picked has the same result
        least = ACCEPTS if view.decision is Decision.TRADE else LEAST
        loss = weighing.loss(weighing.games(view, games), played, instead, least)
        said = [weighing.in_words(action, view) for action in (made, instead)]
        found.append(MistakenMove(move, view.turn, seat, _kind(view, made, instead), said[0], said[1], loss))
    return tuple(found)


def _alternative(
    weighing: Weighing, view: BohnanzaView, move: int, instead: Action | None, games: int
) -> Action | None:
    """Return the action to compare with the decision at `move` where the yardstick decides `instead`, or None."""
    if view.decision is Decision.TRADE and not isinstance(instead, BuyField):
        return None if instead is None or isinstance(instead, Stop) else _offer(weighing, view, move, games)
    if instead and view.decision is Decision.ANSWER and not weighing.picked(move):
        return instead if weighing.feasible(view, move, [instead]) else None
    return instead


def _offer(weighing: Weighing, view: BohnanzaView, move: int, games: int) -> Action | None:
    """Return the best missed offer if the seat ended the trading at `move`, else None."""
    if not isinstance(weighing.record.moves[move].action, Stop):
        return None
    tried = weighing.games(view, games)
    offers = weighing.left_out(view, move, games)
    return max(offers, key=lambda offer: fmean(weighing.tried(tried, offer, ACCEPTS)), default=None)


def _kind(view: BohnanzaView, played: Action, instead: Action) -> str:
    """Return a phrase about the bot that describes the deviation."""
    if isinstance(played, BuyField):
        return "buys a field"
    if isinstance(instead, BuyField):
        return "buys no field"
    if view.decision not in PLANTING and Harvest not in {type(played), type(instead)}:
        return _trading_kind(view, played, instead)
    return _planting_kind(played, instead)


def _trading_kind(view: BohnanzaView, played: Action, instead: Action) -> str:
    if view.decision is Decision.ANSWER:
        if isinstance(played, Decline):
            return "declines an offer"
        return "answers an offer" if isinstance(instead, Decline) else "answers with other cards"
    if view.decision is Decision.TRADE:
        return "makes no offer"
    if isinstance(played, Refuse):
        return "picks no answer"
    return "picks an answer" if isinstance(instead, Refuse) else "picks another answer"


def _planting_kind(played: Action, instead: Action) -> str:
    if isinstance(played, Harvest):
        return "harvests another field" if isinstance(instead, Harvest) else "harvests"
    if isinstance(instead, Harvest):
        return "does not harvest"
    if isinstance(played, Pass):
        return "plants no more"
    return "plants a second card" if isinstance(instead, Pass) else "plants elsewhere"
