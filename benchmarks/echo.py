"""The bare stream's bot: answers every request with the same move, and does nothing else."""

from __future__ import annotations

import os

from beanbot._runtime.stream import METHOD, RpcStream
from beanproto.v1 import referee_pb2 as pb


def main() -> None:
    """Answer until the referee ends the stream."""
    call = RpcStream(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"), METHOD)
    call.send(pb.BotMessage(hello=pb.Hello()).SerializeToString())
    while (data := call.receive()) is not None:
        answers = pb.BotMessage()
        for request in pb.RefereeMessage.FromString(data).requests:
            answers.moves.add(match=request.match, decision=request.decision).plant.field = 1
        call.send(answers.SerializeToString())


if __name__ == "__main__":
    main()
