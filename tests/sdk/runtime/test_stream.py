"""How moves become messages."""

from __future__ import annotations

import threading

from beanbot._runtime.stream import MAX_BYTES, Outbox
from beanproto.v1 import referee_pb2 as pb


class Sent:
    """Where an outbox sends to: the decisions of each message, and its size."""

    def __init__(self) -> None:
        self.decisions: list[list[int]] = []
        self.sizes: list[int] = []
        self.arrived = threading.Semaphore(0)

    def __call__(self, data: bytes) -> None:
        self.decisions.append([move.decision for move in pb.BotMessage.FromString(data).moves])
        self.sizes.append(len(data))
        self.arrived.release()


def test_moves_go_out_in_one_message_in_order_with_the_last() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    for decision in (4, 5):
        outbox.add(pb.Move(decision=decision), more=True)
    outbox.add(pb.Move(decision=6), more=False)
    assert [each for message in sent.decisions for each in message] == [4, 5, 6]
    assert sent.decisions[-1][-1] == 6


def test_a_move_goes_out_though_the_next_is_never_decided() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    for decision in (4, 5, 6):
        outbox.add(pb.Move(decision=decision), more=True)
        assert sent.arrived.acquire(timeout=30)
    assert sent.decisions == [[4], [5], [6]]


def test_many_large_moves_are_split_over_messages() -> None:
    sent = Sent()
    outbox = Outbox(sent)
    count = 400
    for decision in range(1, count + 1):
        outbox.add(pb.Move(decision=decision, error="x" * 300), more=decision < count)
    assert [each for message in sent.decisions for each in message] == list(range(1, count + 1))
    assert len(sent.sizes) > 1
    assert max(sent.sizes) <= MAX_BYTES + 3 * count  # a few bytes before each move
