"""Plays against the Bean Thief.

As for several players, having completed some orders of a card is worth a number of dollars; what the Thief steals
counts against it. Every turn is planned to its end, with what the Thief takes from the field on the way and with its
super-steal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from heist import HeistPlan
from knowledge import Knowledge, knowledge

from beanbot.thief import (
    Action,
    DiceView,
    HarvestTop,
    LoseDie,
    OrdersCompleted,
    Pass,
    Save,
    ThiefBot,
    TurnStarted,
    code,
    covers,
)

AHEAD = 3  # orders a plan looks ahead
AT_FIRST = 2  # the same while there are most dice to roll: it takes a fourth of the time
MANY = 6  # dice
IDLE = 0.6  # dollars that a turn without an order costs, so that it does not wait for ever behind what is safe
THEFT = 1.0  # what a dollar of the Thief counts


class Hunter(ThiefBot):
    """Plans every turn, the Thief included."""

    def match_started(self) -> None:
        self.known: Knowledge | None = None
        self.progress = False
        self.plans: dict[tuple[int, int, int | None, bool, int], HeistPlan] = {}

    def decide(self, view: DiceView) -> Action:
        if self.known is None:
            self.known = knowledge(view.rules)
        for event in view.news:
            match event:
                case TurnStarted():
                    self.progress = False
                    self.plans = {}
                case OrdersCompleted():
                    self.progress = True
                case _:
                    pass
        return super().decide(view)

    def harvest(self, view: DiceView) -> Action:
        return HarvestTop() if self.should_harvest(view) else Pass()

    def save(self, view: DiceView) -> Action:
        if view.may_harvest and self.should_harvest(view):
            return HarvestTop()
        return max(self.saves(view, *self.old_card(view)), key=lambda found: found[0])[1]

    def lose(self, view: DiceView) -> Action:
        if view.may_harvest and self.should_harvest(view):
            return HarvestTop()
        return max(self.losses(view, *self.old_card(view)), key=lambda found: found[0])[1]

    # What may be done, and what it is worth

    def old_card(self, view: DiceView) -> tuple[int, int, int | None]:
        """Return the top card, how many of its orders are completed, and the bottom card."""
        return view.tops[0], view.completed[0], view.bottoms[0]

    def new_card(self, view: DiceView) -> tuple[int, int, int | None]:
        """Return the same as it is after a harvest; the next bottom card is not known."""
        return view.bottoms[0], self.met(view, view.bottoms[0]), None

    def saves(self, view: DiceView, card: int, done: int, below: int | None) -> Iterator[tuple[float, Action]]:
        """Yield all ways to save some of the dice just rolled, and what they are worth."""
        assert self.known
        plan = self.plan(view, card, done, below)
        kinds, sort = view.rules.kinds, self.known.throws.sort
        dice = [(die, code([kind], kinds) - sort[die]) for die in view.rolled if (kind := view.faces[die])]
        state = self.field(view) + sum(sort[die] for die in view.rolled)
        for number in range(len(dice), 0, -1):
            worth = plan.robbed if number == 1 else plan.value
            for some in combinations(dice, number):
                yield worth(state + sum(saved for _, saved in some)), Save(tuple(die for die, _ in some))

    def losses(self, view: DiceView, card: int, done: int, below: int | None) -> Iterator[tuple[float, Action]]:
        """Yield the dice that the Thief may take, and what it is worth to go on without each."""
        assert self.known
        plan = self.plan(view, card, done, below)
        gone = view.saved + view.stolen
        left = sum(sort for die, sort in enumerate(self.known.throws.sort) if die not in gone)
        for die in view.at_risk:
            yield plan.value(self.field(view) - self.bean(view, die) + left), LoseDie(die)

    def plan(self, view: DiceView, card: int, done: int, below: int | None) -> HeistPlan:
        """Return the plan for the rest of this turn with `card`, of which `done` orders are completed."""
        assert self.known
        to_roll = len(view.faces) - len(view.saved) - len(view.stolen)
        ahead = AT_FIRST if to_roll >= MANY else AHEAD
        key = card, done, below, self.progress, ahead
        found = self.plans.get(key)
        if found is None:
            orders = self.known.needs[card][done : done + ahead]
            worth = [
                self.after_turn(card, done + more, below, progress=self.progress or more > 0)
                for more in range(len(orders) + 1)
            ]
            found = self.plans[key] = HeistPlan(self.known.throws, orders, worth)
        return found

    def after_turn(self, card: int, done: int, below: int | None, *, progress: bool) -> float:
        """Return what `done` orders of `card` are worth before the super-steal, with the chance to harvest."""
        assert self.known
        worth = self.after_steal(card, done, below, progress=progress)
        earns = self.known.rules.dollars[done]
        if not earns:
            return worth
        return max(worth, earns + self.after_steal(below, 0, None, progress=progress))

    def after_steal(self, card: int | None, done: int, below: int | None, *, progress: bool) -> float:
        """Return what `done` orders of `card` are worth after the super-steal."""
        known = self.known
        assert known
        thief = known.rules.thief
        assert thief
        fresh = known.worth[0]
        if not progress and thief.takes_idle:
            return fresh - THEFT * (1 + known.theft(below, 0)[1]) - IDLE
        if not progress and not thief.idle_steals:
            return known.worth[done] - IDLE
        stealing, dollars = known.theft(card, done)
        if thief.both_cards and done >= 3:
            other, more = known.theft(below, 0)
            stealing |= other
            dollars += more
        robbed = known.chance(stealing)
        worth = (1 - robbed) * known.worth[done] + robbed * fresh - THEFT * dollars
        return worth if progress else worth - IDLE

    # Harvesting

    def should_harvest(self, view: DiceView) -> bool:
        """Return whether to harvest now: to win, or all there is, or because it is worth more than to go on."""
        if view.dollars[0] + view.earns >= view.rules.target or view.earns == max(view.rules.dollars):
            return True
        return view.earns + self.prospects(view, *self.new_card(view)) > self.prospects(view, *self.old_card(view))

    def prospects(self, view: DiceView, card: int, done: int, below: int | None) -> float:
        """Return what it is worth to go on with `card`, of which `done` orders are completed."""
        assert self.known
        if view.at_risk:
            return max(worth for worth, _ in self.losses(view, card, done, below))
        if view.rolled:
            return max(worth for worth, _ in self.saves(view, card, done, below))
        if not view.roll:
            return self.plan(view, card, done, below).value(self.known.throws.all_dice)
        return self.after_steal(card, done, below, progress=self.progress or (below is None and done > 0))

    # The field

    def field(self, view: DiceView) -> int:
        """Return the beans in the field as a code."""
        return sum(self.bean(view, die) for die in view.saved)

    def bean(self, view: DiceView, die: int) -> int:
        """Return what `die` shows as a code."""
        kind = view.faces[die]
        assert kind
        return code([kind], view.rules.kinds)

    def met(self, view: DiceView, card: int) -> int:
        """Return how many orders of `card` the beans in the field complete."""
        assert self.known
        beans, done = self.field(view), 0
        for order in self.known.needs[card]:
            if not any(covers(beans, need) for need in order):
                break
            done += 1
        return done
