"""Looks for the seed of the deal, from which all cards follow: in messages, its environment, and files of /proc."""

from collections.abc import Iterable
from pathlib import Path

from attacker import SEED, STARTS, attempt, dull, play

from beanproto.v1 import referee_pb2 as pb

looked: set[int] = set()


def texts(request: pb.Request) -> Iterable[tuple[str, bytes]]:
    yield "start", STARTS[request.match].SerializeToString()
    yield "request", request.SerializeToString()
    for pattern in ("environ", "cmdline", "maps", "mountinfo"):
        for path in Path("/proc").glob(f"*/{pattern}"):
            try:
                yield str(path), path.read_bytes()
            except OSError:
                continue


def look(request: pb.Request) -> Iterable[pb.Move]:
    if request.match not in looked:
        looked.add(request.match)
        attempt(lambda: [where for where, text in texts(request) if SEED in text or SEED.hex().encode() in text])
    return dull(request)


play(look)
