"""The bare stream's bot: answers every request with the same move, and does nothing else."""

from __future__ import annotations

import os
from queue import SimpleQueue

import grpc

from beanproto.v1 import referee_pb2 as pb
from beanproto.v1 import referee_pb2_grpc


def main() -> None:
    """Answer until the referee ends the stream."""
    outbox: SimpleQueue[pb.BotMessage] = SimpleQueue()
    outbox.put(pb.BotMessage(hello=pb.Hello()))
    channel = grpc.insecure_channel(os.environ["BEANLEAGUE_SOCKET"])
    try:
        for message in referee_pb2_grpc.RefereeStub(channel).Play(iter(outbox.get, None)):
            answers = pb.BotMessage()
            for request in message.requests:
                answers.moves.add(match=request.match, decision=request.decision).plant.field = 1
            outbox.put(answers)
    except grpc.RpcError:
        pass


if __name__ == "__main__":
    main()
