"""Says in many words that it failed, to fill the store with them."""

from collections.abc import Iterable

from attacker import play

from beanproto.v1 import referee_pb2 as pb


def complain(request: pb.Request) -> Iterable[pb.Move]:
    yield pb.Move(match=request.match, decision=request.decision, error="\x1b[2J beans" * 6000)


play(complain)
