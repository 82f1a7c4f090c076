"""Opens many streams beside its own."""

from collections.abc import Iterable

import grpc
from attacker import channel, dull, play

from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc

streams: list[Iterable[pb.RefereeMessage]] = []


def crowd(request: pb.Request) -> Iterable[pb.Move]:
    while len(streams) < 50:
        options = [("grpc.use_local_subchannel_pool", 1)]
        dialled = channel() if len(streams) % 2 else grpc.insecure_channel("unix:/nowhere", options=options)
        streams.append(referee_pb2_grpc.RefereeStub(dialled).Play(iter([pb.BotMessage()])))
    return dull(request)


play(crowd)
