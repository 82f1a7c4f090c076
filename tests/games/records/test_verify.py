"""Verifying a record: it is played again, and the first thing that is not as the rules give it is named."""

import re
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from beanleague.games import RULES_VERSION, Event, Fault, PlayedMove, Record, new_game, verify
from beanleague.games.bohnanza import Decline, Offer, Stop
from beanleague.games.core import GameEnded, Plant
from tests.games.bohnanza.helpers import bohnanza
from tests.games.helpers import chooser, of_type, play, recorded
from tests.games.records.test_record import RECORD


def a_record(luck: int, seats: int = 4) -> Record:
    game = bohnanza(seats, seed=b"verify %d" % luck, max_rounds=2, interludes=(0, 3)[: seats - 2])
    return recorded(game, play(game, chooser(luck)))


TRADED = a_record(1)


def test_a_record_with_faults_and_a_forfeit_is_reproduced() -> None:
    """Its places are the league's: the seat that forfeited is last."""
    assert verify(RECORD).reproduced
    assert RECORD.places[2] == 3


def test_fields_that_differ_between_replays_are_not_compared() -> None:
    assert verify(replace(RECORD, ms=(), node="another", luck=())).reproduced


@pytest.mark.parametrize(("rules", "needed"), [(1, "an earlier version"), (RULES_VERSION + 1, "a newer version")])
def test_a_match_under_other_rules_is_not_judged(rules: int, needed: str) -> None:
    problem = (
        f"this match needs rules {rules}, but this version of Beanleague plays rules {RULES_VERSION}; use {needed}"
    )
    assert verify(replace(RECORD, rules=rules)).problem == problem


def tampered(event: Event, number: int) -> Event:
    """`event` with another value in one of its fields."""
    names = [field.name for field in fields(event)]
    name = names[number % len(names)]
    value: Any = getattr(event, name)
    other = value + 1 if isinstance(value, int) else f"{value}s" if isinstance(value, str) else (*value, 1)
    return replace(event, **{name: other})


@given(index=st.integers(0, len(TRADED.events) - 1), number=st.integers(0, 6))
@settings(max_examples=60)
def test_the_first_event_that_differs_is_named(index: int, number: int) -> None:
    """With what the record says and what the rules give, also when later ones differ too."""
    events = list(TRADED.events)
    for at in (index, len(events) - 1):
        events[at] = tampered(events[at], number)
    verdict = verify(replace(TRADED, events=tuple(events)))
    assert not verdict.reproduced
    assert verdict.event == index
    assert verdict.problem.startswith(f"events[{index}]")
    assert "the record says {" in verdict.problem
    assert "\nbut the rules give {" in verdict.problem


@pytest.mark.parametrize("index", [0, 5, 100])
def test_an_event_left_out_put_in_or_swapped_is_named(index: int) -> None:
    events = TRADED.events
    for other in (
        events[:index] + events[index + 1 :],
        (*events[:index], events[-1], *events[index:]),
        (*events[:index], events[index + 1], events[index], *events[index + 2 :]),
    ):
        assert verify(replace(TRADED, events=other)).event == index


def test_a_reproduced_match_says_what_was_asked_and_had_happened_before_each_move() -> None:
    game = new_game(TRADED.ruleset, seats=TRADED.seats, seed=TRADED.seed, options=TRADED.options)
    asked, happened = [], []
    for move in TRADED.moves:
        asked.append(game.view(move.seat).decision)
        happened.append(len(game.events))
        game.apply(move.seat, move.action)
    for record in (TRADED, replace(TRADED, scores=(0,) * TRADED.seats)):
        verdict = verify(record)
        assert (verdict.asked, verdict.happened) == (tuple(asked), tuple(happened))


def test_a_match_whose_events_the_rules_do_not_give_says_nothing_of_them() -> None:
    for record in (
        replace(TRADED, moves=TRADED.moves[:-1]),
        replace(TRADED, events=TRADED.events[1:]),
        replace(TRADED, rules=RULES_VERSION + 1),
    ):
        verdict = verify(record)
        assert (verdict.asked, verdict.happened) == ((), ())


def test_events_that_are_missing_at_the_end_are_named() -> None:
    verdict = verify(replace(TRADED, events=TRADED.events[:-1]))
    assert verdict.event == len(TRADED.events) - 1
    assert "the record says nothing more\nbut the rules give" in verdict.problem


