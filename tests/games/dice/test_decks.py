"""The decks that come with the dice games: their figures are true, and they are shaped as the rules want them."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from beanleague.games.dice.chances import percent, rolls
from beanleague.games.dice.deck import edition, standard_deck
from beanleague.games.dice.orders import parse_order
from tests.games.dice import matching
from tests.games.dice.matching import DATA, alternatives, chance, faces, meeting

ROOT = Path(__file__).parents[3]
FIGURES = tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))
SHAPES = {"2022": (55, 5, (22, 45), (3, 14)), "2012": (64, 6, (22, 100), (1, 14))}


def written(edition_name: str, figure: str) -> str:
    """The order that a figure is about."""
    kinds = sorted({kind for die in faces(edition_name) for kind in die})
    if figure == "6 different kinds":
        return " or ".join(" + ".join(some) for some in combinations(kinds, 6))
    if figure == "four of a kind":
        return " or ".join(f"4 {kind}" for kind in kinds)
    return figure


@pytest.mark.parametrize(("name", "figure"), [(name, figure) for name in FIGURES for figure in FIGURES[name]])
def test_the_check_figures_come_out(name: str, figure: str) -> None:
    """With the engine's counting and with the tests' own, so that both and the faces of the dice are right."""
    percent, dice = FIGURES[name][figure], edition(name)
    order = parse_order(written(name, figure), dice.kinds, len(dice.dice))
    assert round(float(100 * rolls(dice.dice, dice.kinds).chance(order)), 2) == percent
    assert round(chance(name, written(name, figure)), 2) == percent


@pytest.mark.parametrize("name", SHAPES)
def test_printed_percentages_are_the_exact_chances_on_a_first_roll(name: str) -> None:
    for card in matching.cards(name):
        for order, printed in zip(card["orders"], card["percent"], strict=True):
            assert abs(chance(name, order) - printed) <= 0.5, order


@pytest.mark.parametrize("name", SHAPES)
def test_engine_and_enumeration_agree_on_what_meets_every_order(name: str) -> None:
    """Roll by roll, not only in number."""
    dice = edition(name)
    all_rolls = rolls(dice.dice, dice.kinds)
    for text in {order for card in matching.cards(name) for order in card["orders"]}:
        mask = all_rolls.meeting(parse_order(text, dice.kinds, len(dice.dice)))
        found = {shown for i, shown in enumerate(all_rolls.codes) if mask >> i & 1}
        expected = {sum(16 ** dice.kinds.index(kind) for kind in beans) for beans in meeting(name, text)}
        assert found == expected, text


@pytest.mark.parametrize("name", SHAPES)
def test_cards_and_orders_are_as_many_as_in_the_edition(name: str) -> None:
    cards, orders, _, _ = SHAPES[name]
    assert [len(card["orders"]) for card in matching.cards(name)] == [orders] * cards


@pytest.mark.parametrize("name", SHAPES)
def test_orders_get_strictly_harder_from_bottom_to_top(name: str) -> None:
    _, _, first, last = SHAPES[name]
    for card in matching.cards(name):
        chances = [chance(name, order) for order in card["orders"]]
        assert all(lower > upper for lower, upper in pairwise(chances))
        assert first[0] <= chances[0] <= first[1]
        assert last[0] <= chances[-1] <= last[1]


def test_no_seven_dice_meet_four_consecutive_orders_of_a_card_of_2012() -> None:
    for card in matching.cards("2012"):
        met = [meeting("2012", order) for order in card["orders"]]
        for first in range(3):
            assert not frozenset.intersection(*met[first : first + 4])


@pytest.mark.parametrize("name", SHAPES)
def test_every_kind_is_on_at_least_a_fifth_of_the_cards(name: str) -> None:
    on_cards = Counter[str]()
    for card in matching.cards(name):
        slots = [slot for order in card["orders"] for slots in alternatives(order) for slot in slots]
        on_cards.update(frozenset[str]().union(*slots))
    assert set(on_cards) == {kind for die in faces(name) for kind in die}
    assert min(on_cards.values()) >= len(matching.cards(name)) / 5


@pytest.mark.parametrize("name", SHAPES)
def test_no_two_cards_are_alike(name: str) -> None:
    orders = [tuple(card["orders"]) for card in matching.cards(name)]
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize("name", SHAPES)
def test_all_four_kinds_of_order_of_the_book_occur(name: str) -> None:
    """Plain beans; one or the other; a die with a choice; several dice with the same choice."""
    kinds = Counter(
        "either" if " or " in order else "several" if " of " in order else "choice" if "|" in order else "plain"
        for card in matching.cards(name)
        for order in card["orders"]
    )
    assert set(kinds) == {"plain", "either", "choice", "several"}
    assert min(kinds.values()) >= 10


@pytest.mark.parametrize("name", SHAPES)
def test_the_engine_reads_the_deck_as_it_is_written(name: str) -> None:
    deck = standard_deck(name, SHAPES[name][1])
    assert [[str(order) for order in card.orders] for card in deck] == [card["orders"] for card in matching.cards(name)]
    assert [list(card.percent) for card in deck] == [card["percent"] for card in matching.cards(name)]


@pytest.mark.parametrize("name", SHAPES)
def test_the_data_file_says_that_the_deck_is_our_own(name: str) -> None:
    assert "this deck is our own" in (DATA / f"dice_{name}.toml").read_text(encoding="utf-8")


def test_the_script_makes_the_decks_again(tmp_path: Path) -> None:
    """Byte for byte, so that anybody can see where they come from."""
    subprocess.run([sys.executable, ROOT / "tools/make_dice_deck.py", tmp_path], check=True)
    for name in SHAPES:
        file = f"dice_{name}.toml"
        assert (tmp_path / file).read_bytes() == (DATA / file).read_bytes()


def test_a_chance_of_half_a_percent_is_rounded_up() -> None:
    dice = edition("2022")
    everything = rolls(dice.dice, dice.kinds)
    assert sum(everything.ways) == everything.total == 6**5
    assert percent(everything.weight(0)) == 0
    assert percent(everything.weight(-1)) == 100
