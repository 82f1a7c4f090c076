from rawbot import dull, play

from beanproto.v1 import referee_pb2 as pb


def answer(request: pb.Request, start: pb.MatchStart) -> list[pb.Move]:
    """Answer, and also what was not asked: other matches, and decisions before and after this one."""
    move = dull(request, start)
    strangers = [pb.Move(match=request.match + 1, decision=request.decision)]
    strangers += [pb.Move(match=request.match, decision=request.decision + more) for more in (-1, 1, 2)]
    return [*strangers, move]


play(answer)
