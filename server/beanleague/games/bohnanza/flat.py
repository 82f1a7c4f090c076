"""The phases of the second engine for the trading games, but trading."""

from __future__ import annotations

from typing import Self

from beanleague.games.bohnanza.actions import Decision
from beanleague.games.bohnanza.flat_cards import FlatCards
from beanleague.games.core.errors import IllegalActionError

WAIT, PLANT_FIRST, PLANT_SECOND, TRADE, ANSWER, PICK, PLANT_ASIDE, INTERLUDE = range(8)
assert tuple(Decision) == (WAIT, PLANT_FIRST, PLANT_SECOND, TRADE, ANSWER, PICK, PLANT_ASIDE, INTERLUDE)


class FlatTable(FlatCards):
    """Cards, fields and dollars of a trading game, and the phases but trading."""

    __slots__ = ("aside", "interludes", "max_rounds", "queue", "rounds_left")

    max_rounds: int
    interludes: tuple[int, ...]
    aside: list[list[int]]
    rounds_left: int
    queue: list[int]
    """The seats still to be asked, this one included, in a step that asks one after the other."""

    def copy(self) -> Self:
        new = super().copy()
        new.max_rounds, new.interludes, new.rounds_left = self.max_rounds, self.interludes, self.rounds_left
        new.aside, new.queue = [each[:] for each in self.aside], self.queue[:]
        return new

    # At any time

    def harvest(self, seat: int, field: int) -> None:
        if self.decision == ANSWER:
            raise IllegalActionError("no harvest now")
        super().harvest(seat, field)
        if self.decision == INTERLUDE:
            self._next_interlude()

    def buy_field(self, seat: int) -> None:
        if self.decision == ANSWER:
            raise IllegalActionError("no field can be bought now")
        super().buy_field(seat)
        if self.decision == INTERLUDE:
            self._next_interlude()

    # Phase 1

    def _start_turn(self) -> None:
        self.turn += 1
        self.active = (self.active + 1) % len(self.hands)
        if self.hands[self.active]:
            self.decision, self.asked = PLANT_FIRST, [self.active]
        else:
            self._turn_over()

    def plant(self, seat: int, field: int) -> None:
        decision, hand = self.decision, self.hands[seat]
        if decision not in {PLANT_FIRST, PLANT_SECOND}:
            raise IllegalActionError("no card of the hand is planted now")
        self._grow(seat, field, hand[0])
        del hand[0]
        if hand and decision == PLANT_FIRST:
            self.decision = PLANT_SECOND
        else:
            self._turn_over()

    def pass_(self, seat: int) -> None:
        if self.decision == PLANT_SECOND:
            self._turn_over()
        elif self.decision == INTERLUDE:
            del self.queue[0]
            self._next_interlude()
        else:
            raise IllegalActionError(f"seat {seat} cannot pass now")

    # Phase 2, without the rounds of trading

    def _turn_over(self) -> None:
        self._draw(self.rules.turned, self.turned)
        self.rounds_left = self.max_rounds
        self._lead_round()

    def _lead_round(self) -> None:
        if self.rounds_left:
            self.decision, self.asked = TRADE, [self.active]
        else:
            self._end_trading()

    def stop(self, seat: int) -> None:
        if self.decision != TRADE:
            raise IllegalActionError(f"seat {seat} leads no trading now")
        self.rounds_left = 0
        self._end_trading()

    def _end_trading(self) -> None:
        active, aside = self.active, self.aside
        aside[active] += self.turned
        self.turned = []
        self.queue = [seat for seat in (*range(active, len(aside)), *range(active)) if aside[seat]]
        self._next_planter()

    # Phase 3

    def _next_planter(self) -> None:
        if self.queue:
            self.decision, self.asked = PLANT_ASIDE, [self.queue[0]]
        elif self.run_outs >= self.rules.run_outs:
            self._end()
        else:
            self._draw_phase()

    def plant_aside(self, seat: int, card: int, field: int) -> None:
        aside = self.aside[seat]
        if self.decision != PLANT_ASIDE or not 0 <= card < len(aside):
            raise IllegalActionError("no such card is planted now")
        self._grow(seat, field, aside[card])
        del aside[card]
        if not aside:
            del self.queue[0]
            self._next_planter()

    # Phase 4, and between turns

    def _draw_phase(self) -> None:
        rules, active, hands = self.rules, self.active, self.hands
        if rules.all_draw:
            for seat in (*range(active, len(hands)), *range(active)):
                self._draw(rules.draws, hands[seat])
        else:
            self._draw(rules.draws, hands[active])
        if self.run_outs >= rules.run_outs:
            self._end()
        elif self.interludes:
            after = (*range(active + 1, len(hands)), *range(active + 1))
            self.queue = [seat for seat in after if seat in self.interludes]
            self._next_interlude()
        else:
            self._start_turn()

    def _next_interlude(self) -> None:
        while self.queue and not any(self.counts[self.queue[0]]) and not self.may_buy(self.queue[0]):
            del self.queue[0]
        if self.queue:
            self.decision, self.asked = INTERLUDE, [self.queue[0]]
        else:
            self._start_turn()
