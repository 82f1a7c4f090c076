"""Changes its mind about decisions long past."""

from collections.abc import Iterable

from attacker import dull, play

from beanproto.v1 import referee_pb2 as pb


def again(request: pb.Request) -> Iterable[pb.Move]:
    for decision in range(max(request.decision - 3, 0), request.decision):
        yield pb.Move(match=request.match, decision=decision, error="something else")
    yield from dull(request)
    yield pb.Move(match=request.match, decision=request.decision, error="something else")


play(again)
