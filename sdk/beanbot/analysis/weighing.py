"""Comparison of a seat's decision with its alternatives, by the seat's knowledge.

Everything hidden from the seat is redealt many times (`beanbot.search.determinise`). In each of these games every
alternative is tried: the quick trader plays to the next draw, without further trades, and `Market.chances` values the
position. All alternatives meet the same cards, so that the error of their difference is small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from math import inf
from random import Random
from typing import cast

from beanbot.analysis.course import Expected, expected, game_of, moves_again
from beanbot.analysis.market import draw_key, market
from beanbot.analysis.offers import left_out
from beanbot.policies.trading import positions
from beanbot.search import Memory, determinise
from beanbot.search.play_outs import shuffler
from beanleague.games import Action, IllegalActionError, Record
from beanleague.games.bohnanza import (
    Accept,
    BohnanzaView,
    Call,
    Counter,
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
from beanleague.games.core import Pass
from beanleague.games.core.words import by_seat
from beanleague.games.families import words_of

ENDS = Pick | Refuse | Offer | Call | Stop
"""Actions that follow the last answer to an offer: they end its round or begin the next."""


class Weighing:
    """Values the decisions of one seat of a match."""

    def __init__(self, record: Record, seat: int) -> None:
        self.record, self.seat = record, seat
        self._game = game_of(record)
        self._judge = market(self._game.rules)
        self._happened: list[int] = []
        self._memory = Memory()
        self._random = Random()

    def decisions(self) -> Iterator[tuple[int, BohnanzaView]]:
        """Yield the index and the view of each decision of the seat; value it before taking the next.

        Default actions, played when the seat failed to answer, are skipped.

        Raises:
            AnalysisError: if the record cannot be replayed.
        """
        for move, made in moves_again(self.record, self._game):
            self._happened.append(len(self._game.events))
            if made.seat == self.seat:
                view = self._game.view(self.seat)
                self._memory.see(view)
                # Seeded per move, so that a verdict does not depend on which other moves are weighed.
                self._random.seed(sha256(self.record.seed + bytes([self.seat]) + move.to_bytes(4)).digest())
                if not made.by_default:
                    yield move, view

    def games(self, view: BohnanzaView, number: int) -> list[FlatBohnanza]:
        """Return `number` games consistent with `view`."""
        order = shuffler(self._random)
        return [
            FlatBohnanza.of(cast("Bohnanza", determinise(view, self._memory, self._random)), order)
            for _ in range(number)
        ]

    def tried(
        self, games: Sequence[FlatBohnanza], action: Action, least: float = -inf, *, to_end: bool = False
    ) -> list[float]:
        """Return the seat's chance in each game after `action`; a trade must gain `least` for the other side.

        `to_end`: play to the end with trades, instead of to the next draw.
        """
        return [self._chance(game, action, least, to_end=to_end) for game in games]

    def loss(
        self,
        games: Sequence[FlatBohnanza],
        played: Action,
        better: Action,
        least: float = -inf,
        *,
        to_end: bool = False,
    ) -> Expected:
        """Return the loss of `played` against `better`; `least` applies to `better`, see `tried`.

        Planting a second card or not is always played to the end: `Market.chances` undervalues cards that stay in the
        hand.
        """
        to_end = to_end or Pass in {type(played), type(better)}
        best, made = self.tried(games, better, least, to_end=to_end), self.tried(games, played, to_end=to_end)
        return expected([one - other for one, other in zip(best, made, strict=True)])

    def in_words(self, action: Action, view: BohnanzaView) -> str:
        """Return `action` in words."""
        words = words_of(view.rules, player=True)
        words.look(view)
        return by_seat(words.choice(action, view), self.record.seats)

    def feasible(self, view: BohnanzaView, move: int, answers: Iterable[Action]) -> list[Action]:
        """Return the `answers` at `move` that ask only for cards left untraded; none if the seat itself traded."""
        left: tuple[str, ...] = ()
        for event in self.record.events[self._happened[move] :]:
            if isinstance(event, Traded) and event.partner == self.seat:
                return []
            if isinstance(event, TradingEnded):
                left = event.left
                break
        asks = [
            (answer, [view.turned[at] for at in answer.turned] if isinstance(answer, Counter) else [])
            for answer in answers
            if not isinstance(answer, Decline)
        ]
        return [answer for answer, kinds in asks if all(kinds.count(kind) <= left.count(kind) for kind in kinds)]

    def left_out(self, view: BohnanzaView, move: int, number: int) -> list[Offer]:
        """Return offers that the seat did not make before `move`, from `number` games."""
        return left_out(view, self.record.events[: self._happened[move]], self.games(view, number))

    def picked(self, move: int) -> bool:
        """Return whether the answer at `move` was picked by the action that ended its round."""
        ends = next((made.action for made in self.record.moves[move:] if isinstance(made.action, ENDS)), None)
        return isinstance(ends, Pick) and ends.seat == self.seat

    def _chance(self, game: FlatBohnanza, action: Action, least: float, *, to_end: bool) -> float:
        table = game.copy()
        if isinstance(action, Accept | Counter):
            return self._after_answer(table, action, least, to_end=to_end)
        if isinstance(action, Offer):
            return self._after_offer(table, action, least, to_end=to_end)
        drawn = draw_key(table)
        table.apply(self.seat, action)
        return self._ahead(table, drawn, to_end=to_end)[self.seat]

    def _ahead(self, table: FlatBohnanza, drawn: tuple[int, int], *, to_end: bool) -> list[float]:
        return self._judge.to_end(table) if to_end else self._judge.ahead(table, self._judge.plant, drawn)

    def _after_answer(self, table: FlatBohnanza, action: Action, least: float, *, to_end: bool) -> float:
        """Return the seat's chance if its answer is carried out; if that is impossible, its chance after declining."""
        drawn, active = draw_key(table), table.active
        none = table.copy()
        none.apply(self.seat, Decline())
        without = self._ahead(none, drawn, to_end=to_end)
        try:
            table.apply(self.seat, action)
            while table.decision == ANSWER:
                table.decline(table.asked[0])
            answer = next(answer for answer in table.answers if answer.seat == self.seat)
            given = () if answer.accepts else positions(table.hands[active], answer.wants)
            if given is None:
                return without[self.seat]
            table.pick(active, self.seat, given)
        except IllegalActionError:
            return without[self.seat]
        after = self._ahead(table, drawn, to_end=to_end)
        # the result of a single game is too noisy to measure a gain
        carried_out = to_end or after[active] >= without[active] + least
        return after[self.seat] if carried_out else without[self.seat]

    def _after_offer(self, table: FlatBohnanza, offer: Offer, least: float, *, to_end: bool) -> float:
        """Return the seat's chance after its best trade by `offer`, or after ending the trading if no seat accepts.

        A seat accepts if it gains `least` by the next draw; if several accept, this seat picks the one with which it
        gains most by then.
        """
        drawn, none = draw_key(table), table.copy()
        none.stop(self.seat)
        before = self._ahead(none.copy(), drawn, to_end=False)
        best, most = none, -inf
        for partner in offer.to:
            after = self._table_after(table, offer, partner)
            if after:
                chances = self._ahead(after.copy(), drawn, to_end=False)
                if chances[partner] >= before[partner] + least and chances[self.seat] > most:
                    best, most = after, chances[self.seat]
        return self._ahead(best, drawn, to_end=to_end)[self.seat]

    def _table_after(self, table: FlatBohnanza, offer: Offer, partner: int) -> FlatBohnanza | None:
        """Return the table after `partner` accepted and was picked; None if it lacks the cards."""
        given = positions(table.hands[partner], table.kinds(offer.wants))
        if given is None:
            return None
        after = table.copy()
        after.apply(self.seat, offer)
        for seat in offer.to:
            if seat == partner:
                after.accept(seat, given)
            else:
                after.decline(seat)
        after.pick(self.seat, partner, ())
        return after
