"""Determinised games look to the seat as the game does, keep all cards, and can be played on."""

from __future__ import annotations

from collections import Counter as Multiset
from random import Random
from typing import Any

import pytest

from beanbot.search import Memory, determinise
from beanleague.games import Game, SetupError, View, new_game
from tests.games.families import family_of
from tests.games.helpers import chooser, dull, left_in, part, play, state
from tests.games.played import Table, sent
from tests.games.test_contract import tables

PILES = {"bohnanza": ["pile"], "two": ["pile"], "duel": ["pile", "bohnus_pile"], "dice": ["pile"]}
CARDS = {
    "bohnanza": ["hands", "fields", "aside", "turned", "dollar_cards"],
    "two": ["hands", "fields", "open", "dollar_cards"],
    "dice": ["cards", "singles"],
    "duel": ["bohnus", "earned"],
}
"""Where the cards of the last pile are that are not in it; those that left the game are nowhere."""


def watched(table: Table) -> Any:
    """Yield about `LOOKS` moments of a game, and the first of each decision: view as sent, its memory, the game."""
    memories = [Memory() for _ in range(table.seats)]
    looked_at = {id(move) for _, move in table.looked_at()}
    for game, move in table.replayed():
        view = game.view(move.seat)
        if id(move) in looked_at:
            view = sent(view, table)
        memories[move.seat].see(view)
        if id(move) in looked_at:
            yield view, memories[move.seat], game


@pytest.mark.parametrize("name", tables())
def test_a_determinised_game_looks_to_the_seat_as_the_game_does(name: str) -> None:
    table, random = tables()[name], Random(1)
    for view, memory, game in watched(table):
        for remembered in (memory, Memory()):
            guessed = determinise(view, remembered, random)
            seen = guessed.view(view.seat)
            assert seen == view
            assert (seen.legal(), seen.default()) == (view.legal(), view.default())
            assert view.seat in guessed.to_act()
            assert set(game.to_act()) <= set(guessed.to_act()), "who answers at the same moment is asked, too"
            assert_all_cards_are_there(guessed, game)


@pytest.mark.parametrize("name", tables())
def test_a_determinised_game_is_played_to_its_end(name: str) -> None:
    table = tables()[name]
    games = [determinise(view, memory, Random(name)) for view, memory, _ in watched(table)]
    for number, game in enumerate(games[:: len(games) // 3]):
        assert set(state(game)) == set(state(table.over)), "nothing is left out"
        start = state(game)
        play(game.copy(), dull)
        assert state(game) == start
        play(game, chooser(number))
        assert_all_cards_are_there(game, table.over)


@pytest.mark.parametrize("name", tables())
def test_memory_is_never_at_odds_with_the_game(name: str) -> None:
    """What another seat is known to hold it holds, and what is guessed has just the hidden cards there are."""
    table, random = tables()[name], Random(2)
    for view, memory, game in watched(table):
        family = family_of(game).name
        guessed = determinise(view, memory, random)
        for attribute in {"dollar_cards", "left", "declined", "progress", "run_outs"} & set(_attributes(game)):
            assert _kinds(guessed, attribute) == _kinds(game, attribute)
        if family in {"bohnanza", "two", "duel"}:
            for seat in set(range(table.seats)) - {view.seat}:
                held = Multiset(_kinds(game, "hands")[seat])
                assert not Multiset(memory.known(seat)) - held


def assert_all_cards_are_there(game: Game, real: Game) -> None:
    """Each card of the last pile is in one place."""
    family = family_of(real).name
    pile = part(game, PILES[family][-1])
    found = [*left_in(pile), *pile.discards, *_flat([part(game, name) for name in CARDS[family]])]
    assert len(set(found)) == len(found)
    sold = sum(len(fields) - 2 for fields in part(game, "fields")) * 3 if family == "two" else 0
    assert len(found) == len(part(pile, "in_pile")) - sold


def _flat(cards: Any) -> list[int]:
    return [card for each in cards for card in _flat(each)] if isinstance(cards, (list, tuple)) else [cards]


def _attributes(game: Game) -> list[str]:
    return [name.removeprefix("_") for name in state(game)]


def _kinds(game: Game, attribute: str) -> Any:
    """Return an attribute with the kinds of its cards."""
    value = part(game, attribute)
    if attribute in {"hands", "dollar_cards"} and hasattr(game, "_deck"):
        return [[part(game, "deck").kinds[card] for card in cards] for cards in value]
    return value


def test_a_seat_that_is_not_asked_gets_no_game() -> None:
    game = new_game("bohnanza", seats=3, seed=b"seed")
    view: View = game.view(1)
    with pytest.raises(SetupError, match="seat 1 is not asked"):
        determinise(view, Memory(), Random(1))


def test_what_is_drawn_later_is_not_what_the_game_draws() -> None:
    game = new_game("bohnanza", seats=3, seed=b"seed")
    guesses = [determinise(game.view(0), Memory(), Random(number)) for number in range(10)]
    for each in (game, *guesses):
        play(each, dull)
    assert len({tuple(each.events[-20:]) for each in (game, *guesses)}) == 11


def test_what_was_never_seen_is_guessed_from_the_view() -> None:
    """A memory that has missed views, an offer among them, is of no use, and does no harm."""
    table, random = tables()["bohnanza-3"], Random(3)
    memory, missed = Memory(), 0
    for number, (game, move) in enumerate(table.replayed()):
        view = game.view(move.seat)
        if move.seat == 0 and number % 40 < 20:
            memory.see(view)
        elif move.seat == 0:
            missed += 1
            assert determinise(view, memory, random).view(0) == view
    assert missed
