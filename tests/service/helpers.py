"""What tests of the service share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest

from beanproto.v1 import league_pb2 as pb
from beanproto.v1.league_pb2_grpc import LeagueStub


def code(error: grpc.RpcError) -> grpc.StatusCode:
    """Return how a call ended."""
    assert isinstance(error, grpc.Call)
    return error.code()


@contextmanager
def refused(status: grpc.StatusCode, details: str) -> Iterator[None]:
    """Expect that a call ends with `status` and a message with `details` in it."""
    with pytest.raises(grpc.RpcError) as error:
        yield
    assert error.value.code() is status
    assert details in (error.value.details() or "")


def check(stub: LeagueStub, data: bytes) -> pb.BotReport:
    """Let the service check a bundle and return its last report."""
    *_, known = stub.TryBot(pb.TryBotRequest(bundle=data))
    return known.report


def submit(stub: LeagueStub, data: bytes) -> pb.SubmittedBot:
    """Submit a bundle and return the version it became."""
    *_, known = stub.TryBot(pb.TryBotRequest(bundle=data, submit=True))
    return known.submitted
