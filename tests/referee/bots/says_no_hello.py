import os
import time

import grpc

from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc

channel = grpc.insecure_channel(os.environ["BEANLEAGUE_SOCKET"])
for _ in referee_pb2_grpc.RefereeStub(channel).Play(iter([pb.BotMessage(moves=[pb.Move(match=1, decision=1)])])):
    pass
time.sleep(3600)
