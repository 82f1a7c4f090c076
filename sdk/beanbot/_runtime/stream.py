"""The one stream between a bot process and its referee."""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Lock

import grpc

from beanbot._runtime.program import BotProgram
from beanbot._runtime.session import Session
from beanproto.v1 import referee_pb2 as pb
from beanproto.v1 import referee_pb2_grpc

MAX_HOLD_S = 0.005  # a move waits this long for others while the next decision is made
MAX_BYTES = 32 * 1024  # of moves in a message; a referee may refuse messages of 64 KiB

_OPTIONS = (("grpc.max_receive_message_length", -1),)  # the referee may ask in many matches at once
_GATHER, _SEND, _CLOSE = range(3)


def play_stream(program: BotProgram, target: str) -> bool:
    """Connect to the gRPC `target` and play until either side ends the stream; return False if nobody answered."""
    session = Session(program, _log)
    outbox = Outbox(session.hello())
    answered = False
    with grpc.insecure_channel(target, options=_OPTIONS) as channel:
        try:
            for message in referee_pb2_grpc.RefereeStub(channel).Play(outbox):
                answered = True
                for move in session.receive(message):
                    outbox.add(move)
                outbox.send()
        except grpc.RpcError as error:
            return answered or error.code() is not grpc.StatusCode.UNAVAILABLE
        finally:
            outbox.close()
    return True


class Outbox(Iterator[pb.BotMessage]):
    """The messages to send, for the thread that sends them; another thread adds the moves.

    A message is sent when `send` is called, or when its oldest move has waited for `MAX_HOLD_S`: the referee's
    clock for a decision starts with the answer before it, so a slow decision must not hold back a quick one.
    """

    def __init__(self, first: pb.BotMessage) -> None:
        self._messages = deque([first])
        self._moves: deque[pb.Move] = deque()
        self._lock = Lock()
        self._signals: SimpleQueue[int] = SimpleQueue()

    def add(self, move: pb.Move) -> None:
        """Add a move to the next message."""
        with self._lock:
            if not self._moves:
                self._signals.put(_GATHER)
            self._moves.append(move)

    def send(self) -> None:
        """Send the moves added so far now."""
        self._signals.put(_SEND)

    def close(self) -> None:
        """End the stream of messages; unsent moves are lost."""
        self._signals.put(_CLOSE)

    def __next__(self) -> pb.BotMessage:
        while not self._messages:
            signal = self._signals.get()
            if signal == _GATHER:
                try:
                    signal = self._signals.get(timeout=MAX_HOLD_S)
                except Empty:
                    signal = _SEND
            if signal == _CLOSE:
                raise StopIteration
            self._pack()
        return self._messages.popleft()

    def _pack(self) -> None:
        """Put all waiting moves into messages."""
        with self._lock:
            moves, self._moves = self._moves, deque()
        message, size = pb.BotMessage(), 0
        for move in moves:
            size += move.ByteSize()
            if size > MAX_BYTES:
                self._messages.append(message)
                message, size = pb.BotMessage(), move.ByteSize()
            message.moves.append(move)
        if message.moves:
            self._messages.append(message)


def _log(text: str) -> None:
    """Write to the author's log; once the referee is gone, nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
