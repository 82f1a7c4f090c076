"""The plans of the house bot `dicer` are worth what trying out everything that can happen in a turn says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from statistics import fmean
from typing import Any

import pytest

from beanbot import load_bot
from beanleague.games.dice.deck import edition
from beanleague.games.dice.orders import code, covers, needs, parse_order
from beanleague.games.dice.rules import dice_ruleset
from beanleague.league.bots.house_bots import house_bots

WORTH = (0.0, 0.5, 1.5, 3.0)
"""What it is worth to have completed that many of three orders, by index."""


@pytest.fixture(scope="module")
def dicer() -> dict[str, Any]:
    """The names in the module of the class that plays with others."""
    (folder,) = [folder for folder in house_bots("dice") if folder.name == "dicer"]
    plays = load_bot(folder).class_for("dice")
    assert plays
    return vars(plays)["plan_for"].__globals__  # type: ignore[no-any-return]


def tried_out(name: str, orders: Sequence[str], saved: Sequence[str], left: tuple[int, ...], *, piece: bool) -> float:
    """Return what a turn is worth, over all throws of the dice `left` and all that can be done with each."""
    dice = edition(name)
    wanted = [needs(parse_order(order, dice.kinds, len(dice.dice)), dice.kinds) for order in orders]

    @cache
    def value(beans: int, left: tuple[int, ...], *, piece: bool) -> float:
        if not left:
            met = [any(covers(beans, need) for need in order) for order in wanted]
            return WORTH[[*met, False].index(False)]
        again = [value(beans, left, piece=False)] if piece else []
        return fmean(
            max(
                [
                    *again,
                    *(
                        value(
                            beans
                            + code([kind for die, kind in zip(left, faces, strict=True) if die in some], dice.kinds),
                            tuple(die for die in left if die not in some),
                            piece=piece,
                        )
                        for number in range(1, len(left) + 1)
                        for some in combinations(left, number)
                    ),
                ]
            )
            for faces in product(*(dice.dice[die] for die in left))
        )

    return value(code(saved, dice.kinds), left, piece=piece)


@pytest.mark.parametrize("piece", [False, True])
@pytest.mark.parametrize(
    ("orders", "saved", "left"),
    [
        (["2 soy", "soy + blue", "3 blue"], ["soy", "blue"], (1, 2, 3)),
        (["garden|red + stink", "2 blue or 2 green", "soy + green"], ["stink", "green"], (0, 1, 4)),
        (["3 stink or 2 red", "2 of blue|green", "garden"], [], (0, 3, 4)),
    ],
)
def test_a_plan_is_worth_what_trying_everything_out_says(
    dicer: dict[str, Any], orders: Sequence[str], saved: Sequence[str], left: tuple[int, ...], *, piece: bool
) -> None:
    """Where rolling costs nothing; it costs what others profit, which is taken off for each roll alike."""
    rules = dice_ruleset("dice").rules(2)
    known = dicer["knowledge"](rules)
    wanted = [needs(parse_order(order, rules.kinds, 5), rules.kinds) for order in orders]
    plan = dicer["Plan"](known.throws, wanted, WORTH, lambda _: 0.0)
    state = code(saved, rules.kinds) + sum(known.throws.sort[die] for die in left) + dicer["PIECE"] * piece
    assert plan.value(state) == pytest.approx(tried_out("2022", orders, saved, left, piece=piece))
    assert 0 < plan.value(state) < WORTH[-1]
