"""What docs/chance.md says is enough to foretell a game from its seed: done here with the page's own code alone."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from beanleague.games import new_game
from beanleague.games.core import Dealt
from beanleague.games.dice.actions import RollAgain
from beanleague.games.dice.events import CardDrawn, Rolled
from beanleague.games.duel.events import BohnusDrawn, FirstDollars
from tests.games.helpers import do, of_type

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/chance.md").read_text("utf-8")
DICE = tomllib.loads((ROOT / "server/beanleague/games/data/dice.toml").read_text("utf-8"))
KINDS = {"garden": 6, "red": 8, "black_eyed": 10, "soy": 12, "green": 14, "stink": 16, "chili": 18, "blue": 20}
BEANS = [kind for kind, cards in KINDS.items() for _ in range(cards)]
SEED = b"seed"


def page_code() -> Callable[[bytes, str, int], int]:
    """The function `number` that the page shows."""
    defined: dict[str, Callable[[bytes, str, int], int]] = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), defined)
    return defined["number"]


number = page_code()


class Cards:
    """Cards from 0 on, drawn in the order of `N("name/0/i")`."""

    def __init__(self, name: str, cards: int) -> None:
        self.name = name
        self.left = set(range(cards))

    def draw(self, i: int) -> int:
        card = min(self.left, key=lambda card: (number(SEED, f"{self.name}/0/{i}", card), card))
        self.left.remove(card)
        return card


def test_the_numbers_of_the_example_come_out() -> None:
    found = [f"{number(SEED, 'key', i):#x}" for i in (0, 8)]
    assert f"number 0 is `{found[0]}` and number 8 is `{found[1]}`" in PAGE


def test_the_deal_of_a_duel() -> None:
    beans, bohnus = Cards("draw", len(BEANS)), Cards("bohnus", 32)
    dollars: list[list[str]] = [[], []]
    hands: list[list[str]] = [[], []]
    for cards, to in ((3, dollars), (5, hands)):
        for _ in range(cards):
            for seat in (0, 1):
                to[seat].append(BEANS[beans.draw(seat)])
    events = new_game("duel", seats=2, seed=SEED).events
    assert [list(event.cards) for event in of_type(events, FirstDollars)] == dollars
    assert [list(event.cards) for event in of_type(events, Dealt)] == hands
    assert [event.cards for event in of_type(events, BohnusDrawn)] == [
        tuple(bohnus.draw(seat) for _ in range(3)) for seat in (0, 1)
    ]
    assert f"the hand of seat 0 is {', '.join(hands[0])}." in PAGE


def test_the_deal_and_the_first_rolls_of_the_dice_game() -> None:
    deck = Cards("draw", 55)
    game = new_game("dice", seats=2, seed=SEED)
    assert [event.card for event in of_type(game.events, CardDrawn)] == [deck.draw(seat) for seat in (0, 0, 1, 1)]
    dice = [sort["faces"] for sort in DICE["2022"].values() for _ in range(sort["dice"])]
    rolls = [[faces[number(SEED, f"dice/1/{roll}", die) % 6] for die, faces in enumerate(dice)] for roll in (1, 2)]
    do(game, (0, RollAgain()))
    assert [list(event.kinds) for event in of_type(game.events, Rolled)] == rolls
    assert f"the first roll of `dice` is {', '.join(rolls[0])}." in PAGE


def test_the_page_on_the_rules_tells_the_faces_of_all_dice() -> None:
    page = " ".join((ROOT / "docs/rules.md").read_text("utf-8").split())
    for edition in DICE.values():
        for sort, row in edition.items():
            assert f"{sort} ({', '.join(row['faces'])})" in page
