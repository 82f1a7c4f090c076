"""What holds in every game for two, whoever plays and however it goes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games import Action, IllegalActionError
from beanleague.games.core import BuyField, Dealt, Drew, Harvest, Pass, Plant
from beanleague.games.core.chance import order
from beanleague.games.two import BohnanzaTwoView, DiscardHand, DiscardOpen, PlantOpen
from beanleague.games.two.game import BohnanzaTwo
from tests.games.bohnanza.helpers import default_is_legal, state
from tests.games.two.bookkeeper import Bookkeeper

Player: TypeAlias = Callable[[BohnanzaTwoView], Action]


def new_games() -> st.SearchStrategy[BohnanzaTwo]:
    return st.builds(lambda seed: BohnanzaTwo(2, seed, {}), st.binary(min_size=1, max_size=64))


@st.composite
def players(draw: st.DrawFn) -> Player:
    """Seats that play by default, and seats that choose freely, some of them rarely harvesting, in any mixture."""
    return player(draw(st.integers()), draw(st.sets(st.integers(0, 1), max_size=1)), rash=draw(st.booleans()))


def player(luck: int, dull_seats: frozenset[int] | set[int] = frozenset(), *, rash: bool) -> Player:
    random = Random(luck)

    def choose(view: BohnanzaTwoView) -> Action:
        if view.seat in dull_seats:
            return view.default()
        legal = view.legal()
        patient = [action for action in legal if not isinstance(action, Harvest)]
        return random.choice(legal if rash or not patient else patient)

    return choose


def play(game: BohnanzaTwo, choose: Player, look: Callable[[BohnanzaTwoView], None] | None = None) -> BohnanzaTwo:
    """Play `game` to its end; `look` is shown every view before its seat answers."""
    while not game.over:
        view = game.view(game.to_act()[0])
        if look:
            look(view)
        game.apply(view.seat, choose(view))
    return game


def choices() -> list[Action]:
    """All actions that could be thought of, legal or not."""
    fields = range(-1, 5)
    return [
        *map(Plant, fields),
        *map(Harvest, fields),
        *(PlantOpen(card, field) for card in range(-1, 40) for field in fields),
        *map(DiscardOpen, range(-1, 40)),
        *map(DiscardHand, range(-1, 60)),
        BuyField(),
        Pass(),
    ]


@given(game=new_games(), choose=players())
@settings(max_examples=60)
def test_the_events_tell_a_game_by_the_rules(game: BohnanzaTwo, choose: Player) -> None:
    """A bookkeeper that knows the seed and sees the events follows it to the end; no card is lost, none unforetold."""
    Bookkeeper(game.seed).follow(play(game, choose).events)


@given(game=new_games(), choose=players(), every=st.integers(5, 23))
@settings(max_examples=20)
def test_legal_is_all_that_is_accepted(game: BohnanzaTwo, choose: Player, every: int) -> None:
    """The default is among it; a refused action changes nothing; and who is not asked may do nothing."""
    asked = 0

    def look(view: BohnanzaTwoView) -> None:
        nonlocal asked
        asked += 1
        legal = view.legal()
        assert view.default() in legal
        if asked % every == 0:
            assert len(set(legal)) == len(legal)
            assert set(legal) <= set(choices())
            for action in legal:
                game.copy().apply(view.seat, action)
            before = state(game)
            for action in set(choices()) - set(legal):
                with pytest.raises(IllegalActionError):
                    game.apply(view.seat, action)
            for action in choices():
                with pytest.raises(IllegalActionError):
                    game.apply(1 - view.seat, action)
            assert state(game) == before

    play(game, choose, look)


def rearranged(game: BohnanzaTwo, seat: int, luck: int) -> BohnanzaTwo:
    """A copy of `game` in which all that is hidden from `seat` is otherwise: the pile and the other hand."""
    random = Random(luck)  # only picks another arrangement; nothing depends on which
    other, opponent = game.copy(), 1 - seat
    hidden = [card for card in range(other.rules.cards) if other._pile._in_pile[card]] + other._hands[opponent]
    random.shuffle(hidden)
    other._hands[opponent] = [hidden.pop() for _ in other._hands[opponent]]
    other._pile._in_pile = bytearray(int(card in hidden) for card in range(other.rules.cards))
    other._pile._orders = [order(b"another", f"{owner}", other.rules.cards) for owner in (0, 1)]
    other._pile._seed = other.seed = b"another"
    for index, event in enumerate(other._events):
        if isinstance(event, (Dealt, Drew)) and event.seat != seat:
            other._events[index] = type(event)(event.seat, event.count, ("red",) * event.count)
    return other


@given(game=new_games(), choose=players(), luck=st.integers(), every=st.integers(2, 9))
@settings(max_examples=20)
def test_no_view_changes_when_what_is_hidden_from_it_changes(
    game: BohnanzaTwo, choose: Player, luck: int, every: int
) -> None:
    """Nor what it says is legal, nor its default; at any moment, asked or not."""
    asked = 0

    def look(_: BohnanzaTwoView) -> None:
        nonlocal asked
        asked += 1
        if asked % every == 0:
            for seat in (0, 1):
                view, other = game.view(seat), rearranged(game, seat, luck + asked).view(seat)
                assert other == view
                assert (other.legal(), other.default()) == (view.legal(), view.default())

    play(game, choose, look)


def test_random_games_end_with_all_cards_accounted_for(games: int) -> None:
    """And with no default that is illegal."""
    for number in range(games):
        game = BohnanzaTwo(2, b"%d" % number, {})
        play(game, player(number, rash=number % 2 == 0), default_is_legal)
        Bookkeeper(game.seed).follow(game.events)
