"""The ruleset of Bohnanza for two, as data."""

from __future__ import annotations

from beanleague.games.bohnanza.rules import CardRuleset, TableRules

TWO = CardRuleset(
    id="bohnanza-two",
    source="Bohnanza (1997), for two players",
    summary="144 cards of 9 kinds for two, who leave each other cards instead of trading",
    tables={
        2: TableRules(
            frozenset({"cocoa", "garden"}),
            fields=2,
            run_outs=1,
            draws=2,
            turned=3,
            field_price=3,
            hand_breaks_ties=True,
        )
    },
)
