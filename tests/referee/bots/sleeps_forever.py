import time

from rawbot import play

from beanproto.v1 import referee_pb2 as pb


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    time.sleep(3600)
    return []


play(answer)
