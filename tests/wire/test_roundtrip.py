"""What goes over the wire comes out as it went in."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from beanleague import wire
from beanleague.games import Action, Game, Rules, View, new_game, ruleset, rulesets
from beanleague.games.bohnanza import BohnanzaView
from beanleague.games.core import Plant
from beanleague.games.families import ACTIONS, EVENTS
from beanleague.games.records.faults import Fault
from beanleague.games.records.record import PlayedMove, Record
from beanleague.wire.codec import snake
from beanproto.v1 import referee_pb2 as pb

TABLES = [(each.id, seats) for each in rulesets() for seats in {each.least_seats, each.most_seats}]


def playing(seats: int, seed: int, name: str = "bohnanza") -> Iterator[tuple[Game, View, Action]]:
    """Play a game at random; yield the view and the action of every decision before it is applied."""
    options = {"interludes": tuple(range(0, seats, 2))} if ruleset(name).interludes else {}
    game = new_game(name, seats=seats, seed=b"wire %d" % seed, options=options)
    chosen = random.Random(seed)
    while not game.over:
        for seat in game.to_act():
            view = game.view(seat)
            action = chosen.choice(view.legal())
            yield game, view, action
            game.apply(seat, action)


def sent(message: pb.Request) -> pb.Request:
    return pb.Request.FromString(message.SerializeToString())


def rules_sent(view: View, seats: int, name: str) -> Rules:
    """Return the rules that `view` is played by, as a bot gets them."""
    start = pb.MatchStart(ruleset=name, seats=seats)
    wire.rules_to_pb(view, start)
    return wire.rules_from_pb(pb.MatchStart.FromString(start.SerializeToString()))


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_whole_game_arrives_as_it_was(name: str, seats: int) -> None:
    rules: Rules | None = None
    played: list[Game] = []
    for game, view, action in playing(seats, seats, name):
        played = [game]
        rules = rules or rules_sent(view, seats, name)
        request = pb.Request(match=1, decision=2)
        wire.view_to_pb(view, request, map(wire.event_to_pb, view.news))
        arrived = wire.view_from_pb(sent(request), rules, view.seat)
        assert arrived == view
        assert arrived.legal() == view.legal()
        move = pb.Move(match=1, decision=2)
        wire.action_to_pb(action, move)
        assert wire.action_from_pb(pb.Move.FromString(move.SerializeToString())) == action
    assert played[0].over
    for event in played[0].events:
        assert wire.event_from_pb(pb.Event.FromString(wire.event_to_pb(event).SerializeToString())) == event


def test_there_is_a_message_for_every_action_and_every_event() -> None:
    actions = {field.name for field in pb.Move.DESCRIPTOR.oneofs_by_name["action"].fields}
    events = {field.name for field in pb.Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert actions == {snake(action.__name__) for action in ACTIONS}
    assert events == {snake(event.__name__) for event in EVENTS}


def test_a_record_arrives_as_it_was() -> None:
    moves = []
    played: list[Game] = []
    for game, view, action in playing(3, 9):
        played = [game]
        moves.append(PlayedMove(view.seat, action, by_default=view.seat == 1))
    last = played[0]
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
        faults=(Fault(1, 3, "timeout", "no answer", forfeited=False),),
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
