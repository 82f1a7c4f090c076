from rawbot import play

from beanproto.v1 import referee_pb2 as pb


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    move = pb.Move(match=request.match, decision=request.decision)
    move.plant.field = 99
    return [move]


play(answer)
