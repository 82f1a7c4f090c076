"""What holds in every duel, whoever plays and however it goes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games.core.actions import Harvest, Pass, Plant
from beanleague.games.core.chance import order
from beanleague.games.core.errors import IllegalActionError
from beanleague.games.core.events import Dealt, Drew
from beanleague.games.core.game import Action
from beanleague.games.duel.actions import (
    AcceptGift,
    DeclineGift,
    DiscardBohnus,
    DiscardTurned,
    Fulfil,
    Give,
    OfferGift,
    PlantGift,
    PlantTurned,
)
from beanleague.games.duel.events import BohnusDrawn, FirstDollars
from beanleague.games.duel.game import Duel
from beanleague.games.duel.view import DuelView
from tests.games.bohnanza.helpers import default_is_legal, state
from tests.games.duel.bookkeeper import KINDS, Bookkeeper
from tests.games.duel.helpers import deck

Player: TypeAlias = Callable[[DuelView], Action]

EASY = deck(*[("1", 10), ("2", 40), ("1-1", 70), ("1-1-1", 100)] * 3)
"""A deck that is fulfilled, discarded and shuffled more often than ours."""


@st.composite
def new_duels(draw: st.DrawFn) -> Duel:
    """A new duel with any seats asking for interludes, half of them with the easy deck."""
    return Duel(
        2,
        draw(st.binary(min_size=1, max_size=64)),
        {"interludes": draw(st.sampled_from([(), (0,), (1,), (0, 1)])), **draw(st.sampled_from([{}, {"deck": EASY}]))},
    )


@st.composite
def players(draw: st.DrawFn) -> Player:
    """Seats that play by default, and seats that choose freely but rarely harvest, in any mixture."""
    random, rash = Random(draw(st.integers())), draw(st.booleans())
    dull_seats = draw(st.sets(st.integers(0, 1), max_size=1))

    def choose(view: DuelView) -> Action:
        if view.seat in dull_seats:
            return view.default()
        legal = view.legal()
        patient = [action for action in legal if not isinstance(action, Harvest)]
        return random.choice(legal if rash or not patient else patient)

    return choose


def play(game: Duel, choose: Player, look: Callable[[DuelView], None] | None = None) -> Duel:
    """Play `game` to its end; `look` is shown every view before its seat answers."""
    while not game.over:
        view = game.view(game.to_act()[0])
        if look:
            look(view)
        game.apply(view.seat, choose(view))
    return game


def choices() -> list[Action]:
    """All actions that could be thought of, legal or not."""
    fields, cards = range(-1, 4), range(-1, 33)
    return [
        *map(Plant, fields),
        *map(Harvest, fields),
        *(Fulfil(card, owner, field) for card in cards for owner in (0, 1) for field in range(3)),
        *map(OfferGift, [*KINDS, "cocoa"]),
        *(Give(source, position) for source in ("hand", "turned", "field") for position in range(-1, 30)),
        *(PlantTurned(card, field) for card in range(-1, 4) for field in fields),
        *map(DiscardTurned, range(-1, 4)),
        *map(PlantGift, fields),
        *map(DiscardBohnus, cards),
        AcceptGift(),
        DeclineGift(),
        Pass(),
    ]


@given(game=new_duels(), choose=players())
@settings(max_examples=80)
def test_the_events_tell_a_duel_by_the_rules(game: Duel, choose: Player) -> None:
    """A bookkeeper that knows the seed and sees the events follows it to the end; no card is lost, none unforetold."""
    play(game, choose)
    Bookkeeper(game.seed, str(game.options.get("deck", ""))).follow(game.events)


@given(game=new_duels(), choose=players())
@settings(max_examples=40)
def test_every_duel_ends_in_the_18th_turn(game: Duel, choose: Player) -> None:
    """88 cards are left after the deal, and five leave the pile every turn, whatever is played."""
    play(game, choose)
    assert game.view(0).turn == 18
    assert game.view(0).active == 1


@given(game=new_duels(), choose=players(), every=st.integers(5, 23))
@settings(max_examples=20)
def test_legal_is_all_that_is_accepted(game: Duel, choose: Player, every: int) -> None:
    """Also what may be done at any time; the default is among it; a refused action changes nothing."""
    asked = 0

    def look(view: DuelView) -> None:
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
            with pytest.raises(IllegalActionError):
                game.apply(1 - view.seat, Pass())
            assert state(game) == before

    play(game, choose, look)


def rearranged(game: Duel, seat: int, luck: int) -> Duel:
    """A copy of `game` in which all that is hidden from `seat` is otherwise.

    The other's hand, its bo(h)nus cards, the first dollars and both piles are mixed up, other draw orders hold, and
    the other was dealt and drew something else.
    """
    random = Random(luck)  # only picks another arrangement; nothing depends on which
    other, opponent = game.copy(), 1 - seat
    beans = [card for card in range(other.rules.cards) if other._pile._in_pile[card]]
    kinds = [other.rules.deck[card] for card in beans] + other._hands[opponent]
    random.shuffle(kinds)
    other._hands[opponent] = [kinds.pop() for _ in other._hands[opponent]]
    cards = [card for card in range(len(other.rules.bohnus)) if other._bohnus_pile._in_pile[card]]
    cards += other._bohnus[opponent]
    random.shuffle(cards)
    other._bohnus[opponent] = [cards.pop() for _ in other._bohnus[opponent]]
    other._bohnus_pile._in_pile = bytearray(int(card in cards) for card in range(len(other.rules.bohnus)))
    for pile in (other._pile, other._bohnus_pile):
        pile._orders = [order(b"another", f"{owner}", len(pile._in_pile)) for owner in (0, 1)]
        pile._seed = other.seed = b"another"
    for index, event in enumerate(other._events):
        if isinstance(event, FirstDollars):
            other._events[index] = FirstDollars(event.seat, event.count, ("blue",) * event.count)
        elif isinstance(event, (Dealt, Drew)) and event.seat != seat:
            other._events[index] = type(event)(event.seat, event.count, ("garden",) * event.count)
        elif isinstance(event, BohnusDrawn) and event.seat != seat:
            other._events[index] = BohnusDrawn(event.seat, event.count, (0,) * event.count)
    return other


@given(game=new_duels(), choose=players(), luck=st.integers(), every=st.integers(2, 9))
@settings(max_examples=30)
def test_no_view_changes_when_what_is_hidden_from_it_changes(game: Duel, choose: Player, luck: int, every: int) -> None:
    """Nor what it says is legal, nor its default; at any moment, asked or not.

    The other's hand is mixed up after offers too: so nothing tells whether an offer that was declined was a bluff.
    """
    asked = 0

    def look(_: DuelView) -> None:
        nonlocal asked
        asked += 1
        if asked % every == 0:
            for seat in (0, 1):
                view, other = game.view(seat), rearranged(game, seat, luck + asked).view(seat)
                assert other == view
                assert repr(other) == repr(view)
                assert (other.legal(), other.default()) == (view.legal(), view.default())

    play(game, choose, look)


def test_views_change_when_what_the_seat_knows_changes() -> None:
    """So that the test above would see a leak."""
    game = Duel(2, b"seed", {})
    other = rearranged(game, 0, 1)
    assert other.view(0) == game.view(0)
    assert other.view(1).hand != game.view(1).hand
    assert other.view(1).bohnus != game.view(1).bohnus


@given(game=new_duels(), choose=players())
@settings(max_examples=20)
def test_a_declined_bluff_looks_the_same_as_a_declined_gift(game: Duel, choose: Player) -> None:
    """The same offer by a player with another hand: the other sees the same, then and ever after.

    Whenever an offer is answered, the offerer's hand is exchanged for one with, or one without, a bean of the kind.
    """

    def look(view: DuelView) -> None:
        if not isinstance(view.legal()[0], AcceptGift):
            return
        offerer = 1 - view.seat
        honest, bluff = game.copy(), game.copy()
        others = [kind for kind in KINDS if kind != view.offer]
        if honest._hands[offerer]:
            honest._hands[offerer][0] = str(view.offer)
            bluff._hands[offerer] = [others[i % 7] for i in range(len(bluff._hands[offerer]))]
            for each in (honest, bluff):
                each.apply(view.seat, DeclineGift())
            assert honest.view(view.seat) == bluff.view(view.seat)

    play(game, choose, look)


def test_ten_games_of_each_seed_meet_the_same_cards_as_long_as_nobody_takes_them() -> None:
    """A seat's first draws do not depend on what is played."""
    first = {
        tuple(event.cards for event in play(Duel(2, b"same", {}), _random(luck)).events if isinstance(event, Dealt))
        for luck in range(10)
    }
    assert len(first) == 1


def _random(luck: int) -> Player:
    random = Random(luck)
    return lambda view: random.choice(view.legal())


def test_random_duels_end_with_all_cards_accounted_for(games: int) -> None:
    """And with no default that is illegal."""
    for number in range(games):
        deck_option = {"deck": EASY} if number % 3 == 0 else {}
        game = Duel(2, b"%d" % number, {"interludes": ((), (0, 1))[number % 2], **deck_option})
        play(game, _random(number), default_is_legal)
        Bookkeeper(game.seed, str(game.options.get("deck", ""))).follow(game.events)
