"""Messages for all actions and events, what is refused, and the comments that say what each message is.

That games arrive as they were is in their contract."""

import re
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise

import pytest

from beanleague import wire
from beanleague.games import new_game
from beanleague.games.bohnanza import BohnanzaView
from beanleague.games.core import Plant
from beanleague.games.families import ACTIONS, EVENTS, snake
from beanproto.v1 import referee_pb2 as pb


def test_there_is_a_message_for_every_action_and_every_event() -> None:
    actions = {field.name for field in pb.Move.DESCRIPTOR.oneofs_by_name["action"].fields}
    events = {field.name for field in pb.Event.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert actions - {"default_action"} == {snake(action.__name__) for action in ACTIONS}  # it stands for one of them
    assert events == {snake(event.__name__) for event in EVENTS}


class TestMalformed:
    def test_a_move_without_an_action_is_refused(self) -> None:
        with pytest.raises(wire.WireError, match="has no action"):
            wire.action_from_pb(pb.Move(match=1))

    def test_a_record_has_actions_not_the_wish_for_the_default_one(self) -> None:
        with pytest.raises(wire.WireError, match="has no action"):
            wire.action_from_pb(pb.Move(default_action=pb.DefaultAction()))

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


DEFINED = re.compile(r" *(?:message|enum|service|oneof|rpc) *(\w+)|.*?(\w+) = \d+;")
ONE_OF_MESSAGES = re.compile(r"    [A-Z]\w+ \w+ = \d+;$")  # in a oneof; the comment of the message says it


def uncommented(text: str) -> Iterator[str]:
    """The names that are defined with a comment neither above nor behind them."""
    for above, line in pairwise(text.splitlines()):
        defined = DEFINED.match(line) if not line.lstrip().startswith("//") else None
        if defined and "//" not in line and not above.lstrip().startswith("//") and not ONE_OF_MESSAGES.match(line):
            yield defined[1] or defined[2]


@pytest.mark.parametrize("name", ["referee", "league"])
def test_each_call_message_field_and_value_has_a_comment(name: str) -> None:
    text = resources.files("beanproto.v1").joinpath(f"{name}.proto").read_text("utf-8")
    assert list(uncommented(text)) == []


def test_a_missing_comment_is_noticed() -> None:
    text = """
message Bare {
  uint32 seat = 1;
  Kind kind = 2;  // of the card
  oneof action {
    Plant plant = 3;
    string error = 4;
  }
}
enum Answer {
  ANSWER_ACCEPT = 1;
}
service Referee {
  rpc Play(A) returns (B);
}
"""
    expected = ["Bare", "seat", "action", "error", "Answer", "ANSWER_ACCEPT", "Referee", "Play"]
    assert list(uncommented(text)) == expected
