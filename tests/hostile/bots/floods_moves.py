"""Answers every request a thousand times."""

from collections.abc import Iterable

from attacker import dull, play

from beanproto.v1 import referee_pb2 as pb


def often(request: pb.Request) -> Iterable[pb.Move]:
    move = next(iter(dull(request)))
    return [move] * 1000


play(often)