def test_events_after_the_end_are_named() -> None:
    verdict = verify(replace(TRADED, events=(*TRADED.events, TRADED.events[-1])))
    assert verdict.event == len(TRADED.events)
    assert verdict.problem.endswith("but the rules give nothing more")


def test_an_illegal_move_is_named_with_the_reason() -> None:
    moves = list(TRADED.moves)
    moves[0] = PlayedMove(0, Plant(9), by_default=False)
    verdict = verify(replace(TRADED, moves=tuple(moves)))
    assert (verdict.move, verdict.event) == (0, None)
    assert verdict.problem == "moves[0]: seat 0 may not do this: there is no field 9; your fields are 0 to 1"


def test_another_legal_move_shows_in_the_events() -> None:
    """The event and the move after which it differs are named."""
    index, move = next((i, m) for i, m in enumerate(TRADED.moves) if isinstance(m.action, Offer))
    moves = list(TRADED.moves)
    moves[index] = PlayedMove(move.seat, Stop(), by_default=False)
    verdict = verify(replace(TRADED, moves=tuple(moves)))
    assert verdict.move == index
    assert verdict.event is not None
    assert verdict.problem.startswith(f"events[{verdict.event}], after moves[{index}]: ")


def test_a_seat_that_was_not_asked_may_not_have_moved() -> None:
    moves = (PlayedMove(1, Decline(), by_default=False), *TRADED.moves)
    verdict = verify(replace(TRADED, moves=moves))
    assert verdict.problem == "moves[0]: seat 1 may not do this: seat 1 has no decision to make now; to decide: (0,)"


def test_moves_after_the_end_are_named() -> None:
    verdict = verify(replace(TRADED, moves=(*TRADED.moves, TRADED.moves[-1])))
    assert verdict.move == len(TRADED.moves)
    assert "the game is over" in verdict.problem


def test_a_game_that_is_not_over_is_reported() -> None:
    moves = TRADED.moves[:-1]
    verdict = verify(replace(TRADED, moves=moves))
    assert f"moves: {len(moves)} are recorded, but the game is not over" in verdict.problem


def test_another_seed_differs_at_the_deal() -> None:
    assert verify(replace(TRADED, seed=b"another")).event == 0


@pytest.mark.parametrize("name", ["scores", "places"])
def test_a_different_score_or_place_is_reported(name: str) -> None:
    values = getattr(TRADED, name)
    change: dict[str, Any] = {name: (values[0] + 1, *values[1:])}
    verdict = verify(replace(TRADED, **change))
    assert verdict.problem.startswith(f"{name}: the record says [{values[0] + 1}, ")
    assert (verdict.move, verdict.event) == (None, None)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"ruleset": "skat"}, "the game cannot be set up: unknown ruleset 'skat'"),
        ({"options": {"max_rounds": -1}}, "the game cannot be set up: max_rounds must be"),
        ({"options": {"speed": 1}}, "the game cannot be set up: unknown option 'speed'"),
        ({"seed": b""}, "the game cannot be set up: a seed is 1 to 64 bytes"),
        ({"seats": 7}, "players: must have an entry for each of 7 seats"),
        ({"seats": 2, "players": ("a", "b"), "scores": (1, 2), "places": (1, 2)}, r"moves\[\d+\].seat: must be 0 to 1"),
    ],
)
def test_a_game_that_cannot_be_set_up_is_reported(change: dict[str, Any], problem: str) -> None:
    assert re.match(problem, verify(replace(TRADED, **change)).problem)


def test_a_move_said_to_be_the_default_must_be_it() -> None:
    index = next(i for i, move in enumerate(TRADED.moves) if isinstance(move.action, Offer))
    move = TRADED.moves[index]
    moves = list(TRADED.moves)
    moves[index] = replace(move, by_default=True)
    fault = Fault(move.seat, index, "timeout", "", forfeited=False)
    verdict = verify(replace(TRADED, moves=tuple(moves), faults=(fault,)))
    assert verdict.move == index
    assert "is not the default action, Stop()" in verdict.problem


def test_places_are_those_of_the_league() -> None:
    """The game's places, where a forfeit is not counted, are reported; so are places that invent one."""
    game_places = tuple(place % 3 + 1 for place in RECORD.places)
    assert of_type(RECORD.events, GameEnded)[0].places == game_places
    for record, places in ((RECORD, game_places), (TRADED, tuple(5 - place for place in TRADED.places))):
        verdict = verify(replace(record, places=places))
        assert verdict.problem.startswith(f"places: the record says {list(places)}")
