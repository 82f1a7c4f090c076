"""Player of the dice games for several players.

Each number of completed orders of a card has a value in dollars. The bot saves the dice with the highest expected value
at the end of the turn, minus the value of its rolls to the other players. It harvests a card if the next one has a
higher expected value, or if that wins the game.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from knowledge import Knowledge, knowledge
from plan import Plan
from throws import PIECE

from beanbot.dice import Action, DiceBot, DiceView, HarvestTop, Pass, RollAgain, Save, code, covers
from beanleague.games.core.floats import float_sum

AHEAD = {5: 4, 7: 3}  # number of orders in a plan, by number of dice; longer plans gain nothing
OTHERS = 1.0  # weight of a dollar gained by the other players together


class Dicer(DiceBot):
    """Plans every turn exactly."""

    news = False

    def match_started(self) -> None:
        self.known: Knowledge | None = None
        self.plans: dict[tuple[int, int], Plan] = {}
        self.planned: tuple[object, ...] = ()

    def harvest(self, view: DiceView) -> Action:
        return HarvestTop() if self.should_harvest(view) else Pass()

    def save(self, view: DiceView) -> Action:
        if view.may_harvest and self.should_harvest(view):
            return HarvestTop()
        return self.best_save(view, view.tops[view.seat], view.completed[view.seat])[1]

    def knowledge(self, view: DiceView) -> Knowledge:
        """Return the tables for the rules of `view`, kept after the first call."""
        if self.known is None:
            self.known = knowledge(view.rules)
        return self.known

    # Saving

    def best_save(self, view: DiceView, card: int, done: int) -> tuple[float, Action]:
        """Return value and action of the best choice for the dice just rolled; `done` orders of `card` are complete."""
        known, plan = self.knowledge(view), self.plan_for(view, card, done)
        kinds = view.rules.kinds
        saved = code([kind for die in view.saved if (kind := view.faces[die])], kinds)
        dice = [(die, known.throws.sort[die], code([kind], kinds)) for die in view.rolled if (kind := view.faces[die])]
        rolled = saved + sum(sort for _, sort, _ in dice)
        best: Action = Save(view.rolled)
        most = float("-inf")
        if view.piece:
            best, most = RollAgain(), plan.value(rolled)
            rolled += PIECE
        for number in range(len(dice), 0, -1):
            for some in combinations(dice, number):
                worth = plan.value(rolled + sum(bean - sort for _, sort, bean in some))
                if worth > most:
                    best, most = Save(tuple(die for die, _, _ in some)), worth
        return most, best

    def plan_for(self, view: DiceView, card: int, done: int) -> Plan:
        """Return the plan of this turn for `card` with `done` orders; it is valid until a card of any seat changes."""
        basis = (view.turn, view.tops, view.completed)
        if self.planned != basis:
            self.planned = basis
            self.plans = {}
        found = self.plans.get((card, done))
        if found is None:
            known = self.knowledge(view)
            ahead = AHEAD[len(view.faces)]
            found = Plan(known.turn(card, done, ahead), known.worth[done : done + ahead + 1], self.costs(view))
            self.plans[card, done] = found
        return found

    def costs(self, view: DiceView) -> Callable[[int], float]:
        """Return the cost function of rolling dice: the value of the roll to the other players."""
        known = self.knowledge(view)
        others = [(view.tops[seat], view.completed[seat]) for seat in range(view.rules.seats) if seat != view.seat]
        share = OTHERS / (view.rules.seats - 1)
        return lambda left: share * float_sum(known.profit(card, done, left) for card, done in others)

    # Harvesting

    def should_harvest(self, view: DiceView) -> bool:
        """Return whether the next card has a higher expected value than this one, or harvesting wins the game."""
        if view.dollars[view.seat] + view.earns >= view.rules.target:
            return self.wins_now(view)
        top, bottom, done = view.tops[view.seat], view.bottoms[view.seat], view.completed[view.seat]
        return view.earns + self.prospects(view, bottom, 0) > self.prospects(view, top, done)

    def prospects(self, view: DiceView, card: int, done: int) -> float:
        """Return the expected value of `card` with `done` orders after the next roll or the rest of the bot's turn."""
        known = self.knowledge(view)
        everything = known.throws.all_dice
        if view.active != view.seat:
            if card == view.bottoms[view.seat]:
                done = self.met(view, card, view.rolled)
            return known.worth[done] + known.profit(card, done, everything)
        if view.rolled:
            return self.best_save(view, card, done)[0]
        if view.saved:
            if card == view.bottoms[view.seat]:
                done = self.met(view, card, view.saved)
            return known.worth[done] + known.profit(card, done, everything)
        return self.plan_for(view, card, done).value(everything + (PIECE if view.piece else 0))

    def wins_now(self, view: DiceView) -> bool:
        """Return whether ending the game by harvesting now leaves no seat with more dollars."""
        dollars = list(view.dollars)
        dollars[view.seat] += view.earns
        for seat in range(view.rules.seats):
            card, done = view.tops[seat], view.completed[seat]
            if seat == view.seat:
                card, done = view.bottoms[seat], 0
            if seat == view.active:
                done = self.met(view, card, view.saved + view.rolled, done)
            elif seat == view.seat:
                done = self.met(view, card, view.rolled)
            dollars[seat] += view.rules.dollars[done]
        return dollars[view.seat] == max(dollars)

    def met(self, view: DiceView, card: int, dice: tuple[int, ...], done: int = 0) -> int:
        """Return the number of completed orders of `card` after checking `dice`, starting with `done`."""
        beans = code([kind for die in dice if (kind := view.faces[die])], view.rules.kinds)
        for order in self.knowledge(view).needs[card][done:]:
            if not any(covers(beans, need) for need in order):
                break
            done += 1
        return done
