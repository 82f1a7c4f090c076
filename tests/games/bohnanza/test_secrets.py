"""A view holds nothing that its seat may not know."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games.bohnanza import BohnanzaView, Call, Counter, Decision
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Dealt, Drew
from beanleague.games.core.chance import order
from tests.games.bohnanza.helpers import chooser, do, play, scripted
from tests.games.bohnanza.test_random_play import new_games


def rearranged(game: Bohnanza, seat: int, luck: int) -> Bohnanza:
    """A copy of `game` in which all that is hidden from `seat` is otherwise.

    The cards in other hands and in the pile change places, other draw orders hold, what others were dealt and drew was
    something else, and answers that are not revealed yet are forgotten.
    """
    random = Random(luck)  # only picks another arrangement; nothing depends on which
    other = game.copy()
    in_pile = [card for card in range(other.rules.cards) if other._pile._in_pile[card]]
    hidden = in_pile + [card for owner, hand in enumerate(other._hands) if owner != seat for card in hand]
    random.shuffle(hidden)
    for owner, hand in enumerate(other._hands):
        if owner != seat:
            other._hands[owner] = [hidden.pop() for _ in hand]
    other._pile._in_pile = bytearray(int(card in hidden) for card in range(other.rules.cards))
    other._pile._orders = [order(b"another", f"draw/{owner}", other.rules.cards) for owner in range(other.seats)]
    other._pile._seed = other.seed = b"another"
    for index, event in enumerate(other._events):
        if isinstance(event, (Dealt, Drew)) and event.seat != seat:
            other._events[index] = type(event)(event.seat, event.count, ("garden",) * event.count)
    if other._decision is Decision.ANSWER:
        other._answers = []
    return other


@given(game=new_games(), luck=st.integers(), every=st.integers(30, 90))
@settings(max_examples=15)
def test_no_view_changes_when_what_is_hidden_from_it_changes(game: Bohnanza, luck: int, every: int) -> None:
    """Nor what it says is legal, nor its default; at any moment and for every seat, asked or not."""
    asked = 0

    def look(_: BohnanzaView) -> None:
        nonlocal asked
        asked += 1
        if asked % every == 0:
            for seat in range(game.seats):
                view, other = game.view(seat), rearranged(game, seat, luck + asked).view(seat)
                assert other == view
                assert repr(other) == repr(view)
                assert (other.legal(), other.default()) == (view.legal(), view.default())

    play(game, chooser(luck), look)


def test_a_view_changes_when_the_own_hand_changes() -> None:
    """So that the test above would see a leak."""
    game = scripted(hands=["red blue", "soy green", "chili stink"])
    other = rearranged(game, 0, 1)
    assert other.view(0) == game.view(0)
    assert other.view(1) != game.view(1)


def test_answers_given_are_hidden_until_all_are_in() -> None:
    game = do(scripted(hands=["", "blue", "green"]), (0, Call((1, 2))), (1, Counter((0,))))
    assert [rearranged(game, seat, 2).view(seat) for seat in (0, 2)] == [game.view(0), game.view(2)]


def plain(value: object) -> bool:
    """Whether `value` is made of numbers, texts, tuples and frozen dataclasses, and so refers to no game."""
    if value is None or type(value) in {int, str, bool} or isinstance(value, Enum):
        return True
    if type(value) is tuple:
        return all(map(plain, value))
    return is_dataclass(value) and all(plain(getattr(value, field.name)) for field in fields(value))


def test_views_and_actions_are_plain_values() -> None:
    """They can be compared, and hold no way back into the game."""
    seen = 0

    def look(view: BohnanzaView) -> None:
        nonlocal seen
        seen += 1
        if seen % 10 == 0:
            assert plain(view)
            assert all(map(plain, view.legal()))

    play(scripted(hands=["red blue", "soy green", "chili stink"], pile="red " * 5 + "blue " * 12), chooser(1), look)
    assert seen > 10
