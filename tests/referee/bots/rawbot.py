"""A bot written from the .proto file alone, for the faulty bots beside it to misbehave with."""

import os
import queue
from collections.abc import Callable, Iterable
from itertools import count

import grpc

from beanleague import wire
from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc


def dull(request: pb.Request, start: pb.MatchStart) -> pb.Move:
    """Return the default action as a move."""
    move = pb.Move(match=request.match, decision=request.decision)
    view = wire.view_from_pb(request, wire.rules_from_pb(start), start.seat)
    wire.action_to_pb(view.default(), move)
    return move


def play(answer: Callable[[pb.Request, pb.MatchStart], Iterable[pb.Move]]) -> None:
    """Answer every request with the moves that `answer` gives."""
    outbox: queue.SimpleQueue[pb.BotMessage] = queue.SimpleQueue()
    outbox.put(pb.BotMessage(hello=pb.Hello(sdk="raw", protocol=2)))
    starts: dict[int, pb.MatchStart] = {}
    channel = grpc.insecure_channel(os.environ["BEANLEAGUE_SOCKET"])
    for message in referee_pb2_grpc.RefereeStub(channel).Play(iter(outbox.get, None)):
        for start in message.starts:
            starts[start.match] = start
        for request in message.requests:
            outbox.put(pb.BotMessage(moves=answer(request, starts[request.match])))


def play_until_killed(signal: int) -> None:
    """Answer four requests with the default action; at the fifth, be killed by `signal`."""
    asked = count(1)

    def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
        if next(asked) == 5:
            os.kill(os.getpid(), signal)
        return [dull(request, start)]

    play(answer)
