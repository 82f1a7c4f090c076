"""Determinised games look to the seat as the game does, keep all cards, and are as likely as exact counting says."""

from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import permutations
from random import Random
from typing import Any, TypeAlias

import pytest

from beanbot.search import Memory, determinise
from beanbot.search.hidden_cards import HiddenCards
from beanleague.games import Game, SetupError, View, new_game
from beanleague.games.core import Pass, Plant
from beanleague.games.dice import CardHarvested, DollarsDrawn
from tests.games.families import family_of
from tests.games.helpers import chooser, do, dull, left_in, of_type, part, play, state
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
    with pytest.raises(SetupError, match="seat 1 has no decision to make in this view"):
        determinise(view, Memory(), Random(1))


def test_later_draws_differ_from_those_of_the_game() -> None:
    game = new_game("bohnanza", seats=3, seed=b"seed")
    guesses = [determinise(game.view(0), Memory(), Random(number)) for number in range(10)]
    for each in (game, *guesses):
        play(each, dull)
    assert len({tuple(each.events[-20:]) for each in (game, *guesses)}) == 11


def test_a_memory_that_missed_views_guesses_from_the_view() -> None:
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


SAMPLES = 3000
Deal: TypeAlias = tuple[Any, ...]
"""The cards of place 0, then those of place 1."""


def fresh() -> HiddenCards[str]:
    hidden = HiddenCards(Multiset("aabbc"))
    hidden.draws(0, 2)
    hidden.draws(1, 1)
    return hidden


def seen() -> HiddenCards[str]:
    hidden = fresh()
    hidden.turns_up("b")
    return hidden


def shown() -> HiddenCards[str]:
    hidden = fresh()
    hidden.shows(0, "a")
    return hidden


def shown_before_it_drew() -> HiddenCards[str]:
    hidden = HiddenCards(Multiset("aabbc"))
    hidden.draws(0, 1)
    hidden.shows(0, "a")
    hidden.draws(0, 1)
    hidden.draws(1, 1)
    return hidden


def bluffed() -> HiddenCards[str]:
    hidden = fresh()
    hidden.lacks(0, "a")
    return hidden


def planted() -> HiddenCards[str]:
    hidden = HiddenCards(Multiset("aabbc"))
    hidden.draws(0, 3)
    hidden.draws(1, 1)
    hidden.leaves(0, "b", first=True)
    return hidden


def shuffled() -> HiddenCards[str]:
    hidden = HiddenCards(Multiset("abcd"))
    hidden.turns_up("cd")
    hidden.draws(0, 1)
    hidden.draws(1, 1)
    hidden.shuffled("dd")
    hidden.draws(0, 1)
    return hidden


def every(cards: str) -> list[Deal]:
    """Return each deal of three of `cards`, as often as cards can be laid so."""
    return [deal[:3] for deal in permutations(cards)]


CASES: list[tuple[Callable[[], HiddenCards[str]], Iterable[Deal]]] = [
    (fresh, every("aabbc")),
    (seen, every("aabc")),
    # Whoever shows a card has chosen one of those it holds: two of a kind can be shown in two ways.
    (shown, [deal for deal in every("aabbc") for card in deal[:2] if card == "a"]),
    (shown_before_it_drew, [deal for deal in every("aabbc") if deal[0] == "a"]),
    (bluffed, [deal for deal in every("aabbc") if "a" not in deal[:2]]),
    (planted, every("aabc")),
    (shuffled, [("a", "d", "b"), ("b", "d", "a")]),
]


def chi_squared(found: Multiset[Deal], expected: Multiset[Deal]) -> float:
    """Return the sum over all deals of the squared difference to what is expected, as a part of what is expected."""
    assert found.keys() <= expected.keys(), "no deal is impossible"
    scale = found.total() / expected.total()
    return sum((found[deal] - count * scale) ** 2 / (count * scale) for deal, count in expected.items())


def most(outcomes: int) -> float:
    """Return what chi-squared exceeds by chance less than once in 10,000 times, about."""
    free = outcomes - 1
    return float(free * (1 - 2 / (9 * free) + 3.8 * (2 / (9 * free)) ** 0.5) ** 3)


@pytest.mark.parametrize(("case", "deals"), CASES, ids=[case.__name__ for case, _ in CASES])
def test_cards_are_dealt_as_often_as_counting_says(case: Callable[[], HiddenCards[str]], deals: Iterable[Deal]) -> None:
    hidden, random, expected = case(), Random(1), Multiset[Deal](deals)
    dealt = [hidden.deal(random) for _ in range(SAMPLES)]
    found = Multiset[Deal]((*deal[0], *deal[1]) for deal in dealt)
    assert chi_squared(found, expected) < most(len(expected))


