"""Make the component data of the replay viewer: kinds, fields, dice and decks of every ruleset, as a JavaScript module.

    python tools/make_viewer_data.py            writes server/beanleague/web/static/viewer/components.js

A record names cards and dice by kind or number; their earnings and orders are part of the rules. The viewer runs
without Python, so it has them as a file.
"""

from __future__ import annotations

import json
from pathlib import Path

from beanleague.games.bohnanza.rules import CardRuleset, card_rulesets
from beanleague.games.core.kinds import all_kinds
from beanleague.games.dice.rules import dice_rulesets, edition, standard_deck
from beanleague.games.duel.rules import DUEL, SEATS, duel_rules
from beanleague.games.families import family_of_ruleset

FILE = Path(__file__).resolve().parent.parent / "server/beanleague/web/static/viewer/components.js"
HEAD = "// Made by tools/make_viewer_data.py from beanleague.games. See rules.js for what reads it.\n"


def text() -> str:
    """Return the text of the module."""
    kinds = {kind.name: {"cards": kind.cards, "beanometer": kind.beanometer} for kind in all_kinds()}
    rulesets = {
        **{ruleset.id: _cards(ruleset) for ruleset in card_rulesets().values()},
        DUEL: _duel(),
        **{name: _dice(name) for name in dice_rulesets()},
    }
    decks = {dice.edition: _deck(dice.edition, dice.orders) for dice in dice_rulesets().values()}
    bohnus = [{"sequence": card.sequence, "cents": card.cents} for card in duel_rules({}, SEATS).bohnus]
    parts = {"KINDS": kinds, "RULESETS": rulesets, "DECKS": decks, "BOHNUS": bohnus}
    return HEAD + "".join(
        f'\n/** @type {{import("./rules.js").Components["{name}"]}} */\nexport const {name} = {_lines(value)};\n'
        for name, value in parts.items()
    )


def _family(ruleset: str) -> str:
    family = family_of_ruleset(ruleset)
    assert family is not None
    return family.name


def _cards(ruleset: CardRuleset) -> object:
    tables = {}
    for seats in ruleset.tables:
        rules = ruleset.rules(seats)
        tables[str(seats)] = {
            "kinds": [kind.name for kind in rules.kinds],
            "fields": rules.fields,
            "price": rules.field_price,
            "runOuts": rules.run_outs,
        }
    return {"family": _family(ruleset.id), "tables": tables}


def _duel() -> object:
    rules = duel_rules({}, SEATS)
    table = {"kinds": [kind.name for kind in rules.kinds], "fields": rules.fields, "price": 0, "runOuts": 1}
    return {"family": _family(DUEL), "tables": {str(SEATS): table}}


def _dice(name: str) -> object:
    ruleset = dice_rulesets()[name]
    rules = ruleset.rules(ruleset.least_seats)
    return {
        "family": _family(name),
        "edition": ruleset.edition,
        "dice": rules.dice,
        "kinds": edition(ruleset.edition).kinds,
        "dollars": rules.dollars,
        "target": rules.target,
        "piece": rules.piece,
        "thief": rules.thief is not None,
    }


def _deck(name: str, orders: int) -> object:
    return [
        {"orders": [str(order) for order in card.orders], "percent": card.percent}
        for card in standard_deck(name, orders)
    ]


def _lines(value: object) -> str:
    """Return JSON with a line for each entry of the outermost object or list."""
    if isinstance(value, dict):
        return "{\n" + "".join(f"  {json.dumps(key)}: {json.dumps(each)},\n" for key, each in value.items()) + "}"
    assert isinstance(value, list)
    return "[\n" + "".join(f"  {json.dumps(each)},\n" for each in value) + "]"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
