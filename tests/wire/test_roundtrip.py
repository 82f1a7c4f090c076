"""What goes over the wire comes out as it went in."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from beanleague import wire
from beanleague.games import Action, BohnanzaView, Event, Game, Plant, new_game
from beanleague.games.record import PlayedMove, Record, RecordedFault
from beanproto.v1 import referee_pb2 as pb


def playing(seats: int, seed: int) -> Iterator[tuple[Game, BohnanzaView, Action]]:
    """Play a game at random; yield the view and the action of every decision before it is applied."""
    options = {"interludes": tuple(range(0, seats, 2))}
    game = new_game("bohnanza", seats=seats, seed=b"wire %d" % seed, options=options)
    chosen = random.Random(seed)
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            action = chosen.choice(view.legal())
            yield game, view, action
            game.apply(seat, action)


def sent(message: pb.Request) -> pb.Request:
    return pb.Request.FromString(message.SerializeToString())


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_every_view_of_a_game_arrives_as_it_was(seats: int) -> None:
    for _, view, _ in playing(seats, seats):
        request = pb.Request(match=1, decision=2)
        wire.view_to_pb(view, request, map(wire.event_to_pb, view.news))
        assert wire.view_from_pb(sent(request), view.rules, view.seat) == view


def test_every_action_of_a_game_arrives_as_it_was() -> None:
    seen = set()
    for seed in range(3):
        for _, _, action in playing(4, seed):
            move = pb.Move(match=1, decision=2)
            wire.action_to_pb(action, move)
            assert wire.action_from_pb(pb.Move.FromString(move.SerializeToString())) == action
            seen.add(type(action).__name__)
    assert len(seen) == 12  # all there are


def test_every_event_of_a_game_arrives_as_it_was() -> None:
    seen: set[type[Event]] = set()
    for seed in range(3):
        events: tuple[Event, ...] = ()
        for game, _, _ in playing(4, seed):
            events = tuple(game.events)
        for event in events:
            assert wire.event_from_pb(wire.event_to_pb(event)) == event
        seen |= set(map(type, events))
    assert len(seen) == 14  # all but GameEnded, which comes after the last decision


def test_the_rules_of_a_match_arrive_as_they_were() -> None:
    view = new_game("bohnanza", seats=3, seed=b"rules").view(0)
    assert isinstance(view, BohnanzaView)
    start = pb.MatchStart(ruleset="bohnanza", seats=3)
    wire.rules_to_pb(view, start)
    assert wire.rules_from_pb(start) == view.rules


def test_a_record_arrives_as_it_was() -> None:
    moves = []
    last: Game | None = None
    for game, view, action in playing(3, 9):
        moves.append(PlayedMove(view.seat, action, by_default=view.seat == 1))
        last = game
    assert last is not None
    assert last.outcome is not None
    record = Record(
        ruleset=last.ruleset,
        seats=last.seats,
        seed=last.seed,
        options=last.options,
        players=("a 1", "b 2", "c 1"),
        moves=tuple(moves),
        events=tuple(last.events),
        scores=last.outcome.scores,
        places=last.outcome.places,
        faults=(RecordedFault(1, 3, "timeout", "no answer", forfeited=False),),
    )
    told = pb.Record.FromString(wire.record_to_pb(record).SerializeToString())
    assert wire.record_from_pb(told) == record


class TestMalformed:
    def test_a_move_without_an_action_is_refused(self) -> None:
        with pytest.raises(wire.WireError, match="has no action"):
            wire.action_from_pb(pb.Move(match=1))

    def test_an_unknown_kind_is_refused_by_its_number(self) -> None:
        move = pb.Move()
        move.offer.wants.append(99)  # type: ignore[arg-type]  # no such kind
        with pytest.raises(wire.WireError, match="99 is not the number of a kind"):
            wire.action_from_pb(move)

    def test_an_unspecified_kind_is_refused(self) -> None:
        move = pb.Move()
        move.counter.wants.append(pb.KIND_UNSPECIFIED)
        with pytest.raises(wire.WireError, match="0 is not the number of a kind"):
            wire.action_from_pb(move)

    def test_an_action_with_a_field_of_a_wrong_type_cannot_be_sent(self) -> None:
        with pytest.raises(wire.WireError, match="cannot be sent"):
            wire.action_to_pb(Plant("left"), pb.Move())  # type: ignore[arg-type]  # that is the point

    def test_an_action_with_a_negative_position_cannot_be_sent(self) -> None:
        with pytest.raises(wire.WireError, match="cannot be sent"):
            wire.action_to_pb(Plant(-1), pb.Move())

    def test_what_is_no_action_cannot_be_sent(self) -> None:
        with pytest.raises(wire.WireError, match="not an action"):
            wire.action_to_pb("plant", pb.Move())  # type: ignore[arg-type]  # that is the point

    def test_an_empty_event_is_refused(self) -> None:
        with pytest.raises(wire.WireError, match="no event"):
            wire.event_from_pb(pb.Event())

    def test_a_request_without_a_view_is_refused(self) -> None:
        view = new_game("bohnanza", seats=3, seed=b"rules").view(0)
        assert isinstance(view, BohnanzaView)
        with pytest.raises(wire.WireError, match="no view"):
            wire.view_from_pb(pb.Request(), view.rules, 0)
