"""Whatever a bot sends is either accepted or refused with `IllegalActionError`, and then nothing has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beanleague.games import Action, IllegalActionError
from beanleague.games.bohnanza import Accept, Call, Counter, Decision, Decline, Offer, Pick, PlantAside, Refuse, Stop
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core import Harvest, Pass, Plant
from tests.games.bohnanza.helpers import bohnanza, chooser, do, scripted, state


def games_at_every_decision() -> Iterator[Bohnanza]:
    found = dict[Decision, Bohnanza]()
    game, choose = bohnanza(4, interludes=(0, 1, 2, 3)), chooser("every decision")
    while not game.over:
        seat = game.to_act()[0]
        view = game.view(seat)
        found.setdefault(view.decision, game.copy())
        game.apply(seat, choose(view))
    assert set(found) == set(Decision) - {Decision.WAIT}
    yield from found.values()


GAMES = {str(game.view(game.to_act()[0]).decision.name).lower(): game for game in games_at_every_decision()}

# Unusual values for every field of an action; few are of the right type.
numbers = st.one_of(st.integers(-2, 6), st.just(10**5000), st.booleans(), st.floats(), st.text(max_size=3), st.none())
kinds = st.one_of(st.sampled_from(["red", "blue", "coffee", "RED", ""]), numbers, st.just(("red",)), st.just(["red"]))
many = st.one_of(
    st.lists(numbers, max_size=4).map(tuple),
    st.integers(0, 6).map(lambda count: tuple(range(count))),
    st.lists(st.integers(0, 6), max_size=3),
    st.sampled_from(["", "red", b"", 0, 1.5, None, True, {}, {0: 1}, range(2), (0,) * 1000]),
)
wants = st.one_of(st.lists(kinds, max_size=4).map(tuple), many, st.sampled_from([("red",) * 1000, ["red"], "red"]))
actions = st.one_of(
    st.builds(Plant, numbers),
    st.builds(Harvest, numbers),
    st.builds(PlantAside, numbers, numbers),
    st.builds(Offer, many, many, many, wants),
    st.builds(Call, many),
    st.builds(Accept, many),
    st.builds(Counter, many, many, wants),
    st.builds(Pick, numbers, many),
    st.sampled_from([Pass(), Stop(), Decline(), Refuse(), Action(), None, 0, "pass", Pass, object()]),
)


@pytest.mark.parametrize("decision", GAMES)
@given(action=actions)
@settings(max_examples=100)
def test_odd_actions_are_refused_and_change_nothing(decision: str, action: Any) -> None:
    """Also those of the right class whose fields are of wrong types, negative, or endless."""
    game = GAMES[decision].copy()
    before = state(game)
    seat = game.to_act()[0]
    refused = None
    try:
        game.apply(seat, action)
    except IllegalActionError as error:
        refused = str(error)
    assert (state(game) == before) == (refused is not None)
    assert refused is None or 0 < len(refused) < 400
    assert refused or well_formed(action)


class Odd:
    """A value that fails when it is looked at."""

    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = None  # type: ignore[assignment]


ODD: Any = Odd()


@pytest.mark.parametrize("decision", GAMES)
def test_values_that_fail_when_looked_at_are_refused(decision: str) -> None:
    game = GAMES[decision].copy()
    before = state(game)
    for odd in (
        *(Plant(ODD), Harvest(ODD), PlantAside(ODD, 0), PlantAside(0, ODD), Accept(ODD), Accept((ODD,)), ODD),
        *(Offer(ODD, (0,)), Offer((ODD,), (0,)), Offer((1,), ODD), Offer((1,), (), ODD), Offer((1,), (), (), ODD)),
        *(Offer((1,), (), (), ("red", ODD)), Call(ODD), Call((0, ODD)), Pick(ODD), Pick(1, ODD), Pick(1, (ODD,))),
        *(Counter(ODD), Counter((), ODD), Counter((), (), ODD), Counter((), (), ("red", ODD))),
    ):
        with pytest.raises(IllegalActionError):
            game.apply(game.to_act()[0], odd)
        assert state(game) == before


def well_formed(action: Action) -> bool:
    """Whether every field is an int, or a tuple of ints or of kinds."""
    values = [getattr(action, name) for name in getattr(type(action), "__dataclass_fields__", ())]
    return all(
        type(value) is int or (type(value) is tuple and all(type(entry) in {int, str} for entry in value))
        for value in values
    )


@pytest.mark.parametrize("decision", GAMES)
def test_seats_that_are_not_asked_may_do_nothing(decision: str) -> None:
    """Not even what the seat that is asked may do."""
    game = GAMES[decision].copy()
    before = state(game)
    for seat in set(range(-1, 5)) - set(game.to_act()):
        with pytest.raises(IllegalActionError, match=f"seat {seat} is not asked now"):
            game.apply(seat, game.default(game.to_act()[0]))
    assert state(game) == before


@pytest.mark.parametrize("seat", [True, 1.0])
def test_a_pick_of_a_seat_that_is_no_whole_number_is_refused(seat: Any) -> None:
    """True and 1.0 are equal to 1 but are no seats."""
    game = do(scripted(hands=["", "blue"]), (0, Call((1,))), (1, Counter((0,))))
    with pytest.raises(IllegalActionError, match="has neither accepted nor countered"):
        game.apply(0, Pick(seat))


@pytest.mark.parametrize("hand", [None, [], 0, "", (0,)])
def test_a_pick_of_an_acceptance_names_no_cards(hand: Any) -> None:
    game = do(scripted(hands=["", "blue"]), (0, Offer((1,), (0,))), (1, Accept()))
    with pytest.raises(IllegalActionError, match="an acceptance is picked without naming cards"):
        game.apply(0, Pick(1, hand))


def test_after_the_end_nobody_may_do_anything() -> None:
    game = do(scripted(hands=[""], pile="", run_outs=2), (0, Stop()))
    with pytest.raises(IllegalActionError, match="seat 0 is not asked now; asked: nobody, the game is over"):
        game.apply(0, Pass())
