import time

import grpc
from rawbot import play

from beanproto.v1 import referee_pb2 as pb

try:
    play(lambda request, start: [pb.Move(match=request.match, decision=request.decision, error="x" * 100_000)])
except grpc.RpcError:  # to end now would look like a crash
    time.sleep(3600)
