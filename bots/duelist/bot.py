"""Plans for beans and bo(h)nus cards, gives what helps the opponent least, and bluffs where it is safe.

`worth.py` values fields and bo(h)nus cards, `plots.py` predicts fields, `planning.py` finds the best way to plant, and
`gifts.py` offers and accepts gifts and bluffs.
"""

from __future__ import annotations

from gifts import Merchant
from planning import Planner, Step

from beanbot import run
from beanbot.duel import (
    Action,
    DiscardBohnus,
    DiscardTurned,
    DuelBot,
    DuelView,
    Harvest,
    Kind,
    Pass,
    Plant,
    PlantGift,
    PlantTurned,
)

AHEAD = 3  # cards of the hand considered when the first is planted
SMALL_LOSS = 0.1  # dollars of value that planting a second card may cost
FRESH = 0.9  # a bo(h)nus card is kept if its value is at least this part of the mean of unseen ones


class Duelist(DuelBot):
    """Compares all ways to plant, and what a gift is worth to both players."""

    def match_started(self) -> None:
        self.merchant = Merchant(self.seat)

    def decide(self, view: DuelView) -> Action:
        self.merchant.listen(view.news)
        return super().decide(view)

    def plant_first(self, view: DuelView) -> Action:
        return planted(self.in_order(view, view.hand[:AHEAD]))

    def plant_second(self, view: DuelView) -> Action:
        mine = Planner.of(view, view.seat)
        now = mine.best(mine.numbers(view.hand[:1]), ordered=True)
        return planted(self.in_order(view, view.hand[:2])) if now.value >= mine.now - SMALL_LOSS else Pass()

    def offer_gift(self, view: DuelView) -> Action:
        return self.merchant.offer(view)

    def answer_gift(self, view: DuelView) -> Action:
        return self.merchant.answer(view)

    def plant_turned(self, view: DuelView) -> Action:
        mine = Planner.of(view, view.seat)
        turned = len(view.turned)
        step = mine.best(
            mine.numbers((*view.turned, view.gift) if view.gift else view.turned),
            discardable=turned if view.may_discard else 0,
            after=mine.numbers(view.hand[:2]),
        ).first
        assert step
        if step.field is None:
            return DiscardTurned(step.card)
        if step.harvest:
            return Harvest(step.field)
        return PlantTurned(step.card, step.field) if step.card < turned else PlantGift(step.field)

    def plant_gift(self, view: DuelView) -> Action:
        assert view.gift
        step = self.in_order(view, (view.gift, *view.hand[:2]))
        assert step.field is not None
        return Harvest(step.field) if step.harvest else PlantGift(step.field)

    def discard_bohnus(self, view: DuelView) -> Action:
        """Discard the least valuable card, if a newly drawn one is expected to be more valuable."""
        mine = Planner.of(view, view.seat)
        seen = {*view.bohnus, *view.bohnus_discard, *view.earned[0], *view.earned[1]}
        fresh = [mine.promise(card) for card in range(len(view.rules.bohnus)) if card not in seen]
        least = min(view.bohnus, key=mine.promise)
        return DiscardBohnus(least) if fresh and mine.promise(least) < FRESH * sum(fresh) / len(fresh) else Pass()

    def in_order(self, view: DuelView, cards: tuple[Kind, ...]) -> Step:
        """Return the first step of the best way to plant `cards` in this order."""
        mine = Planner.of(view, view.seat)
        step = mine.best(mine.numbers(cards), ordered=True).first
        assert step  # there is a card to plant
        return step


def planted(step: Step) -> Action:
    """Return the action for a step with the first card of the hand."""
    assert step.field is not None
    return Harvest(step.field) if step.harvest else Plant(step.field)


run(Duelist)
