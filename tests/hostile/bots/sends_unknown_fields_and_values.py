"""Answers with fields and kinds of action that there are not."""

from collections.abc import Iterable

from attacker import play

from beanproto.v1 import referee_pb2 as pb


def odd(request: pb.Request) -> Iterable[pb.Move]:
    move = pb.Move(match=request.match, decision=request.decision)
    move.MergeFromString(b"\xfa\x7f\x04\x08\xff\xff\x01\xc9\x7f\x00\x00\x00\x00\x00\x00\xf8\x7f")
    yield move


play(odd)
