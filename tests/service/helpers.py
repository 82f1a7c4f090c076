"""What tests of the service share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest


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
