"""How moves become messages."""

from __future__ import annotations

import pytest

from beanbot._runtime.stream import MAX_BYTES, Outbox
from beanproto.v1 import referee_pb2 as pb

FIRST = pb.BotMessage(hello=pb.Hello(sdk="test"))


@pytest.fixture
def outbox() -> Outbox:
    """An outbox whose first message is out."""
    outbox = Outbox(FIRST)
    next(outbox)
    return outbox


def decisions(message: pb.BotMessage) -> list[int]:
    return [move.decision for move in message.moves]


def test_the_first_message_goes_out_at_once() -> None:
    assert next(Outbox(FIRST)) is FIRST


def test_what_was_added_goes_out_in_one_message_in_order(outbox: Outbox) -> None:
    for decision in (4, 5, 6):
        outbox.add(pb.Move(decision=decision))
    outbox.send()
    assert decisions(next(outbox)) == [4, 5, 6]


def test_a_move_goes_out_though_nobody_says_send(outbox: Outbox) -> None:
    outbox.add(pb.Move(decision=4))
    assert decisions(next(outbox)) == [4]
    outbox.add(pb.Move(decision=5))
    assert decisions(next(outbox)) == [5]


def test_no_message_is_empty(outbox: Outbox) -> None:
    outbox.send()
    outbox.add(pb.Move(decision=4))
    outbox.send()
    outbox.send()
    outbox.add(pb.Move(decision=5))
    outbox.send()
    assert decisions(next(outbox)) == [4, 5]  # all of it was there when it was asked for
    outbox.close()
    assert list(outbox) == []


def test_many_large_moves_are_split_over_messages(outbox: Outbox) -> None:
    count = 400
    for decision in range(1, count + 1):
        outbox.add(pb.Move(decision=decision, error="x" * 300))
    outbox.send()
    outbox.close()
    messages = list(outbox)
    assert [each for message in messages for each in decisions(message)] == list(range(1, count + 1))
    assert all(message.ByteSize() < 2 * MAX_BYTES for message in messages)
    assert len(messages) == -(-count * 306 // MAX_BYTES)


def test_closing_ends_it(outbox: Outbox) -> None:
    outbox.close()
    assert list(outbox) == []