def test_a_card_that_must_have_come_from_elsewhere_is_no_contradiction() -> None:
    """A hand gives an "a", which could be of either pile; then it shows that it was the other one."""
    hidden = HiddenCards(Multiset("aab"))
    hidden.turns_up("b")
    hidden.draws(0, 2)
    hidden.shuffled("ab")
    hidden.draws(0, 1)
    hidden.leaves(0, "a")
    hidden.leaves(0, "a")
    hidden.leaves(0, "a")
    assert hidden.deal(Random(1)) == {0: []}
    assert hidden.fit(Multiset("b"), {0: 0})


def test_a_shown_card_stays_known_however_often_it_must_have_lain_elsewhere() -> None:
    """The first card that leaves is never the one shown, though it was drawn first as far as is known."""
    hidden = HiddenCards(Multiset("abbbbbbbb"))
    hidden.draws(0, 1)
    hidden.shows(0, "a")
    for _ in range(3):
        hidden.draws(0, 1)
        hidden.leaves(0, "b", first=True)
        assert hidden.deal(Random(1)) == {0: ["a"]}


def test_every_hidden_card_of_a_game_is_as_likely_in_every_place() -> None:
    game = new_game("bohnanza", seats=3, seed=b"seed")
    view: Any = game.view(0)
    memory, random = Memory(), Random(1)
    memory.see(view)
    kinds = part(game, "deck").kinds
    hidden = Multiset[Deal]((kind,) for kind in kinds)
    hidden.subtract((kind,) for kind in view.hand)
    guesses = [determinise(view, memory, random) for _ in range(800)]
    for seat, place in ((1, 0), (2, 4)):
        found = Multiset[Deal]((kinds[part(guess, "hands")[seat][place]],) for guess in guesses)
        assert chi_squared(found, hidden) < most(len(hidden))
    drawn = Multiset[Deal]()
    for guess in guesses:
        do(guess, (0, Plant(0)), (0, Pass()))
        drawn[kinds[part(guess, "turned")[0]],] += 1
    assert chi_squared(drawn, hidden) < most(len(hidden)), "so are the cards drawn next"


@pytest.mark.parametrize("ruleset", ["bohnanza-two", "duel"])
def test_every_hidden_card_of_a_game_for_two_is_as_likely_in_every_place(ruleset: str) -> None:
    game: Any = new_game(ruleset, seats=2, seed=b"seed")
    view = game.view(0)
    memory, random = Memory(), Random(1)
    memory.see(view)
    hidden = Multiset[Deal]({(kind.name,): kind.cards for kind in game.rules.kinds})
    hidden.subtract((kind,) for kind in view.hand)
    views: list[Any] = [determinise(view, memory, random).view(1) for _ in range(800)]
    for place in (0, 3):
        found = Multiset[Deal]((other.hand[place],) for other in views)
        assert chi_squared(found, hidden) < most(len(hidden))


def test_the_opponent_s_bohnus_cards_are_any_of_the_rest_alike() -> None:
    game: Any = new_game("duel", seats=2, seed=b"seed")
    view = game.view(0)
    memory, random = Memory(), Random(1)
    memory.see(view)
    rest = Multiset[Deal]((card,) for card in range(len(game.rules.bohnus)) if card not in view.bohnus)
    guesses = [part(determinise(view, memory, random), "bohnus")[1] for _ in range(800)]
    for place in range(view.bohnus_sizes[1]):
        found = Multiset[Deal]((guess[place],) for guess in guesses)
        assert chi_squared(found, rest) < most(len(rest))


def test_every_hidden_card_of_a_dice_game_is_as_likely_a_dollar() -> None:
    game, choose = new_game("dice", seats=2, seed=b"seed"), chooser("dice")
    memory, random = Memory(), Random(1)
    while not of_type(game.events, DollarsDrawn) or game.to_act() != (0,):
        (seat,) = game.to_act()
        view: Any = game.view(seat)
        if seat == 0:
            memory.see(view)
        game.apply(seat, choose(view))
    view = game.view(0)
    memory.see(view)
    holder = of_type(game.events, DollarsDrawn)[0].seat
    real = part(game, "singles")[holder]
    place = real.index(of_type(game.events, DollarsDrawn)[0].cards[0])
    harvested = {(event.card,) for event in of_type(game.events, CardHarvested)}
    hidden = {(card,) for card in range(55)} - harvested - {(card,) for card in (*view.tops, *view.bottoms)}
    guesses = [part(determinise(view, memory, random), "singles")[holder] for _ in range(SAMPLES)]
    assert {guess[place - 1] for guess in guesses} == {real[place - 1]}, "a card that was harvested is known"
    found = Multiset[Deal]((guess[place],) for guess in guesses)
    assert chi_squared(found, Multiset[Deal](hidden)) < most(len(hidden))
