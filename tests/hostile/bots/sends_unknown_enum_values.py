"""Answers with kinds of bean that there are not."""

from collections.abc import Iterable

from attacker import play

from beanproto.v1 import referee_pb2 as pb


def odd(request: pb.Request) -> Iterable[pb.Move]:
    move = pb.Move(match=request.match, decision=request.decision)
    move.offer.wants.extend([0, 77, 2**31 - 1, -1])  # type: ignore[list-item]  # that is the point
    yield move


play(odd)
