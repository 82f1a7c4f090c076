"""Custom decks, as the option `deck`: which are accepted, and the errors for those that are not."""

from __future__ import annotations

import pytest

from beanleague.games import SetupError
from beanleague.games.dice.deck import MAX_CARDS, edition, read_deck, standard_deck
from beanleague.games.dice.events import DeckRenewed
from beanleague.games.dice.orders import MAX_WAYS, parse_order
from tests.games.dice.bookkeeper import Bookkeeper
from tests.games.dice.helpers import deck_text, new
from tests.games.dice.matching import chance
from tests.games.helpers import chooser, of_type, play

KINDS = edition("2022").kinds
GOOD = "2 blue; soy; red + green; 3 stink; 2 garden or 3 red"


def deck_of(card: str, cards: int = 30) -> str:
    return deck_text([card] + [GOOD] * (cards - 1))


def test_a_custom_deck_is_played() -> None:
    text = deck_text(f"blue; {number} stink; soy; red; green" for number in (1, 2, 3) for _ in range(10))
    game = new("dice", 5, b"own", {"deck": text})
    assert game.options == {"deck": text}
    assert str(game.rules.cards[29].orders[1]) == "3 stink"
    play(game, chooser(1))
    Bookkeeper("dice", 5, text).follow(game.events)


def test_percentages_may_be_printed_or_are_worked_out() -> None:
    printed = deck_of(GOOD) + "\npercent = [50, 40, 30, 20, 10]\n"
    cards = new("dice", 5, options={"deck": printed}).rules.cards
    assert cards[29].percent == (50, 40, 30, 20, 10)
    assert cards[0].percent == tuple(round(chance("2022", order)) for order in GOOD.split("; "))


def test_the_standard_deck_is_the_default() -> None:
    assert new("dice").rules.cards is standard_deck("2022", 5)
    assert len(new("bean-thief-hard", 1).rules.cards) == 64


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        (7, "deck must be the text of a deck in TOML, not 7"),
        ("cards = [", "deck: not TOML: "),
        ("", "deck: has no [[cards]]"),
        ("cards = 3", "deck: has no [[cards]]"),
        ('name = "mine"\n' + deck_of(GOOD), "deck: unknown entry 'name'; a deck has [[cards]] only"),
        ("cards = [1, 2]", "deck: card 1: must be a table with orders, not 1"),
        (deck_of(GOOD) + 'color = "red"', "deck: card 30: unknown entry 'color'; a card has orders and percent"),
        (
            deck_of("blue; soy; red"),
            "card 1: orders must be a list of 5 strings, from bottom to top, not ['blue'",
        ),
        ("[[cards]]\norders = [1, 2, 3, 4, 5]", "deck: card 1, order 1: must be a string like '2 blue + soy', not 1"),
        (deck_of("blue; soy; red; chili; red"), "deck: card 1, order 4: 'chili' is not on these dice; there are: blue"),
        (deck_of("blue; two soy; red; red; red"), "deck: card 1, order 2: 'two soy' cannot be read; write it like"),
        (deck_of("6 blue; soy; red; red; red"), "deck: card 1, order 1: '6 blue' must ask for 1 to 5 dice"),
        (deck_of("3 blue + 3 soy; soy; red; red; red"), "order 1: '3 blue + 3 soy' asks for 6 dice; there are 5"),
        (deck_of("blue|blue; soy; red; red; red"), "order 1: 'blue|blue' names a kind twice"),
        (deck_of("3 garden; soy; red; red; red"), "deck: card 1, order 1: '3 garden' can never be met with these dice"),
        (
            deck_of("4 of blue|soy|red|green; soy; red; red; red"),
            f"order 1: its slots can be filled in 256 ways, which are too many: at most {MAX_WAYS}",
        ),
        (deck_of(GOOD) + "percent = [1, 2]", "deck: card 30: percent must be a list of 5 whole numbers, not [1, 2]"),
        (
            deck_of(GOOD) + "percent = [1, 2, 3, 4, 101]",
            "deck: card 30, order 5: percent must be a whole number from 0",
        ),
        (deck_of(GOOD, 29), "deck: 29 cards are too few for a table of 5: at least 30"),
        (deck_of(GOOD, MAX_CARDS + 1), f"deck: 201 cards are too many: at most {MAX_CARDS}"),
        ("#" * 100_001, "deck: more than 100000 characters"),
        (
            deck_of(GOOD) + ".".join(["a"] * 1001) + " = 1",
            "deck: line 90 has 2005 characters; the maximum is 2000: break lists into several lines",
        ),
        (
            "\n".join([f"[{'.'.join(['a'] * 990)}]", *(f"b{i}{'.a' * 990} = 1" for i in range(49))]),
            "deck: line 1 has 989 dots; the maximum is 20",
        ),
        (deck_of(GOOD) + "percent = [1, 2, 3, 4, 0x" + "f" * 1900 + "]", "percent must be a whole number from 0"),
    ],
)
def test_a_deck_that_cannot_be_played_is_refused_with_card_and_order(deck: str, message: str) -> None:
    with pytest.raises(SetupError) as problem:
        new("dice", 5, options={"deck": deck})
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


def test_the_smallest_deck_lasts_for_any_game() -> None:
    """However often it runs empty, somebody has five single dollars to trade in."""
    text = deck_text(["blue; green; soy; red; stink"] * 30)
    renewed = 0
    for number in range(20):
        game = new("dice", 5, b"%d" % number, {"deck": text})
        play(game, chooser(number))
        Bookkeeper("dice", 5, text).follow(game.events)
        renewed += len(of_type(game.events, DeckRenewed))
    assert renewed
    smallest = "blue; green; soy; red; stink; 2 soy"
    game = new("bean-thief-hard", 1, options={"deck": deck_text([smallest] * 10)})
    play(game, lambda view: view.default())
    with pytest.raises(SetupError, match="9 cards are too few for a table of 1: at least 10"):
        new("bean-thief-hard", 1, options={"deck": deck_text([smallest] * 9)})


def test_unknown_options_are_refused() -> None:
    with pytest.raises(SetupError, match="unknown option 'max_rounds'; there are: deck"):
        new("dice", options={"max_rounds": 3})


@pytest.mark.parametrize("order", ["soy|green + 2 of garden|red", "2 green or 2 soy", "stink + soy + red", "blue"])
def test_orders_are_written_as_they_are_read(order: str) -> None:
    assert str(parse_order(order, KINDS, 5)) == order


def test_orders_may_be_written_more_loosely() -> None:
    assert str(parse_order(" 1 blue+2 garden | red  or   soy ", KINDS, 5)) == "blue + 2 of garden|red or soy"
    assert str(parse_order("2\tblue\n or\n" + " " * 99_000 + "soy |\n red", KINDS, 5)) == "2 blue or soy|red"
    assert read_deck(deck_of("1 blue; soy; red; 2 of red; red"), edition("2022"), 5)


def test_an_or_with_nothing_behind_it_is_refused_however_many_blanks_are_around_it() -> None:
    with pytest.raises(ValueError, match="'blue or' cannot be read"):
        parse_order("blue" + " " * 99_900 + "or", KINDS, 5)
