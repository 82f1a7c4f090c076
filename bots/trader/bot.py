"""Values every trade for itself and for its partner, and gives away cards that would hurt its fields.

`worth.py` values fields, `planting.py` predicts what cards make of them, `scales.py` values trades with both;
`answering.py` answers offers, and `leading.py` makes them.
"""

from __future__ import annotations

from answering import answer
from leading import Leader
from planting import best_future, fields_of, is_full, may_harvest, total
from scales import Scales
from worth import Worth, worth

from beanbot import run
from beanbot.bohnanza import (
    Action,
    Ahead,
    BohnanzaBot,
    BohnanzaView,
    BuyField,
    Choice,
    Kind,
    OwnFields,
    Pass,
    Plant,
    PlantAside,
    Refuse,
    Stop,
)

AHEAD = 4  # cards of the hand considered when room must be made
SMALL_LOSS = 0.05  # dollars of value that planting a second card may cost
HOPE_STEPS = 16  # `hope` is rounded, so that few tables of values are computed
TURNS_TO_BUY = 8.0  # turns each player must have left for a third field to pay


class Trader(BohnanzaBot):
    """Plans what it plants, and trades whenever it gains by it."""

    news = False

    def match_started(self) -> None:
        self.leader = Leader(self.seats)
        self.key: tuple[float, bool] | None = None  # the arguments that `worth` was computed with
        self.worth: Worth

    def decide(self, view: BohnanzaView) -> Choice:
        if view.can_buy and turns_left(view) > TURNS_TO_BUY:
            return BuyField()
        return super().decide(view)

    def plant_first(self, view: BohnanzaView) -> Choice:
        ahead = Ahead(view)
        self.plant(view, ahead, view.hand)
        if len(view.hand) > 1 and not ahead.new_field:
            self.plant_or_pass(view, ahead, view.hand[1:])
        return ahead.actions

    def plant_second(self, view: BohnanzaView) -> Choice:
        ahead = Ahead(view)
        self.plant_or_pass(view, ahead, view.hand)
        return ahead.actions

    def trade(self, view: BohnanzaView) -> Choice:
        return self.lead(view)

    def answer(self, view: BohnanzaView) -> Choice:
        return answer(view, Scales(view, self.values(view)))

    def pick(self, view: BohnanzaView) -> Choice:
        scales = Scales(view, self.values(view))
        action = self.leader.pick(view, scales)
        if view.rounds_left > 1:
            if type(action) is Refuse:  # which changes nothing
                return [action, *self.lead(view, ahead=True)]
            if self.leader.calls_next(view):  # whatever cards it has then
                return [action, self.leader.lead(view, scales, ahead=True)]
        return action

    def plant_aside(self, view: BohnanzaView) -> Choice:
        return self.plant_all(view, view.own_aside)

    def lead(self, view: BohnanzaView, *, ahead: bool = False) -> list[Action]:
        """Return what to do in this round of trading, or with `ahead` in the next; after a stop, how to plant."""
        action = self.leader.lead(view, Scales(view, self.values(view)), ahead=ahead)
        return [action, *self.plant_all(view, view.own_aside + view.turned)] if type(action) is Stop else [action]

    def plant(self, view: BohnanzaView, ahead: Ahead, hand: tuple[Kind, ...]) -> None:
        """Plant the first card of `hand`, but first harvest what is in its way, or would gain nothing by it."""
        while (field := place(ahead, hand[0])) is None or self.is_full(view, ahead, field):
            ahead.harvest(self.to_clear(view, ahead, hand[:AHEAD]) if field is None else field)
            if ahead.new_field:
                return
        ahead.plant(hand[0], Plant(field))

    def plant_or_pass(self, view: BohnanzaView, ahead: Ahead, hand: tuple[Kind, ...]) -> None:
        """Plant a second card, the first of `hand`, unless too much value is lost to make room for it."""
        values, fields = self.values(view), fields_of(ahead.own_fields)
        if place(ahead, hand[0]) is None and (
            best_future(fields, hand[:1], values) < total(fields, values) - SMALL_LOSS
        ):
            ahead.actions.append(Pass())
        else:
            self.plant(view, ahead, hand)

    def plant_all(self, view: BohnanzaView, aside: tuple[Kind, ...]) -> list[Action]:
        """Return the actions that plant the cards `aside`: first those that fit, then each in the best order."""
        ahead, left = Ahead(view), aside
        while left and not ahead.new_field:
            card, field = self.next_aside(view, ahead, left)
            if ahead.own_fields[field].kind not in {None, left[card]} or self.is_full(view, ahead, field):
                ahead.harvest(field)
            else:
                ahead.plant(left[card], PlantAside(card, field))
                left = left[:card] + left[card + 1 :]
        return ahead.actions

    def next_aside(self, view: BohnanzaView, ahead: Ahead, aside: tuple[Kind, ...]) -> tuple[int, int]:
        """Return which of the cards `aside` to plant next, and in which field, which may have to be harvested first."""
        values, fields = self.values(view), fields_of(ahead.own_fields)
        kinds = [kind for kind, _ in fields]
        for card, kind in enumerate(aside):
            if kind in kinds:
                return card, kinds.index(kind)
        orders = [(aside[i], *aside[:i], *aside[i + 1 :], *view.hand)[:AHEAD] for i in range(len(aside))]
        card = max(range(len(aside)), key=lambda i: best_future(fields, orders[i], values))
        return card, kinds.index(None) if None in kinds else self.to_clear(view, ahead, orders[card])

    def is_full(self, view: BohnanzaView, ahead: Ahead, field: int) -> bool:
        """Return whether one more card would add nothing to `field`."""
        own = ahead.own_fields[field]
        return own.kind is not None and is_full(own.kind, own.count, self.values(view))

    def to_clear(self, view: BohnanzaView, ahead: Ahead, cards: tuple[Kind, ...]) -> int:
        """Return the field whose harvest leaves most value if `cards` are planted, the first of them in its place."""
        values, fields = self.values(view), fields_of(ahead.own_fields)

        def future(i: int) -> float:
            kind, count = fields[i]
            assert kind is not None
            planted = (*fields[:i], (cards[0], 1), *fields[i + 1 :])
            return values.dollars[kind][count] + best_future(planted, cards[1:], values)

        return max(may_harvest(fields), key=future)

    def values(self, view: BohnanzaView) -> Worth:
        """Return the values of fields now; in the last pass, what they may still earn counts less and less."""
        rules = view.rules
        hope = 1.0
        if view.run_outs >= rules.run_outs - 1:
            turns = turns_left(view)
            hope = turns / (turns + 0.75)
        key = round(hope * HOPE_STEPS) / HOPE_STEPS, self.leader.somebody_trades()
        if key != self.key:
            self.key, self.worth = key, worth(rules, key[0], trading=key[1])
        return self.worth


def place(fields: OwnFields, kind: Kind) -> int | None:
    """Return a field that takes a card of `kind`, preferably one of that kind; None if no field takes it."""
    return max(fields.places_for(kind), key=lambda i: fields.own_fields[i].count, default=None)


def turns_left(view: BohnanzaView) -> float:
    """Return an estimate of the turns left per player, assuming that each future pile has half of all cards."""
    rules = view.rules
    drawn = rules.turned + rules.draws * (rules.seats if rules.all_draw else 1)
    piles = max(0, rules.run_outs - 1 - view.run_outs)
    return (view.pile + piles * rules.cards / 2) / drawn / rules.seats


run(Trader)
