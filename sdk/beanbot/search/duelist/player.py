"""`Duelist`, a strong player of the duel."""

from __future__ import annotations

from beanbot.duel import (
    Ahead,
    Choice,
    DiscardBohnus,
    DiscardTurned,
    DuelBot,
    DuelView,
    Kind,
    Pass,
    Plant,
    PlantGift,
    PlantTurned,
)
from beanbot.search.duelist.gifts import GiftMerchant
from beanbot.search.duelist.planning import Planner, Planners
from beanleague.games.core.floats import float_sum

AHEAD = 3  # hand cards considered when the first one is planted
SMALL_LOSS = 0.1  # maximum loss of value in dollars for planting a second card
FRESH = 0.9  # a bo(h)nus card is kept if its value is at least this share of the mean of unseen cards


class Duelist(DuelBot):
    """Plans for beans and bo(h)nus cards, gives gifts that help the opponent least, and bluffs when it is safe."""

    planners: Planners
    """Planners of both seats."""
    merchant: GiftMerchant
    """Merchant that decides about gifts; may be replaced after `match_started`."""

    def match_started(self) -> None:
        self.planners = Planners()
        self.merchant = GiftMerchant(self.seat, self.planners)

    def decide(self, view: DuelView) -> Choice:
        self.merchant.listen(view.news)
        return super().decide(view)

    def plant_first(self, view: DuelView) -> Choice:
        ahead = Ahead(view)
        ahead.plant(view.hand[0], Plant(self.place(view, ahead, view.hand[:AHEAD])))
        if len(view.hand) > 1 and not ahead.fulfils:
            self.plant_or_pass(view, ahead, view.hand[1:])
        return ahead.actions

    def plant_second(self, view: DuelView) -> Choice:
        ahead = Ahead(view)
        self.plant_or_pass(view, ahead, view.hand)
        return ahead.actions

    def offer_gift(self, view: DuelView) -> Choice:
        return self.merchant.make(self.merchant.offers(view)[0])

    def answer_gift(self, view: DuelView) -> Choice:
        return self.merchant.answer(view)

    def plant_turned(self, view: DuelView) -> Choice:
        ahead, left, gift, may_discard = Ahead(view), view.turned, view.gift, view.may_discard
        while (left or gift) and not ahead.fulfils:
            mine = self.planners.of(view, view.seat, ahead.own_fields)
            step = mine.best(
                mine.numbers((*left, gift) if gift else left),
                discardable=len(left) if may_discard else 0,
                after=mine.numbers(view.hand[:2]),
            ).first
            assert step
            if step.field is None:
                may_discard = False
                ahead.actions.append(DiscardTurned(step.card))
            elif step.harvest:
                ahead.harvest(step.field)
                continue
            elif step.card < len(left):
                ahead.plant(left[step.card], PlantTurned(step.card, step.field))
            else:
                assert gift
                ahead.plant(gift, PlantGift(step.field))
                gift = None
                continue
            left = left[: step.card] + left[step.card + 1 :]
        return ahead.actions

    def plant_gift(self, view: DuelView) -> Choice:
        assert view.gift
        ahead = Ahead(view)
        ahead.plant(view.gift, PlantGift(self.place(view, ahead, (view.gift, *view.hand[:2]))))
        return ahead.actions

    def discard_bohnus(self, view: DuelView) -> Choice:
        """Discard the least valuable card if a newly drawn one is expected to be worth more."""
        mine = self.planners.of(view, view.seat)
        seen = {*view.bohnus, *view.bohnus_discard, *view.earned[0], *view.earned[1]}
        fresh = [mine.promise(card) for card in range(len(view.rules.bohnus)) if card not in seen]
        least = min(view.bohnus, key=mine.promise)
        return DiscardBohnus(least) if fresh and mine.promise(least) < FRESH * float_sum(fresh) / len(fresh) else Pass()

    def plant_or_pass(self, view: DuelView, ahead: Ahead, hand: tuple[Kind, ...]) -> None:
        """Plant a second card, the first of `hand`, unless that costs too much value."""
        while True:
            mine = self.planners.of(view, view.seat, ahead.own_fields)
            if mine.best(mine.numbers(hand[:1]), ordered=True).value < mine.now - SMALL_LOSS:
                ahead.actions.append(Pass())
                return
            field, harvest = first_place(mine, hand[:2])
            if not harvest:
                ahead.plant(hand[0], Plant(field))
                return
            ahead.harvest(field)

    def place(self, view: DuelView, ahead: Ahead, cards: tuple[Kind, ...]) -> int:
        """Return the field for the first of `cards`, planting all in this order, after making room for it."""
        while True:
            field, harvest = first_place(self.planners.of(view, view.seat, ahead.own_fields), cards)
            if not harvest:
                return field
            ahead.harvest(field)


def first_place(planner: Planner, cards: tuple[Kind, ...]) -> tuple[int, bool]:
    """Return the field for the first of `cards`, planting all in this order, and whether to harvest it first."""
    step = planner.best(planner.numbers(cards), ordered=True).first
    assert step  # the bot has a card to plant
    assert step.field is not None
    return step.field, step.harvest
