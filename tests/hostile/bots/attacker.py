"""What the attacks beside this file share. Each tries its attack once and tells on stderr how that went.

All play the default action, as the referee does for a seat that forfeited: so an attack changes nothing of a match.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import grpc

from beanleague import wire
from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc

CANARY = sys.argv[1] if len(sys.argv) > 1 else "/none"  # a folder of the host that no bot may get at
SOCKET = f"{CANARY}/socket"
ABSTRACT = f"\0{CANARY}"
DATAGRAMS = f"{CANARY}/datagrams"
MARK = 1_234_567_890  # the time that an inode of the host gets, if one can be changed
SEED = b"a deal with an attacker"
STARTS: dict[int, pb.MatchStart] = {}

Answer = Callable[[pb.Request], Iterable[pb.Move]]


def tell(outcome: str) -> None:
    """Report: "done: what was achieved" or "refused: why"."""
    print(outcome, file=sys.stderr, flush=True)


def attempt(attack: Callable[[], object]) -> None:
    """Try an attack that returns what it achieved, or raises; None: that shows elsewhere."""
    try:
        achieved = attack()
    except Exception as refusal:  # noqa: BLE001  # whatever stops an attack
        tell(f"refused: {refusal!r:.200}")
    else:
        if achieved is None:
            return
        tell(f"done: {achieved!r:.200}" if achieved else "refused: nothing came of it")


def dull(request: pb.Request) -> Iterator[pb.Move]:
    """Give the default action."""
    start = STARTS[request.match]
    move = pb.Move(match=request.match, decision=request.decision)
    wire.action_to_pb(wire.view_from_pb(request, wire.rules_from_pb(start), start.seat).default(), move)
    yield move


def channel() -> grpc.Channel:
    """Dial the referee."""
    return grpc.insecure_channel(os.environ["BEANLEAGUE_SOCKET"])


def play(answer: Answer = dull, before: Iterable[pb.Move] = ()) -> None:
    """Answer every request with the moves that `answer` gives; send `before` unasked."""
    outbox: queue.SimpleQueue[pb.BotMessage] = queue.SimpleQueue()
    outbox.put(pb.BotMessage(hello=pb.Hello(sdk="attacker", protocol=2), moves=before))
    for message in referee_pb2_grpc.RefereeStub(channel()).Play(iter(outbox.get, None)):
        for start in message.starts:
            STARTS[start.match] = start
        for request in message.requests:
            outbox.put(pb.BotMessage(moves=answer(request)))


def send_bytes(*messages: bytes) -> None:
    """Send these bytes for messages, after a hello, and wait."""
    outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    outbox.put(pb.BotMessage(hello=pb.Hello(sdk="attacker", protocol=2)).SerializeToString())
    call = channel().stream_stream("/beanproto.v1.Referee/Play", bytes, pb.RefereeMessage.FromString)
    try:
        for _ in call(iter(outbox.get, None)):
            for message in messages:
                outbox.put(message)
    except grpc.RpcError:
        time.sleep(3600)  # else it would be a crash as well
