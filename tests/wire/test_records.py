"""Records, actions and events as messages: written alike for ever, refused or read, and said in comments.

That games arrive as they were is in their contract.
"""

import re
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest

from beanleague import wire
from beanleague.games import new_game, record_from_json, verify
from beanleague.games.bohnanza import BohnanzaView
from beanleague.games.core import Drew, Plant
from beanleague.games.families import ACTIONS, EVENTS, snake
from beanleague.games.records.record import MAX_BYTES
from beanleague.wire import WireError
from beanproto.v1 import referee_pb2 as pb
from tests.games.helpers import of_type
from tests.games.records.test_record import RECORD

MESSAGE = wire.record_to_pb(RECORD)
GOLDEN = Path(__file__).parents[1] / "games" / "records" / "golden"
DIGEST = "d4588684be9348e2f7134a27ee9ea78148acee4fa83973602984834983de9293"
"""Of the messages of all golden records; it changes with these alone."""


def test_the_message_of_a_record_never_changes() -> None:
    digest = sha256()
    for path in sorted(GOLDEN.glob("*.json")):
        record = record_from_json(path.read_text("utf-8"))
        data = wire.record_to_pb(record).SerializeToString(deterministic=True)
        assert wire.record_from_bytes(data) == record
        digest.update(data)
    assert digest.hexdigest() == DIGEST


def test_a_packed_record_has_the_fields_of_a_record() -> None:
    whole, packed = pb.Record.DESCRIPTOR.fields, pb.PackedRecord.DESCRIPTOR.fields
    assert [(field.name, field.number, field.is_repeated) for field in packed] == [
        (field.name, field.number, field.is_repeated) for field in whole
    ]
    differ = {one.name for one, other in zip(packed, whole, strict=True) if one.type != other.type}
    assert differ == {"moves", "events"}


def test_moves_and_events_met_before_are_not_decoded_again() -> None:
    data = MESSAGE.SerializeToString()
    first, second = wire.record_from_bytes(data), wire.record_from_bytes(data)
    assert first == second == RECORD
    assert all(move is again for move, again in zip(first.moves, second.moves, strict=True))
    assert all(event is again for event, again in zip(first.events, second.events, strict=True))


def test_a_differently_encoded_record_is_read_and_judged_alike() -> None:
    """With numbers longer than they need be, fields in another order, and some that nobody reads."""
    message = pb.PackedRecord.FromString(MESSAGE.SerializeToString())
    index = RECORD.moves.index(next(move for move in RECORD.moves if not move.by_default and move.seat == 1))
    move = pb.Played.FromString(message.moves[index])
    move.move.match, move.move.decision = 3, 4
    message.moves[index] = b"\x1a" + bytes([len(inner := move.move.SerializeToString())]) + inner + b"\x08\x81\x00"
    index = RECORD.events.index(of_type(RECORD.events, Drew)[0])
    message.events[index] += b"\xf8\x7f\x05"  # the field 2047
    assert message.SerializeToString() != MESSAGE.SerializeToString()
    record = wire.record_from_bytes(message.SerializeToString())
    assert record == RECORD
    assert verify(record).reproduced


def test_large_parts_are_not_kept() -> None:
    record = pb.Record()
    record.CopyFrom(MESSAGE)
    record.events[0].dealt.cards.extend([pb.KIND_BLUE] * 1000)
    data = record.SerializeToString()
    assert wire.record_from_bytes(data).events[0] is not wire.record_from_bytes(data).events[0]


def no_record(message: pb.PackedRecord) -> bytes:
    return b"\xff" + message.SerializeToString()


def broken_move(message: pb.PackedRecord) -> bytes:
    message.moves[3] = b"\x1a\x05"
    return message.SerializeToString()


def broken_event(message: pb.PackedRecord) -> bytes:
    message.events[3] = b"\xff"
    return message.SerializeToString()


@pytest.mark.parametrize("change", [no_record, broken_move, broken_event])
def test_malformed_records_are_refused(change: Callable[[pb.PackedRecord], bytes]) -> None:
    with pytest.raises(wire.WireError, match="this is not a record"):
        wire.record_from_bytes(change(pb.PackedRecord.FromString(MESSAGE.SerializeToString())))


def test_an_event_without_a_value_is_refused_every_time() -> None:
    message = pb.PackedRecord.FromString(MESSAGE.SerializeToString())
    message.events[3] = b""
    for _ in range(2):
        with pytest.raises(wire.WireError, match="no event"):
            wire.record_from_bytes(message.SerializeToString())


@pytest.mark.parametrize(
    ("packed", "problem"),
    [
        (zlib.compress(bytes(MAX_BYTES + 1), 1), "more than 16 MiB"),
        (zlib.compress(bytes(4 * MAX_BYTES), 1), "more than 16 MiB"),
        (zlib.compress(b"beans")[:-1], "does not end where it should"),
        (zlib.compress(b"beans") + b"more", "does not end where it should"),
        (b"beans", "incorrect header"),
    ],
    ids=["a little too large", "a bomb", "cut", "longer", "not packed"],
)
def test_unpacking_ends_at_the_largest_size(packed: bytes, problem: str) -> None:
    tracemalloc.start()
    with pytest.raises(WireError, match=problem):
        wire.unpacked(packed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_BYTES


@pytest.mark.parametrize("data", [b"", b"beans", bytes(MAX_BYTES)])
def test_a_record_that_is_not_too_large_is_unpacked(data: bytes) -> None:
    assert wire.unpacked(zlib.compress(data)) == data


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

    def test_a_value_that_is_no_action_cannot_be_sent(self) -> None:
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
