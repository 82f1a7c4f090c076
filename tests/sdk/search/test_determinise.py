"""Determinised games look to the seat as the game does, keep all cards, and can be played on."""

from __future__ import annotations

from collections import Counter as Multiset
from collections.abc import Iterable, Iterator
from functools import cache
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


def watched(table: Table) -> Iterator[tuple[Any, Memory, Game]]:
    """Yield about `LOOKS` moments of a game, and the first of each decision: view as sent, its memory, the game."""
    memories = [Memory() for _ in range(table.seats)]
    moments = table.moments()
    for number, (game, move) in enumerate(table.replayed()):
        view = game.view(move.seat)
        if number in moments:
            view = sent(view, table)
        memories[move.seat].see(view)
        if number in moments:
            yield view, memories[move.seat], game


@cache
def guessed(name: str) -> list[Game]:
    """Return the games that are guessed at the moments of a table; all claims are of these, as playing takes long."""
    random, games = Random(1), []
    for view, memory, game in watched(tables()[name]):
        assert_memory_is_true(memory, view, game)
        assert_it_looks_the_same(determinise(view, Memory(), random), view, game)
        guess = determinise(view, memory, random)
        assert_it_looks_the_same(guess, view, game)
        assert_what_is_counted_is_the_same(guess, game)
        games.append(guess)
    return games


@pytest.mark.parametrize("name", tables())
def test_a_determinised_game_is_one_that_could_be(name: str) -> None:
    """It looks to the seat as the game does; what its memory knows is so; all cards are there."""
    assert guessed(name)


@pytest.mark.parametrize("name", tables())
def test_a_determinised_game_is_played_to_its_end(name: str) -> None:
    """Of the many tables of the trading games, each plays another moment; the others play three each."""
    games, number = guessed(name), list(tables()).index(name)
    if family_of(games[0]).name == "bohnanza":
        played_to_the_end(name, [number % len(games)])
    else:
        played_to_the_end(name, range(0, len(games), len(games) // 3))


@pytest.mark.slow
@pytest.mark.parametrize("name", tables())
def test_all_determinised_games_are_played_to_their_ends(name: str) -> None:
    played_to_the_end(name, range(len(guessed(name))))


def played_to_the_end(name: str, numbers: Iterable[int]) -> None:
    """Play games that were guessed at a table: by default, and by chance."""
    over = tables()[name].over
    for number in numbers:
        game = guessed(name)[number].copy()
        assert set(state(game)) == set(state(over)), "nothing is left out"
        start = state(game)
        play(game.copy(), dull)
        assert state(game) == start
        play(game, chooser(number))
        assert_all_cards_are_there(game, over)


def assert_it_looks_the_same(guess: Game, view: Any, game: Game) -> None:
    """For the seat that sees `view`."""
    seen: Any = guess.view(view.seat)
    assert seen == view
    assert (seen.legal(), seen.default()) == (view.legal(), view.default())
    assert view.seat in guess.to_act()
    assert set(game.to_act()) <= set(guess.to_act()), "who answers at the same moment is asked, too"
    assert_all_cards_are_there(guess, game)


def assert_memory_is_true(memory: Memory, view: Any, game: Game) -> None:
    """What another seat is known to hold it holds."""
    if family_of(game).name in {"bohnanza", "two", "duel"}:
        for seat in set(range(game.seats)) - {view.seat}:
            held = Multiset(_kinds(game, "hands")[seat])
            assert not Multiset(memory.known(seat)) - held


def assert_what_is_counted_is_the_same(guess: Game, game: Game) -> None:
    """What is guessed from memory has just the hidden cards there are."""
    for attribute in {"dollar_cards", "left", "declined", "progress", "run_outs"} & set(_attributes(game)):
        assert _kinds(guess, attribute) == _kinds(game, attribute)


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
