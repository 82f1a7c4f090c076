"""Player against the Bean Thief.

As in the games against other players, each number of completed orders of a card has a value in dollars; the value of
thefts is subtracted. Every turn is planned to its end, including field stealing and the super-steal.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from heist import HeistPlan, HeistTurn
from knowledge import Knowledge, knowledge

from beanbot.thief import (
    Action,
    Choice,
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

AHEAD = 3  # number of orders in a plan
AHEAD_MANY = 2  # number of orders in a plan when MANY dice or more are rolled; such a plan takes a fourth of the time
MANY = 6  # minimum number of dice to roll for `AHEAD_MANY`
IDLE = 0.6  # cost in dollars of a turn without an order, which keeps the bot from waiting forever with a safe card
THEFT = 1.0  # weight of a dollar gained by the Thief


class Hunter(ThiefBot):
    """Plans every turn, including the Thief's actions."""

    def match_started(self) -> None:
        self.known: Knowledge | None = None
        self.progress = False
        self.plans: dict[tuple[int, int, int | None, bool, int], HeistPlan] = {}

    def decide(self, view: DiceView) -> Choice:
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

    # Possible actions and their values

    def old_card(self, view: DiceView) -> tuple[int, int, int | None]:
        """Return the top card, the number of its completed orders, and the bottom card."""
        return view.tops[0], view.completed[0], view.bottoms[0]

    def new_card(self, view: DiceView) -> tuple[int, int, int | None]:
        """Return the new top card after a harvest, its completed orders, and None for the hidden bottom card."""
        return view.bottoms[0], self.met(view, view.bottoms[0]), None

    def saves(self, view: DiceView, card: int, done: int, below: int | None) -> Iterator[tuple[float, Action]]:
        """Yield the value and the action of each way to save some of the dice just rolled."""
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
        """Yield the value and the action of losing each of the dice that the Thief may take."""
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
        ahead = AHEAD_MANY if to_roll >= MANY else AHEAD
        key = card, done, below, self.progress, ahead
        found = self.plans.get(key)
        if found is None:
            turn = self.known.turn(card, done, ahead)
            assert isinstance(turn, HeistTurn)
            worth = [
                self.after_turn(card, done + more, below, progress=self.progress or more > 0)
                for more in range(len(turn.needs) + 1)
            ]
            found = self.plans[key] = HeistPlan(turn, worth)
        return found

    def after_turn(self, card: int, done: int, below: int | None, *, progress: bool) -> float:
        """Return the value of `done` orders of `card` before the super-steal, with a possible harvest."""
        assert self.known
        worth = self.after_steal(card, done, below, progress=progress)
        earns = self.known.rules.dollars[done]
        if not earns:
            return worth
        return max(worth, earns + self.after_steal(below, 0, None, progress=progress))

    def after_steal(self, card: int | None, done: int, below: int | None, *, progress: bool) -> float:
        """Return the value of `done` orders of `card` after the super-steal."""
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
        """Return whether to harvest now: to win, for the most dollars, or because continuing has a lower value."""
        if view.dollars[0] + view.earns >= view.rules.target or view.earns == max(view.rules.dollars):
            return True
        return view.earns + self.prospects(view, *self.new_card(view)) > self.prospects(view, *self.old_card(view))

    def prospects(self, view: DiceView, card: int, done: int, below: int | None) -> float:
        """Return the value of continuing with `card`, of which `done` orders are completed."""
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
        """Return the code of the beans in the field."""
        return sum(self.bean(view, die) for die in view.saved)

    def bean(self, view: DiceView, die: int) -> int:
        """Return the code of the bean that `die` shows."""
        kind = view.faces[die]
        assert kind
        return code([kind], view.rules.kinds)

    def met(self, view: DiceView, card: int) -> int:
        """Return the number of orders of `card` that the beans in the field complete."""
        assert self.known
        beans, done = self.field(view), 0
        for order in self.known.needs[card]:
            if not any(covers(beans, need) for need in order):
                break
            done += 1
        return done
