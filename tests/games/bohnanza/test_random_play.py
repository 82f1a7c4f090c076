"""What holds in every game, whoever plays and however it goes."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games import Action, Event, IllegalActionError
from beanleague.games.bohnanza import Accept, BohnanzaView, Decision, Decline, Pick, PlantAside, Refuse, Stop
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import BuyField, Harvest, Pass, Plant
from tests.games.bohnanza.bookkeeper import Bookkeeper
from tests.games.bohnanza.helpers import Player, bohnanza, chooser, default_is_legal, dull, play, state
from tests.games.bohnanza.tables import SIZES


@st.composite
def new_games(draw: st.DrawFn) -> Bohnanza:
    """A new game of any ruleset and table size, with any seats asking for interludes, mostly with short trading."""
    ruleset, seats = draw(st.sampled_from(SIZES))
    interludes = draw(st.sets(st.integers(0, seats - 1)))
    return bohnanza(
        seats,
        draw(st.binary(min_size=1, max_size=64)),
        ruleset,
        max_rounds=draw(st.sampled_from([0, 1, 2, 3, 12])),
        interludes=tuple(sorted(interludes)),
    )


@st.composite
def players(draw: st.DrawFn) -> Player:
    """Seats that play by default, and seats that choose freely, in any mixture."""
    free = chooser(draw(st.integers()))
    dull_seats = draw(st.sets(st.integers(0, 6)))
    return lambda view: dull(view) if view.seat in dull_seats else free(view)


def choices(view: BohnanzaView) -> list[Action]:
    """Actions other than offers, calls and counters that could be thought of, legal or not.

    Cards are given from the front of the hand, up to three.
    """
    fields, hand = range(-1, len(view.own_fields) + 1), range(min(len(view.hand), 7))
    gifts = [gift for count in range(4) for gift in combinations(hand, count)]
    return [
        *map(Plant, fields),
        *map(Harvest, fields),
        *(PlantAside(card, field) for card in range(-1, len(view.own_aside) + 1) for field in fields),
        *map(Accept, gifts),
        *(Pick(seat, gift) for seat in range(-1, 8) for gift in gifts),
        BuyField(),
        Pass(),
        Stop(),
        Decline(),
        Refuse(),
    ]


@given(game=new_games(), choose=players())
@settings(max_examples=40)
def test_the_events_tell_a_game_by_the_rules(game: Bohnanza, choose: Player) -> None:
    """A bookkeeper that sees the events alone follows the game to its end, with no card lost and no rule broken."""
    rounds = game.options["max_rounds"]
    assert isinstance(rounds, int)
    play(game, choose)
    Bookkeeper(game.seats, rounds, game.ruleset).follow(game.events)


@given(game=new_games(), choose=players(), every=st.integers(20, 80))
@settings(max_examples=15)
def test_legal_actions_are_accepted_and_all_others_refused(game: Bohnanza, choose: Player, every: int) -> None:
    """Offers and counters apart, of which `legal` lists some: those are accepted. The default is always legal."""
    asked = 0

    def look(view: BohnanzaView) -> None:
        nonlocal asked
        asked += 1
        legal = view.legal()
        assert view.default() in legal
        if asked % every == 0:
            assert len(set(legal)) == len(legal)
            for action in legal:
                game.copy().apply(view.seat, action)
            before = state(game)
            for action in set(choices(view)) - set(legal):
                with pytest.raises(IllegalActionError):
                    game.apply(view.seat, action)
            assert state(game) == before

    play(game, choose, look)


@given(game=new_games(), choose=players(), at=st.integers(1, 200))
@settings(max_examples=15)
def test_a_copy_goes_on_alike_and_on_its_own(game: Bohnanza, choose: Player, at: int) -> None:
    """What is done to a copy does not show in the game, nor the other way round."""
    for _ in range(at):
        if game.over:
            return
        for view in [game.view(seat) for seat in game.to_act()]:
            game.apply(view.seat, choose(view))
    if game.over:
        return
    copy, before = game.copy(), state(game)
    assert state(copy) == before
    play(copy, chooser("copy"))
    assert state(game) == before
    after = state(copy)
    play(game, chooser("copy"))
    assert state(game) == state(copy) == after


@given(game=new_games(), luck=st.integers())
@settings(max_examples=10)
def test_the_same_seed_and_the_same_moves_give_the_same_events(game: Bohnanza, luck: int) -> None:
    again = bohnanza(game.seats, game.seed, game.ruleset, **game.options)
    assert play(game, chooser(luck)) == play(again, chooser(luck))
    assert game.events == again.events
    assert game.outcome == again.outcome


@given(game=new_games(), choose=players())
@settings(max_examples=15)
def test_the_news_of_a_seat_are_all_events_as_it_may_see_them(game: Bohnanza, choose: Player) -> None:
    """Put together over all it was asked, with nothing missing or told twice."""
    heard: list[list[Event]] = [[] for _ in range(game.seats)]
    play(game, choose, lambda view: heard[view.seat].extend(view.news))
    for seat in range(game.seats):
        heard[seat] += game.view(seat).news
        assert heard[seat] == [event.seen_by(seat) for event in game.events]


@given(game=new_games(), choose=players())
@settings(max_examples=15)
def test_legal_and_default_of_the_game_are_those_of_the_view(game: Bohnanza, choose: Player) -> None:
    """And seats that are not asked may do nothing."""

    def look(view: BohnanzaView) -> None:
        seat = view.seat
        if len(game.events) % 11 == 0:
            assert game.legal(seat) == view.legal()
            assert game.default(seat) == view.default()
            waiting = (seat + 1) % game.seats
            if waiting not in game.to_act():
                assert game.legal(waiting) == ()
                assert game.view(waiting).decision is Decision.WAIT

    play(game, choose, look)


@pytest.mark.parametrize(("ruleset", "seats"), SIZES)
def test_random_games_end_with_all_cards_accounted_for(ruleset: str, seats: int, games: int) -> None:
    """And with no default that is illegal, in every eleventh game: these come to all rounds with all interludes."""
    for number in range(games):
        rounds = 12 if number % 13 == 3 else (number + number // 4) % 4
        game = bohnanza(seats, b"%d" % number, ruleset, max_rounds=rounds, interludes=tuple(range(number % seats)))
        play(game, chooser(number), None if number % 11 else default_is_legal)
        Bookkeeper(seats, rounds, ruleset).follow(game.events)
