"""What the games for two have in common with all games."""

from __future__ import annotations

from random import Random

import pytest

from beanleague.games import Event, Game, PlayedMove, Record, new_game, record_from_json, record_to_json, verify
from tests.games.bohnanza.helpers import state

GAMES = ("bohnanza-two", "duel")
LUCK = range(4)


def play(game: Game, luck: int, heard: list[list[Event]] | None = None) -> list[PlayedMove]:
    """Play at random to the end; return the moves. `heard[seat]`: takes the news of every view."""
    random, moves = Random(luck), []
    while not game.over:
        (seat,) = game.to_act()
        view = game.view(seat)
        if heard is not None:
            heard[seat].extend(view.news)
        assert game.legal(seat) == view.legal()
        assert game.default(seat) == view.default()
        assert game.legal(1 - seat) == ()
        action = random.choice(view.legal())
        game.apply(seat, action)
        moves.append(PlayedMove(seat, action, by_default=False))
    assert game.to_act() == ()
    return moves


def started(name: str, luck: int) -> Game:
    options = {"interludes": (0, 1)} if name == "duel" and luck % 2 else {}
    return new_game(name, seats=2, seed=b"%d" % luck, options=options)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("luck", LUCK)
def test_the_same_seed_and_the_same_moves_give_the_same_events(name: str, luck: int) -> None:
    game, again = started(name, luck), started(name, luck)
    assert play(game, luck) == play(again, luck)
    assert game.events == again.events
    assert game.outcome == again.outcome


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("luck", LUCK)
def test_the_news_of_a_seat_are_all_events_as_it_may_see_them(name: str, luck: int) -> None:
    """Put together over all it was asked, with nothing missing or told twice."""
    game = started(name, luck)
    heard: list[list[Event]] = [[], []]
    play(game, luck, heard)
    for seat in (0, 1):
        heard[seat] += game.view(seat).news
        assert heard[seat] == [event.seen_by(seat) for event in game.events]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("moves", [0, 40, 111])
def test_a_copy_goes_on_alike_and_on_its_own(name: str, moves: int) -> None:
    game = started(name, 1)
    random = Random(5)
    for _ in range(moves):
        (seat,) = game.to_act()
        game.apply(seat, random.choice(game.legal(seat)))
    copy, before = game.copy(), state(game)
    assert state(copy) == before
    play(copy, 7)
    assert state(game) == before
    after = state(copy)
    play(game, 7)
    assert state(game) == state(copy) == after


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("luck", LUCK)
def test_its_record_is_read_back_and_verified(name: str, luck: int) -> None:
    game = started(name, luck)
    moves = play(game, luck)
    assert game.outcome
    record = Record(
        ruleset=name,
        seats=2,
        seed=game.seed,
        options=game.options,
        players=("one", "two"),
        moves=tuple(moves),
        events=tuple(game.events),
        scores=game.outcome.scores,
        places=game.outcome.places,
        faults=(),
    )
    again = record_from_json(record_to_json(record))
    assert again == record
    assert verify(again).reproduced
