"""Plans what to plant, what to leave to the opponent and what to discard; buys the third field early.

`worth.py` values fields, and `planning.py` finds the best way to plant cards.
"""

from __future__ import annotations

from planning import Plots, Step, fields_of, gain_of, plan_choice, plan_in_order, total
from worth import worth_now

from beanbot import run
from beanbot.two import (
    Action,
    BohnanzaTwoBot,
    BohnanzaTwoView,
    BuyField,
    DiscardHand,
    DiscardOpen,
    Harvest,
    Pass,
    Plant,
    PlantOpen,
)

MIN_PILE = 0.7  # share of the cards that must still be in the pile for a third field to pay
AHEAD = 3  # cards of the hand considered when the first is planted
HAND_AHEAD = 6  # cards of the hand considered for discarding
SMALL_LOSS = 0.05  # dollars of value that planting a second card may cost
SPITE = 0.3  # weight of a dollar gained by the opponent


class Gardener(BohnanzaTwoBot):
    """Compares all ways to plant the next few cards."""

    news = False

    def decide(self, view: BohnanzaTwoView) -> Action:
        if view.can_buy and view.pile > MIN_PILE * view.rules.cards:
            return BuyField()
        return super().decide(view)

    def plant_offered(self, view: BohnanzaTwoView) -> Action:
        worth, plots = worth_now(view), own(view)
        step = plan_choice(plots, view.open, dict.fromkeys(view.open, 0.0), worth).first
        if step is None:
            # The card discarded last is on top, and may join the three drawn next: keep the best one for that.
            return DiscardOpen(min(range(len(view.open)), key=lambda i: gain_of(plots, view.open[i], worth)))
        return planted_open(step)

    def plant_first(self, view: BohnanzaTwoView) -> Action:
        return planted(plan_in_order(own(view), view.hand[:AHEAD], worth_now(view)).first)

    def plant_second(self, view: BohnanzaTwoView) -> Action:
        worth, plots = worth_now(view), own(view)
        plan = plan_in_order(plots, view.hand[:1], worth)
        return planted(plan.first) if plan.value >= total(plots, worth) - SMALL_LOSS else Pass()

    def discard_hand(self, view: BohnanzaTwoView) -> Action:
        worth, plots = worth_now(view), own(view)
        hand = view.hand[:HAND_AHEAD]

        def without(i: int) -> float:
            return plan_in_order(plots, hand[:i] + hand[i + 1 :], worth).value

        card = max(range(len(hand)), key=without)
        return DiscardHand(card) if without(card) > plan_in_order(plots, hand, worth).value else Pass()

    def plant_drawn(self, view: BohnanzaTwoView) -> Action:
        worth = worth_now(view)
        theirs = fields_of(view.fields[1 - view.seat])
        left = {kind: -SPITE * gain_of(theirs, kind, worth) for kind in set(view.open)}
        step = plan_choice(own(view), view.open, left, worth).first
        return planted_open(step) if step else Pass()


def own(view: BohnanzaTwoView) -> Plots:
    """Return the own fields."""
    return fields_of(view.own_fields)


def planted(step: Step | None) -> Action:
    """Return the action for a step with the first card of the hand."""
    assert step  # there is a card to plant
    return Harvest(step.field) if step.harvest else Plant(step.field)


def planted_open(step: Step) -> Action:
    """Return the action for a step with an open card."""
    return Harvest(step.field) if step.harvest else PlantOpen(step.card, step.field)


run(Gardener)
