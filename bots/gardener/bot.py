"""Plans the cards to plant, to leave to the opponent and to discard; buys the third field early.

`worth.py` values fields, `planning.py` finds the best way to plant cards, and `garden.py` tracks the fields through a
list of actions.
"""

from __future__ import annotations

from garden import Garden
from planning import fields_of, gain_of, plan_choice, plan_in_order, total

from beanbot import run
from beanbot.two import (
    BohnanzaTwoBot,
    BohnanzaTwoView,
    BuyField,
    Choice,
    DiscardHand,
    DiscardOpen,
    Kind,
    Pass,
    Plant,
    PlantOpen,
)

MIN_PILE = 0.7  # share of the cards that must still be in the pile for a third field to pay
AHEAD = 3  # hand cards considered when the first one is planted
HAND_AHEAD = 6  # hand cards considered for discarding
SMALL_LOSS = 0.05  # maximum loss of value in dollars for planting a second card
SPITE = 0.3  # weight of a dollar gained by the opponent


class Gardener(BohnanzaTwoBot):
    """Compares all ways to plant the next few cards."""

    news = False

    def decide(self, view: BohnanzaTwoView) -> Choice:
        if view.can_buy and view.pile > MIN_PILE * view.rules.cards:
            return BuyField()
        return super().decide(view)

    def plant_offered(self, view: BohnanzaTwoView) -> Choice:
        garden, left = Garden(view), view.open
        while left and not garden.new_field:
            step = plan_choice(garden.plots, left, dict.fromkeys(left, 0.0), garden.worth).first
            if step is None:
                # The last discarded card is on top, and may join the next three drawn cards: discard the best one last.
                card = min(range(len(left)), key=lambda i: gain_of(garden.plots, left[i], garden.worth))
                garden.actions.append(DiscardOpen(card))
                left = without(left, card)
            elif garden.follow(step, left[step.card], PlantOpen):
                left = without(left, step.card)
        if view.hand and not left:
            self.plant_hand(garden, view.hand)
        return garden.actions

    def plant_first(self, view: BohnanzaTwoView) -> Choice:
        garden = Garden(view)
        self.plant_hand(garden, view.hand)
        return garden.actions

    def plant_second(self, view: BohnanzaTwoView) -> Choice:
        garden = Garden(view)
        self.plant_one_more(garden, view.hand)
        return garden.actions

    def discard_hand(self, view: BohnanzaTwoView) -> Choice:
        garden = Garden(view)
        self.discard_one(garden, view.hand)
        return garden.actions

    def plant_drawn(self, view: BohnanzaTwoView) -> Choice:
        garden, left = Garden(view), view.open
        theirs = fields_of(view.fields[1 - view.seat])
        while left and not garden.new_field:
            worth = garden.worth
            spite = {kind: -SPITE * gain_of(theirs, kind, worth) for kind in set(left)}
            step = plan_choice(garden.plots, left, spite, worth).first
            if step is None:
                garden.actions.append(Pass())
                break
            if garden.follow(step, left[step.card], PlantOpen):
                left = without(left, step.card)
        return garden.actions

    def plant_hand(self, garden: Garden, hand: tuple[Kind, ...]) -> None:
        """Plant the first card of `hand`, then decide on the others; stop when a field can be bought."""
        while not garden.new_field:
            step = plan_in_order(garden.plots, hand[:AHEAD], garden.worth).first
            assert step  # the bot has a card to plant
            if garden.follow(step, hand[0], Plant):
                if hand[1:]:
                    self.plant_one_more(garden, hand[1:])
                return

    def plant_one_more(self, garden: Garden, hand: tuple[Kind, ...]) -> None:
        """Plant the first card of `hand` as the second card, unless that costs too much; then decide on a discard."""
        while not garden.new_field:
            plan = plan_in_order(garden.plots, hand[:1], garden.worth)
            assert plan.first  # the bot has a card to plant
            if plan.value < total(garden.plots, garden.worth) - SMALL_LOSS:
                garden.actions.append(Pass())
            elif garden.follow(plan.first, hand[0], Plant):
                hand = hand[1:]
            else:
                continue
            if hand:
                self.discard_one(garden, hand)
            return

    def discard_one(self, garden: Garden, hand: tuple[Kind, ...]) -> None:
        """Discard the card of `hand` whose removal most improves planting the next few cards, if any removal does."""
        worth, plots = garden.worth, garden.plots
        hand = hand[:HAND_AHEAD]

        def value_without(i: int) -> float:
            return plan_in_order(plots, without(hand, i), worth).value

        card = max(range(len(hand)), key=value_without)
        gains = value_without(card) > plan_in_order(plots, hand, worth).value
        garden.actions.append(DiscardHand(card) if gains else Pass())


def without(cards: tuple[Kind, ...], i: int) -> tuple[Kind, ...]:
    """Return `cards` without the card at position `i`."""
    return cards[:i] + cards[i + 1 :]


run(Gardener)
