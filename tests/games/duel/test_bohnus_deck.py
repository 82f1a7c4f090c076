"""The bo(h)nus cards of the duel: the standard deck, and custom decks."""

import runpy
import tomllib
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from beanleague.games import SetupError, new_game
from beanleague.games.duel.game import Duel
from beanleague.games.duel.rules import standard_deck
from tests.games.duel.helpers import deck

CARDS: list[dict[str, Any]] = tomllib.loads(standard_deck())["cards"]
VALUES = (10, 40, 70, 100)


def of_value(cents: int) -> list[dict[str, Any]]:
    return [card for card in CARDS if card["cents"] == cents]


class TestStandardDeck:
    def test_the_standard_deck_has_32_cards_eight_of_each_value(self) -> None:
        assert len(CARDS) == 32
        assert {cents: len(of_value(cents)) for cents in VALUES} == dict.fromkeys(VALUES, 8)

    def test_no_two_cards_are_alike(self) -> None:
        assert len({card["sequence"] for card in CARDS}) == 32

    def test_cards_show_one_to_four_symbols_and_all_numbers_of_symbols_occur(self) -> None:
        symbols = Counter(card["sequence"].count("-") + 1 for card in CARDS)
        assert set(symbols) == {1, 2, 3, 4}

    def test_rarer_sequences_are_worth_more(self) -> None:
        """By the figures in the file: every card is seen less often than all those of smaller values."""
        for less, more in pairwise(VALUES):
            assert min(card["seen"] for card in of_value(less)) > max(card["seen"] for card in of_value(more))

    def test_the_figures_are_about_what_games_show(self) -> None:
        """Measured again, in fewer games than for the file."""
        tool = runpy.run_path(str(Path(__file__).parents[3] / "tools/make_bohnus_deck.py"))
        often = tool["seen"](100)
        for cents in VALUES:
            cards = of_value(cents)
            written = sum(card["seen"] for card in cards)
            measured = sum(often[tuple(map(int, card["sequence"].split("-")))] for card in cards)
            assert measured == pytest.approx(written, rel=0.25)

    def test_the_page_on_decks_tells_these_figures(self) -> None:
        page = (Path(__file__).parents[3] / "docs/decks.md").read_text("utf-8")
        for cents in VALUES:
            seen = sorted(card["seen"] for card in of_value(cents))
            assert f"| {cents} | {seen[0]:.2f} | {fmean(seen):.2f} | {seen[-1]:.2f} |" in page

    def test_the_file_says_that_the_deck_is_ours(self) -> None:
        assert "this deck is our own" in standard_deck()

    def test_the_standard_deck_is_played_unless_another_is_given(self) -> None:
        rules = Duel(2, b"seed", {}).rules
        assert [("-".join(map(str, card.sequence)), card.cents) for card in rules.bohnus] == [
            (card["sequence"], card["cents"]) for card in CARDS
        ]


