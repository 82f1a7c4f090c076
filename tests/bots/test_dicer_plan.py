"""What the house bots `dicer` and `duelist` plan: worth what trying out everything says, with bounded work."""

import sys
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from itertools import combinations, product
from statistics import fmean
from typing import Any

import pytest

from beanbot import Bot, load_bot
from beanbot.bot import Choice
from beanbot.duel import DuelBot, DuelView
from beanbot.practice.match import PracticePlayer, play_match
from beanleague.games import Kind
from beanleague.games.dice.orders import code, covers, needs, parse_order
from beanleague.games.dice.rules import dice_rulesets, edition
from tests.bots.helpers import no_report
from tests.choices import listed

WORTH = (0.0, 0.5, 1.5, 3.0)
"""What it is worth to have completed that many of three orders, by index."""


@pytest.fixture(scope="module")
def dicer() -> dict[str, Any]:
    """The names in the module of the class that plays with others, and in that of its plans."""
    plays = load_bot("dicer").class_for("dice")
    assert plays
    names = vars(plays)["plan_for"].__globals__
    return {**names, **names["Plan"].value.__globals__}


def tried_out(name: str, orders: Sequence[str], saved: Sequence[Kind], left: tuple[int, ...], *, piece: bool) -> float:
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
    dicer: dict[str, Any], orders: Sequence[str], saved: Sequence[Kind], left: tuple[int, ...], *, piece: bool
) -> None:
    """Where rolling costs nothing; it costs what others profit, which is taken off for each roll alike."""
    rules = dice_rulesets()["dice"].rules(2)
    known = dicer["knowledge"](rules)
    wanted = [needs(parse_order(order, rules.kinds, 5), rules.kinds) for order in orders]
    plan = dicer["Plan"](dicer["Turn"](known.throws, wanted), WORTH, lambda _: 0.0)
    state = code(saved, rules.kinds) + sum(known.throws.sort[die] for die in left) + dicer["PIECE"] * piece
    assert plan.value(state) == pytest.approx(tried_out("2022", orders, saved, left, piece=piece))
    assert 0 < plan.value(state) < WORTH[-1]


@pytest.mark.parametrize(("game", "card"), [("dice", 0), ("dice", 7), ("dice-2012", 0)])
def test_looking_at_more_orders_adds_nothing_to_a_turn(dicer: dict[str, Any], game: str, card: int) -> None:
    """Looking at two orders less loses."""
    rules = dice_rulesets()[game].rules(2)
    known = dicer["Knowledge"](rules)

    def value(orders: int) -> float:
        plan = dicer["Plan"](dicer["Turn"](known.throws, known.needs[card][:orders]), known.worth, lambda _: 0.0)
        worth: float = plan.value(known.throws.all_dice + dicer["PIECE"])
        return worth

    ahead = dicer["AHEAD"][len(rules.dice)]
    assert value(len(known.needs[card])) == pytest.approx(value(ahead))
    assert value(ahead - 2) < value(ahead) - 0.01


def test_plans_for_the_same_orders_find_out_only_once_where_throws_lead(
    dicer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rolls are worth to the others differs in nearly every turn."""
    expanded: list[object] = []
    expand = dicer["Turn"].expand

    def counting(turn: object, node: object) -> None:
        expanded.append(node)
        expand(turn, node)

    monkeypatch.setattr(dicer["Turn"], "expand", counting)
    known = dicer["Knowledge"](dice_rulesets()["dice"].rules(2))
    values, numbers = [], []
    for cost in (0.0, 0.01):
        plan = dicer["Plan"](known.turn(0, 2, 3), WORTH, lambda left, cost=cost: cost * bool(left))
        values.append(plan.value(known.throws.all_dice))
        numbers.append(len(expanded))
    assert values[1] < values[0] - 0.01
    assert numbers[0] == numbers[1] == len(set(expanded)) > 100


def test_turns_used_last_are_kept_while_they_have_no_more_nodes_than_allowed(
    dicer: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The least that is kept is the turn used last."""
    known = dicer["Knowledge"](dice_rulesets()["dice"].rules(2))
    turns = []
    for card in range(4):
        turns.append(known.turn(card, 0, 4))
        for dice in range(10):
            turns[card].node(known.throws.sort[0] * dice)
    monkeypatch.setattr(known, "_max_nodes", sum(len(turn.nodes) for turn in turns[2:]))
    assert known.turn(3, 0, 4) is turns[3]
    assert known.turn(2, 0, 4) is turns[2]
    assert known.turn(0, 0, 4) is not turns[0]


@pytest.fixture(scope="module")
def duelist() -> type[Bot[Any]]:
    return load_bot("duelist").classes[0]


def watched(duelist: type[Bot[Any]], decided: list[str], calls: list[int]) -> type[Bot[Any]]:
    """Return `duelist`, which adds its actions to `decided` and the calls that each decision takes to `calls`."""

    class Watched(duelist):  # type: ignore[misc,valid-type]
        def decide(self, view: DuelView) -> Choice:
            before = sys.getprofile()
            calls.append(0)
            sys.setprofile(count)
            try:
                choice: Choice = super().decide(view)
            finally:
                sys.setprofile(before)
            decided.extend(map(str, listed(choice)))
            return choice

    def count(frame: object, event: str, called: object) -> None:
        del frame, called
        calls[-1] += event in ("call", "c_call")

    return Watched


def test_duelist_decides_as_before_it_was_made_quick_with_less_than_half_the_work(duelist: type[Bot[Any]]) -> None:
    """A better bot has another digest. Functions were called 2916 times per decision, and are now 863 times."""
    decided: list[str] = []
    calls: list[int] = []
    bot = watched(duelist, decided, calls)
    tables: list[tuple[type[Bot[Any]], type[Bot[Any]]]] = [(bot, bot), (bot, DuelBot), (DuelBot, bot)]
    for number, table in enumerate(tables):
        entrants = [PracticePlayer(cls.__name__, cls) for cls in table]
        play_match(entrants, game="duel", seed=b"%d" % number, lucks=[b"any"] * 2, report=no_report)
    assert blake2b("\n".join(decided).encode(), digest_size=8).hexdigest() == "046e042c70d96858"
    assert sum(calls) < 1200 * len(calls)
