from rawbot import dull, play

from beanproto.v1 import referee_pb2 as pb


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    if request.bohnanza.decision != pb.DECISION_TRADE:
        return [dull(request, start)]
    move = pb.Move(match=request.match, decision=request.decision)
    move.offer.to.append((start.seat + 1) % start.seats)
    move.offer.wants.append(77)  # type: ignore[arg-type]  # that is the point
    return [move]


play(answer)
