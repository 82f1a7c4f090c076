"""Chance is keyed: each outcome can be recomputed from the seed and from what it decides, as docs/chance.md says."""

import re
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from beanleague.games import new_game
from beanleague.games.core import Dealt, Drew, TurnedOver
from beanleague.games.core.chance import numbers, order
from beanleague.games.dice.moves import CardDrawn, RollAgain, Rolled
from beanleague.games.duel.moves import BohnusDrawn, FirstDollars
from tests.games.bohnanza.bookkeeper import cards_of
from tests.games.bohnanza.helpers import SIZES, TABLES, bohnanza
from tests.games.bohnanza.oracle import Oracle, draw_order
from tests.games.helpers import chooser, do, dull, of_type, play


@pytest.mark.parametrize(("ruleset", "seats"), SIZES)
@pytest.mark.parametrize("luck", range(2))
def test_every_card_of_a_game_follows_from_the_seed(ruleset: str, seats: int, luck: int) -> None:
    """The deal, every draw and every turning over, also after shuffles; computed with hashlib alone."""
    game = bohnanza(seats, b"oracle %d" % luck, ruleset, max_rounds=3, interludes=(0, 2))
    play(game, chooser(luck) if luck else dull)
    table = TABLES[ruleset, seats]
    oracle = Oracle(game.seed, table.dealt, cards_of(table).items()).follow(game.events)
    assert oracle.shuffles >= 1
    assert oracle.predicted == oracle.drawn
    assert len(oracle.drawn) > 2 * game.view(0).turn - 4


# They must never change, or old records could not be verified.
KNOWN_NUMBERS = ["e5796733c6711d03", "63dbc21145ea875c"]
KNOWN_ORDER = (9, 5, 0, 7, 1, 3, 2, 4, 6, 8)


def test_numbers_are_those_of_the_digests() -> None:
    assert numbers(b"seed", "key", 3) == numbers(b"seed", "key", 20)[:3]
    assert [f"{number:016x}" for number in numbers(b"seed", "key", 9)[::8]] == KNOWN_NUMBERS
    assert order(b"seed", "draw/0/0", 10) == tuple(draw_order(b"seed", 0, 0, 10)) == KNOWN_ORDER


def test_seats_passes_and_seeds_have_orders_of_their_own() -> None:
    orders = {
        order(seed, f"draw/{shuffle}/{seat}", 104) for seed in (b"a", b"b") for shuffle in range(3) for seat in range(5)
    }
    assert len(orders) == 30
    assert all(sorted(one) == list(range(104)) for one in orders)


def test_every_card_is_equally_likely_to_come_first() -> None:
    """8,320 orders: each of 104 cards comes first 80 times, give or take five standard deviations."""
    first = [order(b"%d" % seed, f"draw/0/{seat}", 104)[0] for seed in range(1664) for seat in range(5)]
    assert all(80 - 45 < first.count(card) < 80 + 45 for card in range(104))


def test_a_seat_draws_what_it_would_whatever_others_do() -> None:
    """Until somebody else takes its card: each seat has an order of its own."""
    game, other = bohnanza(4, seed=b"same"), bohnanza(4, seed=b"same", max_rounds=0)
    play(game, dull)
    play(other, chooser("another table"))
    for seat in range(4):
        first, second = (of_type(each.events, TurnedOver, Drew) for each in (game, other))
        cards = [[event.cards for event in events if event.seat == seat][:2] for events in (first, second)]
        same = sum(a == b for pair in zip(*cards, strict=True) for a, b in zip(*pair, strict=True))
        assert same >= 4, "of the first five cards"


# Digests of the events of whole games: the same on every Python version and platform, while the rules are the same.
GOLDEN = {
    ("dull", 3): "8b94d6f6b8749d21f78135ebdd76e2ba090403382fe9dd6cdc4e8421a3f3b045",
    ("dull", 4): "cfda32558d008e8e1b35f1d8f06622b73166c063cb7cc3603c2113647bc67bd1",
    ("dull", 5): "af6f58e213df4c506d18c2ea314352a026e99cf0b1dd68bb808caf2afd9947db",
    ("free", 3): "ff6805d16c201b22123ba9b7595f6b9bb41f465f16eaa6b08c0b9f6d7b38af8e",
    ("free", 4): "53d7c1514f54b05fdc225aad39f408334885213682a1e6fb96f7b7d17c7ae2f1",
    ("free", 5): "de8cae0ae4f45f6f3440920ce681e729f7d48cde709668e12d637f66d76b9dc2",
}


@pytest.mark.parametrize(("play_by", "seats"), GOLDEN)
def test_games_are_the_same_on_every_python(play_by: str, seats: int) -> None:
    game = bohnanza(seats, seed=b"golden", interludes=(0, 1))
    play(game, dull if play_by == "dull" else chooser("golden"))
    events = "\n".join(map(repr, game.events))
    assert sha256(events.encode()).hexdigest() == GOLDEN[play_by, seats]


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
