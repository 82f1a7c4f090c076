import sys

from rawbot import dull, play

from beanproto.v1 import referee_pb2 as pb


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    sys.stderr.write("noise " * 20_000)
    print("on stdout, which nobody reads")
    return [dull(request, start)]


play(answer)
