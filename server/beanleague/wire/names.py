"""The names that numbers on the wire stand for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from beanleague.games import Kind
from beanleague.wire.codec import Names
from beanproto.v1 import referee_pb2 as pb

KINDS: Names[Kind] = Names(pb.Kind.DESCRIPTOR)
"""Bean kinds."""

FAULTS: Names[str] = Names(pb.FaultKind.DESCRIPTOR)
"""Kinds of faults, as `beanleague.model.FaultKind` calls them."""

# Hands and the like repeat from one view to the next, so they are looked up rather than translated again. A bot's
# process needs less room for that than a worker, which plays many matches: 0.3 MB a cache.
SENT, ARRIVED = 4096, 1024


@lru_cache(maxsize=SENT)
def kinds_to_bytes(kinds: Sequence[Kind | None]) -> bytes:
    """Return `kinds`, a tuple, with a byte for each; 0 for None."""
    return bytes([KINDS.number[kind] for kind in kinds])


@lru_cache(maxsize=ARRIVED)
def kinds_from_bytes(data: bytes) -> tuple[Kind, ...]:
    """Return the kinds in `data`.

    Raises:
        WireError: if one of them is unknown.
    """
    return KINDS.names(data)


def kinds_or_none_from_bytes(data: bytes) -> tuple[Kind | None, ...]:
    """Return the kinds in `data`, None for each 0; see `kinds_from_bytes`."""
    return tuple(map(KINDS.name_or_none, data))
