"""Compares possible fields and hands by values learnt from self-play, and weighs the gains of partners.

`planting.py` enumerates the results of planting; `values.py` values them by the formula of `beanbot.policies.worth` and
the network of `network.py`; `scales.py` values trades, and `beanbot.policies.trading` makes them. `duel.py` plays the
duel.
"""

from __future__ import annotations

from collections import Counter

from duel import DuelGrandmaster
from network import Situation, applies
from planting import Outcome, outcomes
from scales import RIVALRY, Scales, Table, expected
from values import ByFormula, ByNetwork, Values

from beanbot import run
from beanbot.bohnanza import Action, BohnanzaView, Choice, Harvest, Harvested, Kind, Pass, Plant, PlantAside
from beanbot.policies.trading import TradingBot
from beanbot.policies.worth import Cards, fields_of, turns_left


class Grandmaster(TradingBot):
    """Chooses the plantings, offers and answers that lead to the most valuable fields and hand."""

    rivalry = RIVALRY

    def match_started(self) -> None:
        super().match_started()
        self.coins: Counter[Kind] = Counter()  # cards that became dollars and left the game

    def decide(self, view: BohnanzaView) -> Choice:
        for event in view.news:
            if type(event) is Harvested:
                self.coins[event.kind] += event.dollars
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

    def plant_all(self, view: BohnanzaView, aside: Cards) -> list[Action]:
        """Return the actions for the best planting of the cards `aside`."""
        table, values = self.judge(view)
        ways = self.ways(view, table, aside)
        best = max(ways, key=lambda way: values(way.fields, view.hand, way.dollars))
        return [
            action
            for step in best.steps
            for action in ((Harvest(step.field),) if step.harvest else ()) + (PlantAside(step.card, step.field),)
        ]

    def ways(self, view: BohnanzaView, table: Table, cards: Cards) -> tuple[Outcome, ...]:
        """Return the possible fields after planting `cards`."""
        return outcomes(fields_of(view.own_fields), cards, table.worth)

    def scales(self, view: BohnanzaView) -> Scales:
        return Scales(*self.judge(view))

    def appeal(self, mine: float, theirs: float) -> float:
        return expected(mine, theirs)

    def judge(self, view: BohnanzaView) -> tuple[Table, Values]:
        """Return the public table, and the values for the bot's fields and hand."""
        table = Table(view, self.worth(view))
        formula = ByFormula(table.worth)
        if not self.leader.somebody_trades() or not applies(view.rules):
            return table, formula
        settled = [table.best(seat).fields for seat in range(self.seats)]
        return table, ByNetwork(Situation(view, settled, self.coins, turns_left(view)), formula)


def planted(way: Outcome) -> list[Action]:
    """Return the actions that plant the hand cards as `way` specifies."""
    return [
        action
        for step in way.steps
        for action in ((Harvest(step.field),) if step.harvest else ()) + (Plant(step.field),)
    ]


run(Grandmaster, DuelGrandmaster)
