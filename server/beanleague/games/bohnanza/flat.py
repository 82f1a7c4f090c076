"""A second engine for the trading games, for play-outs: several times as fast, with no views and no events.

It never referees. Kinds are numbers, in the order of the rules, and the state is lists of them. A test plays it in
lockstep with the engine, illegal actions included. It takes actions whose fields have the right types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self, TypeAlias

from beanleague.games.bohnanza.actions import Decision
from beanleague.games.bohnanza.rules import CardRules
from beanleague.games.core.errors import IllegalActionError
from beanleague.games.core.game import Outcome

Order: TypeAlias = Callable[[list[int]], list[int]]
"""Returns cards in the order in which they are drawn, the first one last."""

NOTHING = -1  # grows in an empty field

WAIT, PLANT_FIRST, PLANT_SECOND, TRADE, ANSWER, PICK, PLANT_ASIDE, INTERLUDE = range(8)
assert tuple(Decision) == (WAIT, PLANT_FIRST, PLANT_SECOND, TRADE, ANSWER, PICK, PLANT_ASIDE, INTERLUDE)


class FlatTable:
    """Cards, fields and dollars of a trading game, and the phases but trading.

    Each method named like an action plays it for a seat that is asked. It raises IllegalActionError before it changes
    anything if the rules do not allow it.
    """

    __slots__ = (
        "active",
        "aside",
        "asked",
        "bought",
        "counts",
        "decision",
        "discard",
        "dollars",
        "earned",
        "earnings",
        "grows",
        "hands",
        "interludes",
        "max_rounds",
        "order",
        "outcome",
        "pile",
        "queue",
        "rounds_left",
        "rules",
        "run_outs",
        "turn",
        "turned",
    )

    rules: CardRules
    earnings: tuple[tuple[int, ...], ...]
    """`earnings[kind][count]`: dollars for a harvest."""
    max_rounds: int
    interludes: tuple[int, ...]
    order: Order
    """The luck of the table: how cards that are shuffled will be drawn."""
    hands: list[list[int]]
    grows: list[list[int]]
    """`grows[seat][field]`: the kind there, or `NOTHING`."""
    counts: list[list[int]]
    """`counts[seat][field]`: how many cards are there."""
    aside: list[list[int]]
    turned: list[int]
    dollars: list[int]
    earned: list[list[int]]
    """Per seat the kinds of its dollar cards, in the order earned."""
    pile: list[int]
    """The next card to be drawn is the last."""
    discard: list[int]
    run_outs: int
    rounds_left: int
    turn: int
    active: int
    decision: int
    asked: list[int]
    queue: list[int]
    """The seats still to be asked, this one included, in a step that asks one after the other."""
    outcome: Outcome | None

    def copy(self) -> Self:
        """Return an independent copy with the same luck."""
        new = type(self).__new__(type(self))
        new.rules, new.earnings, new.order, new.outcome = self.rules, self.earnings, self.order, self.outcome
        new.max_rounds, new.interludes = self.max_rounds, self.interludes
        new.hands = [each[:] for each in self.hands]
        new.grows = [each[:] for each in self.grows]
        new.counts = [each[:] for each in self.counts]
        new.aside = [each[:] for each in self.aside]
        new.earned = [each[:] for each in self.earned]
        new.turned, new.dollars, new.pile = self.turned[:], self.dollars[:], self.pile[:]
        new.discard, new.asked, new.queue = self.discard[:], self.asked[:], self.queue[:]
        new.run_outs, new.rounds_left, new.turn = self.run_outs, self.rounds_left, self.turn
        new.active, new.decision = self.active, self.decision
        return new

    # At any time

    def harvest(self, seat: int, field: int) -> None:
        counts = self.counts[seat]
        if self.decision == ANSWER or not 0 <= field < len(counts):
            raise IllegalActionError("no harvest now, or no such field")
        count = counts[field]
        if not count or (count == 1 and max(counts) > 1):
            raise IllegalActionError("the field is empty or protected")
        self._take_in(seat, field)
        if self.decision == INTERLUDE:
            self._next_interlude()

    def buy_field(self, seat: int) -> None:
        if self.decision == ANSWER or not self.may_buy(seat):
            raise IllegalActionError("no field can be bought now")
        price, earned = self.rules.field_price, self.earned[seat]
        for _ in range(price):
            self.discard.append(earned.pop())
        self.dollars[seat] -= price
        self.grows[seat].append(NOTHING)
        self.counts[seat].append(0)
        if self.decision == INTERLUDE:
            self._next_interlude()

    def may_buy(self, seat: int) -> bool:
        """Return whether `seat` may buy a field, if it is its time."""
        return 0 < self.rules.field_price <= self.dollars[seat] and len(self.counts[seat]) == self.rules.fields

    def _take_in(self, seat: int, field: int) -> None:
        kind, count = self.grows[seat][field], self.counts[seat][field]
        dollars = self.earnings[kind][count]
        self.dollars[seat] += dollars
        self.earned[seat] += [kind] * dollars
        self.discard += [kind] * (count - dollars)
        self.grows[seat][field] = NOTHING
        self.counts[seat][field] = 0

    def _grow(self, seat: int, field: int, kind: int) -> None:
        """Plant a card of `kind`, if it may be."""
        grows = self.grows[seat]
        if not 0 <= field < len(grows) or (grows[field] != kind and grows[field] != NOTHING):
            raise IllegalActionError("no such field, or something else grows there")
        grows[field] = kind
        self.counts[seat][field] += 1

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

    def _draw(self, count: int, to: list[int]) -> None:
        pile = self.pile
        if len(pile) > count and self.run_outs < self.rules.run_outs:
            to.extend(pile[: -count - 1 : -1])
            del pile[-count:]
            return
        for _ in range(count):
            if self.run_outs >= self.rules.run_outs:
                return
            if not self.pile and not self._shuffle():
                self.run_outs += 1
                continue
            to.append(self.pile.pop())
            if not self.pile:
                self.run_outs += 1
                if self.run_outs < self.rules.run_outs:
                    self._shuffle()

    def _shuffle(self) -> bool:
        """Make the discards the pile; return whether there are any."""
        if not self.discard:
            return False
        self.pile = self.order(self.discard)
        self.discard = []
        return True

    # The end

    def _end(self) -> None:
        for seat, counts in enumerate(self.counts):
            for field, count in enumerate(counts):
                if count:
                    self._take_in(seat, field)
        ties = map(len, self.hands) if self.rules.hand_breaks_ties else range(len(self.hands))
        ranks = list(zip(self.dollars, ties, strict=True))
        places = tuple([1 + sum([other > rank for other in ranks]) for rank in ranks])
        self.outcome = Outcome(tuple(self.dollars), places)
        self.decision, self.asked = WAIT, []
