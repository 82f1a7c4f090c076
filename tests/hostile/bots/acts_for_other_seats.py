"""Does what only another seat may do: makes offers to itself and to seats there are not, picks answers unasked."""

from collections.abc import Iterable

from attacker import STARTS, play

from beanproto.v1 import referee_pb2 as pb


def meddle(request: pb.Request) -> Iterable[pb.Move]:
    move = pb.Move(match=request.match, decision=request.decision)
    if request.decision % 2:
        move.offer.to.extend([STARTS[request.match].seat, 99])
        move.offer.wants.append(pb.KIND_RED)
    else:
        move.pick.seat = 99
    yield move


play(meddle)
