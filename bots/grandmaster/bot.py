"""Compares what fields and hand would become, by values learnt from its own games, and weighs what a partner gains.

`planting.py` finds all that fields can become; `values.py` says what that is worth, by the formula of `worth.py` and
the network of `network.py`; `scales.py` values trades; `answering.py` answers offers, and `leading.py` makes them. The
duel is played by `duel.py`.
"""

from __future__ import annotations

from collections import Counter

from answering import answer
from duel import DuelGrandmaster
from leading import Leader
from network import Situation, applies
from planting import Cards, Outcome, fields_of, outcomes
from scales import Scales, Table
from values import ByFormula, ByNetwork, Values
from worth import Worth, turns_left, worth

from beanbot import run
from beanbot.bohnanza import (
    Action,
    BohnanzaBot,
    BohnanzaView,
    BuyField,
    Choice,
    Harvest,
    Harvested,
    Kind,
    Pass,
    Plant,
    PlantAside,
    Refuse,
    Stop,
)

HOPE_STEPS = 16  # `hope` is rounded, so that few tables of values are computed
TURNS_TO_BUY = 8.0  # turns each player must have left for a third field to pay


class Grandmaster(BohnanzaBot):
    """Plants, offers and answers what leaves it the most valuable fields and hand."""

    def match_started(self) -> None:
        self.leader = Leader(self.seats)
        self.coins: Counter[Kind] = Counter()  # cards that became dollars, which are out of the game

    def decide(self, view: BohnanzaView) -> Choice:
        for event in view.news:
            if type(event) is Harvested:
                self.coins[event.kind] += event.dollars
        if view.can_buy and turns_left(view) > TURNS_TO_BUY:
            return BuyField()
        return super().decide(view)

    def plant_first(self, view: BohnanzaView) -> Choice:
        table, values = self.judge(view)
        best: tuple[float, list[Action]] = (float("-inf"), [])
        for one in self.ways(view, table, view.hand[:1]):
            first = planted(one)
            rest = view.hand[1:]
            stop = [*first, Pass()] if rest and not view.rules.field_price else first
            best = max(best, (values(one.fields, rest, one.dollars), stop), key=lambda option: option[0])
            for two in outcomes(one.fields, rest[:1], table.worth) if rest and not view.rules.field_price else ():
                value = values(two.fields, rest[1:], one.dollars + two.dollars)
                best = max(best, (value, first + planted(two)), key=lambda option: option[0])
        return best[1]

    def plant_second(self, view: BohnanzaView) -> Choice:
        table, values = self.judge(view)
        options = [
            (values(way.fields, view.hand[1:], way.dollars), planted(way))
            for way in self.ways(view, table, view.hand[:1])
        ]
        options.append((values(fields_of(view.own_fields), view.hand, 0), [Pass()]))
        return max(options, key=lambda option: option[0])[1]

    def trade(self, view: BohnanzaView) -> Choice:
        return self.lead(view)

    def answer(self, view: BohnanzaView) -> Choice:
        return answer(view, self.scales(view))

    def pick(self, view: BohnanzaView) -> Choice:
        scales = self.scales(view)
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
        action = self.leader.lead(view, self.scales(view), ahead=ahead)
        return [action, *self.plant_all(view, view.own_aside + view.turned)] if type(action) is Stop else [action]

    def plant_all(self, view: BohnanzaView, aside: Cards) -> list[Action]:
        """Return the actions that plant the cards `aside` in the best way."""
        table, values = self.judge(view)
        ways = self.ways(view, table, aside)
        best = max(ways, key=lambda way: values(way.fields, view.hand, way.dollars))
        return [
            action
            for step in best.steps
            for action in ((Harvest(step.field),) if step.harvest else ()) + (PlantAside(step.card, step.field),)
        ]

    def ways(self, view: BohnanzaView, table: Table, cards: Cards) -> tuple[Outcome, ...]:
        """Return what the own fields can become when `cards` are planted."""
        return outcomes(fields_of(view.own_fields), cards, table.worth)

    def scales(self, view: BohnanzaView) -> Scales:
        """Return what values trades now."""
        return Scales(*self.judge(view))

    def judge(self, view: BohnanzaView) -> tuple[Table, Values]:
        """Return the table as this seat sees it, and what values own fields and hand."""
        trading = self.leader.somebody_trades()
        table = Table(view, self.worth(view, trading=trading))
        formula = ByFormula(table.worth)
        if not trading or not applies(view.rules):
            return table, formula
        settled = [table.best(seat).fields for seat in range(self.seats)]
        return table, ByNetwork(Situation(view, settled, self.coins, turns_left(view)), formula)

    def worth(self, view: BohnanzaView, *, trading: bool) -> Worth:
        """Return the values of fields now; in the last pass, what they may still earn counts less and less."""
        hope = 1.0
        if view.run_outs >= view.rules.run_outs - 1:
            turns = turns_left(view)
            hope = turns / (turns + 0.75)
        return worth(view.rules, round(hope * HOPE_STEPS) / HOPE_STEPS, trading=trading)


def planted(way: Outcome) -> list[Action]:
    """Return the actions that plant cards of the hand."""
    return [
        action
        for step in way.steps
        for action in ((Harvest(step.field),) if step.harvest else ()) + (Plant(step.field),)
    ]


run(Grandmaster, DuelGrandmaster)
