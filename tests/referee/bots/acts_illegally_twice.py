from rawbot import dull, play

from beanproto.v1 import referee_pb2 as pb

left = 2


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    global left
    if request.bohnanza.decision == pb.DECISION_TRADE and left:
        left -= 1
        move = pb.Move(match=request.match, decision=request.decision)
        move.plant.field = 0
        return [move]
    return [dull(request, start)]


play(answer)
