"""The one stream between a bot process and its referee."""

from __future__ import annotations

import contextlib
import sys
from collections import deque
from collections.abc import Callable
from contextlib import closing
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep

from beanbot._runtime.call import RpcStream
from beanbot._runtime.program import BotProgram
from beanbot._runtime.session import BotSession
from beanproto.v1 import referee_pb2 as pb

MAX_HOLD_S = 0.005  # a move waits this long for others while the next decision is made
MAX_BYTES = 32 * 1024  # of moves in a message; a referee may refuse messages of 64 KiB

METHOD = "/beanproto.v1.Referee/Play"


def play_stream(program: BotProgram, target: str) -> bool:
    """Connect to `target` ("unix:/...") and play until either side ends the stream; return False if nobody listens."""
    session = BotSession(program, _log)
    try:
        call = RpcStream(target.removeprefix("unix:"), METHOD)
    except OSError:
        return False
    with closing(call):
        call.send(session.hello().SerializeToString())
        outbox = Outbox(call.send)
        while (data := call.receive()) is not None:
            message = pb.RefereeMessage.FromString(data)
            left = len(message.requests)
            for move in session.receive(message):
                left -= 1
                outbox.add(move, more=left > 0)
    return True


class Outbox:
    """Gathers moves in messages, which are given to `send`.

    While more is to come a move waits for it, but no longer than `MAX_HOLD_S`: the referee's clock for a decision
    starts with the answer before it, so a slow decision must not hold back a quick one. A thread sees to that.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._moves: deque[pb.Move] = deque()
        self._since = 0.0  # when the oldest of them was added
        self._sending = Lock()
        self._holding: SimpleQueue[None] = SimpleQueue()
        self._watched = False
        self._watcher = Thread(target=self._watch, daemon=True)

    def add(self, move: pb.Move, *, more: bool) -> None:
        """Add a move to the next message, which is sent now, or soon if `more` moves will follow."""
        if not more:
            self._moves.append(move)
            self._flush()
            return
        if not self._moves:
            self._since = monotonic()
        self._moves.append(move)
        if not self._watched:
            self._watched = True
            if not self._watcher.ident:
                self._watcher.start()
            self._holding.put(None)

    def _watch(self) -> None:
        """Send what has waited for too long, whenever something waits."""
        while True:
            self._holding.get()
            while self._moves and (left := self._since + MAX_HOLD_S - monotonic()) > 0:
                sleep(left)
            self._watched = False
            self._flush()

    def _flush(self) -> None:
        message, size = pb.BotMessage(), 0
        with self._sending:
            while self._moves:
                move = self._moves.popleft()
                size += move.ByteSize()
                if size > MAX_BYTES:
                    self._send(message.SerializeToString())
                    message, size = pb.BotMessage(), move.ByteSize()
                message.moves.append(move)
            if message.moves:
                self._send(message.SerializeToString())


def _log(text: str) -> None:
    """Write to the author's log; once the referee is gone, nobody reads it."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