class TestCustomDecks:
    def test_a_deck_is_given_as_an_option(self) -> None:
        game = new_game("duel", seats=2, seed=b"seed", options={"deck": deck(("2-1", 70))})
        assert isinstance(game, Duel)
        card = game.rules.bohnus[0]
        assert (card.sequence, card.cents, card.worth) == ((2, 1), 70, 170)
        assert game.options["deck"] == deck(("2-1", 70))

    def test_the_file_of_the_standard_deck_can_be_given_as_well(self) -> None:
        assert Duel(2, b"seed", {"deck": standard_deck()}).rules == Duel(2, b"seed", {}).rules

    def test_six_cards_are_enough_and_are_shuffled_again_and_again(self) -> None:
        text = '[[cards]]\nsequence = "1"\ncents = 0\n' * 6
        game = Duel(2, b"seed", {"deck": text})
        assert game.view(0).bohnus_pile == 0
        while not game.over:
            (seat,) = game.to_act()
            game.apply(seat, game.default(seat))

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "deck: has no \\[\\[cards\\]\\]"),
            ("cards = 3", "deck: has no \\[\\[cards\\]\\]"),
            ("[[cards]]\nsequence = \n", "deck: not TOML: .*line 2"),
            ("x = [" * 400, "deck: not TOML"),
            ("x = [\n" * 5000, "deck: not TOML"),
            ("x = 1\n" + ".".join(["a"] * 49_900) + " = 1", "deck: line 2 has 99803 characters; the maximum is 2000"),
            ("#" * 100_001, "deck: more than 100000 characters"),
            (deck() + 'name = "mine"', "deck: card 32: unknown entry 'name'"),
            ('name = "mine"\n' + deck(), "deck: unknown entry 'name'"),
            ("cards = [1, 2, 3, 4, 5, 6]", "deck: card 1: must be a table"),
            ('[[cards]]\nsequence = "1"\ncents = 10\n' * 5, "deck: must have 6 to 1000 cards, not 5"),
            ('[[cards]]\nsequence = "1"\ncents = 10\n' * 1001, "deck: must have 6 to 1000 cards, not 1001"),
            ('[[cards]]\nsequence = "1"\n' * 6, "deck: card 1: cents is missing"),
            ("[[cards]]\ncents = 10\n" * 6, "deck: card 1: sequence is missing"),
        ],
    )
    def test_an_invalid_deck_is_refused(self, text: str, why: str) -> None:
        self.refused(text, why)

    @pytest.mark.parametrize("sequence", ["", "0", "2-", "-1", "2--1", "1-0", "a", "1 2", "100", "²", "1.5"])
    def test_a_sequence_is_made_of_numbers_of_beans(self, sequence: str) -> None:
        self.refused(deck(("1", 10), (sequence, 10)), "deck: card 2: sequence must be numbers of beans like")

    @pytest.mark.parametrize("sequence", ["3", "[2, 1]", "true"])
    def test_a_sequence_is_a_text(self, sequence: str) -> None:
        self.refused(f"[[cards]]\nsequence = {sequence}\ncents = 10\n" + deck(), "deck: card 1: sequence must be")

    def test_a_sequence_has_at_most_four_symbols(self) -> None:
        self.refused(deck(("1-1-1-1-1", 10)), "deck: card 1: sequence '1-1-1-1-1' has 5 symbols; the maximum is 4")

    def test_a_long_sequence_is_shown_in_part(self) -> None:
        sequence = "-".join("1" * 900)
        self.refused(
            deck((sequence, 10)), f"^deck: card 1: sequence '{sequence[:79]} has 900 symbols; the maximum is 4$"
        )

    @pytest.mark.parametrize("sequence", ["21", "19-19", "15-1-21", "17-17-17-17", "20-1"])
    def test_a_sequence_that_can_never_be_planted_is_refused(self, sequence: str) -> None:
        """There are at most 20 beans of a kind, and nothing follows those."""
        self.refused(deck((sequence, 10)), f"deck: card 1: sequence '{sequence}' can never be planted")

    @pytest.mark.parametrize("sequence", ["20", "18-20", "1-20", "14-16-18-20"])
    def test_a_sequence_that_can_just_be_planted_is_accepted(self, sequence: str) -> None:
        Duel(2, b"seed", {"deck": deck((sequence, 10))})

    @pytest.mark.parametrize("cents", ["-1", "1001", "1.5", '"10"', "true"])
    def test_cents_are_a_whole_number_up_to_ten_dollars(self, cents: str) -> None:
        text = f'[[cards]]\nsequence = "1"\ncents = {cents}\n' + deck()
        self.refused(text, "deck: card 1: cents must be a whole number from 0 to 1000, not")

    @pytest.mark.parametrize("deck_option", [3, ("a",), (1, 2)])
    def test_a_deck_is_given_by_its_text(self, deck_option: Any) -> None:
        with pytest.raises(SetupError, match="deck must be the text of a deck in TOML"):
            Duel(2, b"seed", {"deck": deck_option})

    @staticmethod
    def refused(text: str, why: str) -> None:
        with pytest.raises(SetupError, match=why):
            Duel(2, b"seed", {"deck": text})


@pytest.mark.parametrize(
    ("name", "there"), [("max_rounds", "there are: deck, interludes"), ("Deck", r"did you mean 'deck'\?")]
)
def test_an_unknown_option_is_named(name: str, there: str) -> None:
    with pytest.raises(SetupError, match=f"unknown option '{name}'; {there}"):
        Duel(2, b"seed", {name: 3})


@pytest.mark.parametrize("interludes", [(2,), (1, 0), (0, 0), "0", None])
def test_interludes_are_ascending_seats(interludes: Any) -> None:
    with pytest.raises(SetupError, match="interludes must be ascending seats from 0 to 1"):
        Duel(2, b"seed", {"interludes": interludes})
