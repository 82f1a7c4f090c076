"""Moves on their way to the referee, gathered into messages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from threading import Lock

from beanproto.v1 import referee_pb2 as pb

HOLD_SECONDS = 0.005  # for how long a move may wait for others while the next decision is made
MOST_BYTES = 32 * 1024  # of moves in a message; a referee may refuse messages of 64 KiB

_GATHER, _SEND, _CLOSE = range(3)


class Outbox(Iterator[pb.BotMessage]):
    """The messages to send, for the thread that sends them; moves are added by another thread.

    A message goes out when `send` is called, or when its oldest move has waited for `HOLD_SECONDS`: the referee's
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
        """Let what was added go out now."""
        self._signals.put(_SEND)

    def close(self) -> None:
        """End the stream of messages; what was not sent is lost."""
        self._signals.put(_CLOSE)

    def __next__(self) -> pb.BotMessage:
        while not self._messages:
            signal = self._signals.get()
            if signal == _GATHER:
                try:
                    signal = self._signals.get(timeout=HOLD_SECONDS)
                except Empty:
                    signal = _SEND
            if signal == _CLOSE:
                raise StopIteration
            self._pack()
        return self._messages.popleft()

    def _pack(self) -> None:
        """Put all moves there are into messages."""
        with self._lock:
            moves, self._moves = self._moves, deque()
        message, size = pb.BotMessage(), 0
        for move in moves:
            size += move.ByteSize()
            if size > MOST_BYTES:
                self._messages.append(message)
                message, size = pb.BotMessage(), move.ByteSize()
            message.moves.append(move)
        if message.moves:
            self._messages.append(message)
