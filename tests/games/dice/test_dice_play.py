"""What holds in every dice game, whoever plays and however it goes."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games import Action, Event, IllegalActionError
from beanleague.games.core import Pass
from beanleague.games.dice.actions import DiceDecision, HarvestTop, LoseDie, RollAgain, Save
from beanleague.games.dice.table import DiceTable
from beanleague.games.dice.view import DiceView
from tests.games.bohnanza.helpers import default_is_legal
from tests.games.dice.bookkeeper import Bookkeeper
from tests.games.dice.helpers import TABLES, Player, chooser, dull, new, play, state

EVERY_CHOICE = [
    Pass(),
    RollAgain(),
    HarvestTop(),
    *map(LoseDie, range(-1, 8)),
    *(Save(dice) for number in range(8) for dice in combinations(range(7), number)),
    Save((1, 0)),
    Save((0, 0)),
    Save((-1,)),
    Save((0, 7)),
]


@st.composite
def new_games(draw: st.DrawFn) -> DiceTable:
    """A new game of any ruleset and table size."""
    ruleset, seats = draw(st.sampled_from(TABLES))
    return new(ruleset, seats, seed=draw(st.binary(min_size=1, max_size=64)))


@st.composite
def players(draw: st.DrawFn) -> Player:
    """Seats that play by default, and seats that choose freely, in any mixture."""
    free = chooser(draw(st.integers()))
    dull_seats = draw(st.sets(st.integers(0, 4)))
    return lambda view: dull(view) if view.seat in dull_seats else free(view)


@given(game=new_games(), choose=players())
@settings(max_examples=60)
def test_the_events_tell_a_game_by_the_rules(game: DiceTable, choose: Player) -> None:
    """A bookkeeper that sees the events alone follows the game to its end, with no card or die lost."""
    play(game, choose)
    Bookkeeper(game.ruleset, game.seats).follow(game.events)


@given(game=new_games(), choose=players(), every=st.integers(17, 39))
@settings(max_examples=20)
def test_legal_actions_are_accepted_and_all_others_refused(game: DiceTable, choose: Player, every: int) -> None:
    """`legal` is complete, the default is among it, and a refusal leaves the game as it was."""
    asked = 0

    def look(view: DiceView) -> None:
        nonlocal asked
        asked += 1
        if asked % every:
            return
        legal = view.legal()
        assert view.default() in legal
        assert len(set(legal)) == len(legal) > 1, "nobody is asked where there is nothing to choose"
        for action in legal:
            game.copy().apply(view.seat, action)
        before = state(game)
        for action in set(EVERY_CHOICE) - set(legal):
            with pytest.raises(IllegalActionError):
                game.apply(view.seat, action)
        assert state(game) == before

    play(game, choose, look)


@given(game=new_games(), choose=players(), at=st.integers(1, 150))
@settings(max_examples=25)
def test_a_copy_goes_on_alike_and_on_its_own(game: DiceTable, choose: Player, at: int) -> None:
    """What is done to a copy does not show in the game, nor the other way round."""
    for _ in range(at):
        if game.over:
            return
        (seat,) = game.to_act()
        game.apply(seat, choose(game.view(seat)))
    if game.over:
        return
    copy, before = game.copy(), state(game)
    assert isinstance(copy, DiceTable)
    assert state(copy) == before
    play(copy, chooser("copy"))
    assert state(game) == before
    after = state(copy)
    play(game, chooser("copy"))
    assert state(game) == state(copy) == after


@given(game=new_games(), luck=st.integers())
@settings(max_examples=15)
def test_the_same_seed_and_the_same_moves_give_the_same_events(game: DiceTable, luck: int) -> None:
    again = new(game.ruleset, game.seats, game.seed)
    assert play(game, chooser(luck)) == play(again, chooser(luck))
    assert game.events == again.events
    assert game.outcome == again.outcome


@given(game=new_games(), choose=players())
@settings(max_examples=20)
def test_the_news_of_a_seat_are_all_events_as_it_may_see_them(game: DiceTable, choose: Player) -> None:
    """Put together over all it was asked, with nothing missing or told twice."""
    heard: list[list[Event]] = [[] for _ in range(game.seats)]
    play(game, choose, lambda view: heard[view.seat].extend(view.news))
    for seat in range(game.seats):
        heard[seat] += game.view(seat).news
        assert heard[seat] == [event.seen_by(seat) for event in game.events]


@given(game=new_games(), choose=players())
@settings(max_examples=15)
def test_legal_and_default_of_the_game_are_those_of_the_view(game: DiceTable, choose: Player) -> None:
    """And seats that are not asked may do nothing."""

    def look(view: DiceView) -> None:
        if len(game.events) % 11:
            return
        seat, waiting = view.seat, (view.seat + 1) % game.seats
        assert game.legal(seat) == view.legal()
        assert game.default(seat) == view.default()
        if waiting != seat:
            assert game.legal(waiting) == ()
            assert game.view(waiting).decision is DiceDecision.WAIT
            with pytest.raises(IllegalActionError, match=f"seat {waiting} is not asked now; asked: "):
                game.apply(waiting, view.default())

    play(game, choose, look)


@pytest.mark.parametrize(
    "action",
    [
        Save([0]),  # type: ignore[arg-type]
        Save(None),  # type: ignore[arg-type]
        Save((True,)),
        Save(("0",)),  # type: ignore[arg-type]
        Save((0.0,)),  # type: ignore[arg-type]
        Action(),
    ],
)
def test_actions_of_wrong_types_are_refused_with_a_sentence(action: Action) -> None:
    game = new()
    before = state(game)
    with pytest.raises(IllegalActionError):
        game.apply(0, action)
    assert state(game) == before


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_random_games_end_with_all_cards_and_dice_accounted_for(ruleset: str, seats: int, games: int) -> None:
    """And with no default that is illegal."""
    for number in range(games):
        game = new(ruleset, seats, b"%d" % number)
        play(game, chooser(number), default_is_legal)
        Bookkeeper(ruleset, seats).follow(game.events)
        assert game.outcome
        assert len(game.outcome.scores) == len(game.outcome.places) == seats
