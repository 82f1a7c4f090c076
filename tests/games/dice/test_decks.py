"""Decks of cards and dice, which custom ones are accepted, and how chance follows from the seed (docs/chance.md)."""

import subprocess
import sys
import tomllib
from collections import Counter
from hashlib import blake2b
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from beanleague.games import Event, SetupError
from beanleague.games.core import TurnStarted
from beanleague.games.dice import moves
from beanleague.games.dice.orders import MAX_WAYS, parse_order, percent, rolls
from beanleague.games.dice.rules import MAX_CARDS, edition, read_deck, standard_deck
from beanleague.games.dice.table import DiceTable
from tests.games.dice import matching
from tests.games.dice.bookkeeper import Bookkeeper
from tests.games.dice.helpers import TABLES, deck_text, new
from tests.games.dice.matching import DATA, alternatives, chance, faces, meeting
from tests.games.helpers import chooser, do, dull, of_type, play

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
            f"order 1: its slots can be filled in 256 ways; the maximum is {MAX_WAYS}",
        ),
        (deck_of(GOOD) + "percent = [1, 2]", "deck: card 30: percent must be a list of 5 whole numbers, not [1, 2]"),
        (
            deck_of(GOOD) + "percent = [1, 2, 3, 4, 101]",
            "deck: card 30, order 5: percent must be a whole number from 0",
        ),
        (deck_of(GOOD, 29), "deck: has 29 cards; a table of 5 needs at least 30"),
        (deck_of(GOOD, MAX_CARDS + 1), f"deck: has 201 cards; the maximum is {MAX_CARDS}"),
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
        renewed += len(of_type(game.events, moves.DeckRenewed))
    assert renewed
    smallest = "blue; green; soy; red; stink; 2 soy"
    game = new("bean-thief-hard", 1, options={"deck": deck_text([smallest] * 10)})
    play(game, lambda view: view.default())
    with pytest.raises(SetupError, match="has 9 cards; a table of 1 needs at least 10"):
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


SEED = b"luck"


def number(key: str, i: int) -> int:
    block = blake2b(f"{key}/{i // 8}".encode(), key=SEED).digest()
    at = i % 8 * 8
    return int.from_bytes(block[at : at + 8], "little")


def thrown(edition: str, key: str, dice: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(faces(edition)[die][number(key, die) % 6] for die in dice)


def check_dice(game: DiceTable) -> int:
    """Check every throw of a game; return how many there were."""
    edition, turn, roll, throws = ("2022" if game.ruleset == "dice" else "2012"), 0, 0, 0
    for event in game.events:
        match event:
            case TurnStarted():
                turn = event.turn
            case moves.Rolled():
                roll = event.roll
                assert event.kinds == thrown(edition, f"dice/{turn}/{roll}", event.dice)
            case moves.ThiefRolled():
                assert event.kinds == thrown(edition, f"steal/{turn}/{roll}", event.dice)
            case moves.SuperStealRolled():
                assert event.kinds == thrown(edition, f"super-steal/{turn}", tuple(range(7)))
            case _:
                continue
        throws += 1
    return throws


def check_draws(game: DiceTable) -> int:
    """Check every card drawn in a game; return how often the deck was renewed."""
    cards = len(game.rules.cards)
    deck, decks = set(range(cards)), 0

    def draw(order: int) -> int:
        card = min(deck, key=lambda card: (number(f"draw/{decks}/{order}", card), card))
        deck.remove(card)
        return card

    for event in game.events:
        match event:
            case moves.CardDrawn():
                assert event.card == draw(event.seat)
            case moves.DollarsDrawn():
                assert list(event.cards) == [draw(game.seats + event.seat) for _ in event.cards]
            case moves.DeckRenewed():
                decks += 1
                assert event.number == decks
                assert not deck
                deck |= set(event.cards)
            case _:
                pass
    return decks


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_dice_and_cards_follow_from_the_seed(ruleset: str, seats: int) -> None:
    game = new(ruleset, seats, SEED)
    play(game, chooser(0))
    assert check_dice(game) > 10
    check_draws(game)


def test_cards_follow_from_the_seed_when_the_deck_runs_empty() -> None:
    game = new("dice", 5, SEED, {"deck": deck_text(["blue; green; soy; red; stink"] * 30)})
    play(game, chooser(0))
    assert check_draws(game) > 0


def test_a_die_shows_the_same_in_the_same_roll_of_a_turn_whichever_dice_were_saved() -> None:
    """So bots that are dealt the same luck meet the same dice, whatever they and others do."""
    games = [do(new("dice-2012", 3, SEED), (0, moves.Save(dice))) for dice in ((0,), (0, 2, 5), (1, 2))]
    shown: dict[int, str] = {}
    for game in games:
        second = of_type(game.events, moves.Rolled)[1]
        for die, kind in zip(second.dice, second.kinds, strict=True):
            assert shown.setdefault(die, kind) == kind
    assert len(shown) == 7
    first_rolls = {tuple(event.kinds for event in of_type(game.events, moves.Rolled)[:1]) for game in games}
    assert len(first_rolls) == 1


def test_other_players_hardly_change_the_cards_of_a_seat() -> None:
    """Each seat has a draw order of its own: its first cards are the same however the others play."""

    def cards(events: list[Event], seat: int) -> list[int]:
        return [event.card for event in of_type(events, moves.CardDrawn) if event.seat == seat]

    one, other = new("dice", 3, SEED), new("dice", 3, SEED)
    play(one, dull)
    play(other, chooser(5))
    alike = [
        mine == yours
        for seat in range(3)
        for mine, yours in zip(cards(list(one.events), seat), cards(list(other.events), seat), strict=False)
    ]
    assert sum(alike) > len(alike) / 2
    assert len(alike) > 10
    assert of_type(one.events, moves.CardHarvested, moves.CardStolen) != of_type(
        other.events, moves.CardHarvested, moves.CardStolen
    )


def test_the_faces_of_each_die_come_up_about_equally_often() -> None:
    game = new("dice-2012", 4, SEED)
    play(game, dull)
    count = dict.fromkeys(("china", "soy"), 0)
    rolls = of_type(game.events, moves.Rolled)
    for roll in rolls:
        for kind in count:
            count[kind] += roll.kinds.count(kind)
    assert abs(count["china"] - len(rolls) * 4 / 6) < 4 * (len(rolls) * 4 / 6) ** 0.5
    assert abs(count["soy"] - len(rolls) * 3 / 3) < 4 * len(rolls) ** 0.5
