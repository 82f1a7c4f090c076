"""Mistakes of a seat: what a decision lost against the best of what else was legal, from what the seat knew.

All that was hidden from the seat is dealt anew, again and again (`beanbot.search.determinise`). In each of these games
every choice is tried: the quick trader plays on to the next draw, without further trades, and what all have then is
weighed (`Market.chances`). All choices meet the same cards, so that their difference has a small error. What stands out
is tried anew in other games, which alone decide; else the choice that was luckiest would always look best.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import cast

from beanbot.analysis.course import AnalysisError, Expected, game_of
from beanbot.analysis.market import Market, drawn_of, market
from beanbot.policies.trading import positions
from beanbot.search import Memory, determinise
from beanbot.search.play_outs import shuffler
from beanleague.games import Action, IllegalActionError, Record
from beanleague.games.bohnanza import (
    Accept,
    BohnanzaView,
    Call,
    Counter,
    Decision,
    Decline,
    Offer,
    Pick,
    Refuse,
    Stop,
    Traded,
    TradingEnded,
)
from beanleague.games.bohnanza.flat_trading import ANSWER, FlatBohnanza
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Harvest
from beanleague.games.core.words import by_seat
from beanleague.games.families import words_of

FIRST, MORE = 12, 60
"""Games in which every choice is tried; and those in which the best and the one that was made are, if it stands out."""
LEAST = 0.03
"""Of the chance to win, that a mistake has lost."""
ERRORS = 3
"""A loss is at least so many of its standard errors."""
ENDS = Pick | Refuse | Offer | Call | Stop
"""What is played after all answers to an offer: their round has ended, or the next one begins."""
PLANTING = {Decision.PLANT_FIRST, Decision.PLANT_SECOND, Decision.PLANT_ASIDE}


@dataclass(frozen=True, slots=True)
class MistakenMove:
    """A decision that lost."""

    move: int
    """Index of the move in the match."""
    turn: int
    seat: int
    kind: str
    """What was decided: harvest, planting, answer (to an offer), or trade (that was picked)."""
    played: str
    """The action in words."""
    better: str
    """The action that would have been best."""
    loss: Expected
    """Of the chance to win."""


def mistakes(record: Record, seat: int, first: int = FIRST, more: int = MORE) -> tuple[MistakenMove, ...]:
    """Return the mistakes of a seat, in the order of moves; the same for the same record.

    What was played for the seat by default, for it failed to answer, is not among them.

    Raises:
        AnalysisError: as `beanbot.analysis.course.course`.
    """
    game = game_of(record)
    happened: list[int] = []
    judged = _Seat(record, seat, market(game.rules), happened, first, more)
    found = []
    for move, made in enumerate(record.moves):
        happened.append(len(game.events))
        if made.seat == seat:
            mistake = judged.decided(game.view(seat), move)
            if mistake and not made.by_default:
                found.append(mistake)
        try:
            game.apply(made.seat, made.action)
        except IllegalActionError as error:
            raise AnalysisError(f"the record cannot be played again: moves[{move}]: {error}") from None
    return tuple(found)


def kinds(found: Iterable[MistakenMove]) -> list[tuple[str, int, float]]:
    """Return the kinds of mistakes, that which lost most first: with their number, and what they lost together."""
    lost: dict[str, list[float]] = {}
    for mistake in found:
        lost.setdefault(mistake.kind, []).append(mistake.loss.mean)
    return sorted(((kind, len(each), sum(each)) for kind, each in lost.items()), key=lambda kind: -kind[2])


class _Seat:
    """A seat of a match whose decisions are weighed one after the other."""

    def __init__(
        self, record: Record, seat: int, judge: Market, happened: Sequence[int], first: int, more: int
    ) -> None:
        self._record, self._seat, self._judge, self._first, self._more = record, seat, judge, first, more
        self._happened = happened
        self._memory = Memory()
        self._random = Random()

    def decided(self, view: BohnanzaView, move: int) -> MistakenMove | None:
        """Return the mistake that was made at `move`, if it was one. Every decision is to be shown, in turn."""
        self._memory.see(view)
        # A verdict depends on no other, whatever else is weighed.
        self._random.seed(sha256(self._record.seed + bytes([self._seat]) + move.to_bytes(4)).digest())
        played = self._record.moves[move].action
        others = self._others(view, played, move)
        if not others:
            return None
        games = self._games(view, self._first)
        values = {action: self._tried(games, action, fair=action != played) for action in (played, *others)}
        best = max(others, key=lambda action: fmean(values[action]))
        if fmean(values[best]) - fmean(values[played]) < LEAST:
            return None
        games = self._games(view, self._more)
        lost = [
            one - other
            for one, other in zip(
                self._tried(games, best, fair=True), self._tried(games, played, fair=False), strict=True
            )
        ]
        loss = Expected(fmean(lost), stdev(lost) / sqrt(len(lost)))
        if loss.mean < max(LEAST, ERRORS * loss.error):
            return None
        if view.decision in PLANTING:
            kind = "harvest" if Harvest in {type(played), type(best)} else "planting"
        else:
            kind = "answer" if view.decision is Decision.ANSWER else "trade"
        words = words_of(view.rules, player=True)
        words.look(view)
        said = [by_seat(words.choice(action, view), self._record.seats) for action in (played, best)]
        return MistakenMove(move, view.turn, self._seat, kind, said[0], said[1], loss)

    def _others(self, view: BohnanzaView, played: Action, move: int) -> Sequence[Action]:
        """Return the choices that the one made is held against."""
        if view.decision in PLANTING or (view.decision is Decision.PICK):
            return [action for action in view.legal() if action != played]
        if view.decision is not Decision.ANSWER:
            return []
        if isinstance(played, Decline):
            return self._might_have_had(view, move)
        return [Decline()] if self._picked(move) else []

    def _might_have_had(self, view: BohnanzaView, move: int) -> list[Action]:
        """Return the answers that would have brought the seat, which had no trade in the turn, what nobody had."""
        left: tuple[str, ...] = ()
        for event in self._record.events[self._happened[move] :]:
            if isinstance(event, Traded) and event.partner == self._seat:
                return []
            if isinstance(event, TradingEnded):
                left = event.left
                break
        asks = [
            (action, [view.turned[at] for at in action.turned] if isinstance(action, Counter) else [])
            for action in view.legal()
            if not isinstance(action, Decline)
        ]
        return [action for action, kinds in asks if all(kinds.count(kind) <= left.count(kind) for kind in kinds)]

    def _picked(self, move: int) -> bool:
        """Return whether the answer at `move` was carried out: whether what ends the round picks it."""
        ends = next((made.action for made in self._record.moves[move:] if isinstance(made.action, ENDS)), None)
        return isinstance(ends, Pick) and ends.seat == self._seat

    def _games(self, view: BohnanzaView, number: int) -> list[FlatBohnanza]:
        """Return games that could be this one."""
        order = shuffler(self._random)
        return [
            FlatBohnanza.of(cast("Bohnanza", determinise(view, self._memory, self._random)), order)
            for _ in range(number)
        ]

    def _tried(self, games: Sequence[FlatBohnanza], action: Action, *, fair: bool) -> list[float]:
        """Return the chances of the seat in these games after `action`; `fair`: a trade must not hurt the other."""
        return [self._chance(game, action, fair=fair) for game in games]

    def _chance(self, game: FlatBohnanza, action: Action, *, fair: bool) -> float:
        table = game.copy()
        if isinstance(action, Accept | Counter):
            return self._traded(table, action, fair=fair)
        drawn = drawn_of(table)
        table.apply(self._seat, action)
        return self._judge.ahead(table, self._judge.plant, drawn)[self._seat]

    def _traded(self, table: FlatBohnanza, action: Action, *, fair: bool) -> float:
        """Return the chance of the seat if its answer is carried out, or if it declines, where that cannot be."""
        drawn, active = drawn_of(table), table.active
        none = table.copy()
        none.apply(self._seat, Decline())
        without = self._judge.ahead(none, self._judge.plant, drawn)
        try:
            table.apply(self._seat, action)
            while table.decision == ANSWER:
                table.decline(table.asked[0])
            answer = next(answer for answer in table.answers if answer.seat == self._seat)
            given = () if answer.accepts else positions(table.hands[active], answer.wants)
            if given is None:
                return without[self._seat]
            table.pick(active, self._seat, given)
        except IllegalActionError:
            return without[self._seat]
        after = self._judge.ahead(table, self._judge.plant, drawn)
        return without[self._seat] if fair and after[active] < without[active] + LEAST else after[self._seat]
