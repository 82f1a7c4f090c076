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
from beanbot.bohnanza import Action, BohnanzaBot, BohnanzaView, BuyField, Harvest, Kind, Pass, Plant, PlantAside

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

    def decide(self, view: BohnanzaView) -> Action:
        if view.can_buy and turns_left(view) > TURNS_TO_BUY:
            return BuyField()
        return super().decide(view)

    def plant_first(self, view: BohnanzaView) -> Action:
        field = self.place(view, view.hand[0])
        if field is None:
            return self.make_room(view, view.hand[:AHEAD])
        return self.plant_or_renew(view, field)

    def plant_second(self, view: BohnanzaView) -> Action:
        card = view.hand[0]
        field = self.place(view, card)
        if field is not None:
            return self.plant_or_renew(view, field)
        values, fields = self.values(view), fields_of(view, view.seat)
        if best_future(fields, (card,), values) < total(fields, values) - SMALL_LOSS:
            return Pass()
        return self.make_room(view, view.hand[:AHEAD])

    def trade(self, view: BohnanzaView) -> Action:
        return self.leader.lead(view, Scales(view, self.values(view)))

    def answer(self, view: BohnanzaView) -> Action:
        return answer(view, Scales(view, self.values(view)))

    def pick(self, view: BohnanzaView) -> Action:
        return self.leader.pick(view, Scales(view, self.values(view)))

    def plant_aside(self, view: BohnanzaView) -> Action:
        values, fields, aside = self.values(view), fields_of(view, view.seat), view.own_aside
        kinds = [kind for kind, _ in fields]
        for card, kind in enumerate(aside):
            if kind in kinds:
                field = kinds.index(kind)
                full = is_full(kind, fields[field][1], values)
                return Harvest(field) if full else PlantAside(card, field)
        orders = [(aside[i], *aside[:i], *aside[i + 1 :], *view.hand)[:AHEAD] for i in range(len(aside))]
        card = max(range(len(aside)), key=lambda i: best_future(fields, orders[i], values))
        if None in kinds:
            return PlantAside(card, kinds.index(None))
        return self.make_room(view, orders[card])

    def place(self, view: BohnanzaView, kind: Kind) -> int | None:
        """Return a field that takes a card of `kind`, preferably one of that kind; None if no field takes it."""
        return max(view.places_for(kind), key=lambda i: view.own_fields[i].count, default=None)

    def plant_or_renew(self, view: BohnanzaView, field: int) -> Action:
        """Plant in `field`, but harvest it first if one more card would add nothing."""
        own = view.own_fields[field]
        full = own.kind is not None and is_full(own.kind, own.count, self.values(view))
        return Harvest(field) if full else Plant(field)

    def make_room(self, view: BohnanzaView, cards: tuple[Kind, ...]) -> Action:
        """Harvest the field that leaves the most value if `cards` are planted, the first of them in its place."""
        values, fields = self.values(view), fields_of(view, view.seat)

        def future(i: int) -> float:
            kind, count = fields[i]
            assert kind is not None
            planted = (*fields[:i], (cards[0], 1), *fields[i + 1 :])
            return values.dollars[kind][count] + best_future(planted, cards[1:], values)

        return Harvest(max(may_harvest(fields), key=future))

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


def turns_left(view: BohnanzaView) -> float:
    """Return an estimate of the turns left per player, assuming that each future pile has half of all cards."""
    rules = view.rules
    drawn = rules.turned + rules.draws * (rules.seats if rules.all_draw else 1)
    piles = max(0, rules.run_outs - 1 - view.run_outs)
    return (view.pile + piles * rules.cards / 2) / drawn / rules.seats


run(Trader)
