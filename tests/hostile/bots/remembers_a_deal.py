"""Remembers the deals it played, to know the cards when one of them comes again."""

from collections.abc import Iterable

from attacker import attempt, dull, play

from beanproto.v1 import referee_pb2 as pb

matches: dict[int, tuple[int, ...]] = {}


def remember(request: pb.Request) -> Iterable[pb.Move]:
    if request.match not in matches:
        hand = tuple(request.bohnanza.hand)
        attempt(lambda: [match for match, other in matches.items() if other == hand])
        matches[request.match] = hand
    return dull(request)


play(remember)
