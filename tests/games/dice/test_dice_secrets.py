"""A view holds nothing that its seat may not know: the order of the deck and the cards drawn as dollars are hidden."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games.core.chance import order
from beanleague.games.dice.events import DeckRenewed, DollarsDrawn
from beanleague.games.dice.table import DiceTable
from beanleague.games.dice.view import DiceView
from tests.games.dice.helpers import chooser, deck_text, new, of_type, play
from tests.games.dice.test_dice_play import new_games


def rearranged(game: DiceTable, luck: int) -> DiceTable:
    """A copy of `game` in which all that is hidden is otherwise: deck, draw orders, cards that are dollars."""
    random = Random(luck)  # only picks another arrangement; nothing depends on which
    other = game.copy()
    assert isinstance(other, DiceTable)
    cards = range(len(other.rules.cards))
    hidden = [card for card in cards if not any(card in own for own in other._cards)]
    random.shuffle(hidden)
    other._singles = [[hidden.pop() for _ in own] for own in other._singles]
    other._pile._in_pile = bytearray(int(card in hidden) for card in cards)
    other._pile._orders = [order(b"another", f"draw/{i}", len(cards)) for i in range(len(other._pile._orders))]
    other._pile._seed = other.seed = b"another"
    for index, event in enumerate(other._events):
        if isinstance(event, DollarsDrawn):
            other._events[index] = DollarsDrawn(event.seat, event.count, (0,) * event.count)
        if isinstance(event, DeckRenewed):
            other._events[index] = DeckRenewed(event.seat, event.number, (0,) * 5)
    return other


@given(game=new_games(), luck=st.integers(), every=st.integers(5, 25))
@settings(max_examples=20)
def test_no_view_changes_when_what_is_hidden_changes(game: DiceTable, luck: int, every: int) -> None:
    """Nor what it says is legal, nor its default; at any moment and for every seat, asked or not."""
    asked = 0

    def look(_: DiceView) -> None:
        nonlocal asked
        asked += 1
        if asked % every == 0:
            other = rearranged(game, luck + asked)
            for seat in range(game.seats):
                view, same = game.view(seat), other.view(seat)
                assert same == view
                assert repr(same) == repr(view)
                assert (same.legal(), same.default()) == (view.legal(), view.default())

    play(game, chooser(luck), look)


def test_the_cards_of_drawn_dollars_and_of_a_new_deck_are_told_to_nobody() -> None:
    game = new("dice", 5, b"empty", {"deck": deck_text(["blue; green; soy; red; stink"] * 30)})
    play(game, chooser(0))
    hidden = of_type(game.events, DollarsDrawn, DeckRenewed)
    assert {type(event) for event in hidden} == {DollarsDrawn, DeckRenewed}
    for event in hidden:
        assert event.cards
        assert all(event.seen_by(seat).cards == () for seat in range(5))


def plain(value: object) -> bool:
    """Whether `value` is made of numbers, texts, tuples and frozen dataclasses, and so refers to no game."""
    if value is None or type(value) in {int, str, bool} or isinstance(value, Enum):
        return True
    if type(value) is tuple:
        return all(map(plain, value))
    return is_dataclass(value) and all(plain(getattr(value, field.name)) for field in fields(value))


def test_views_and_actions_are_plain_values() -> None:
    """They can be compared, and hold no way back into the game."""
    for ruleset, seats in (("dice", 3), ("bean-thief-hard", 1)):
        seen = 0

        def look(view: DiceView) -> None:
            nonlocal seen
            seen += 1
            if seen % 15 == 0:
                assert plain(view)
                assert all(map(plain, view.legal()))

        play(new(ruleset, seats), chooser(1), look)
        assert seen > 15
