"""Sends moves for matches that it does not play, or plays at the same time."""

from collections.abc import Iterable

from attacker import STARTS, dull, play

from beanproto.v1 import referee_pb2 as pb


def everywhere(request: pb.Request) -> Iterable[pb.Move]:
    for match in range(20):
        if match not in STARTS:
            yield pb.Move(match=match, decision=request.decision, error="not mine")
    yield from dull(request)
    yield pb.Move(match=2**32 - 1, decision=2**32 - 1, error="not mine")


play(everywhere)
