"""What tests of the service share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import grpc
import pytest


@contextmanager
def refused(code: grpc.StatusCode, details: str) -> Iterator[None]:
    """Expect that a call ends with `code` and a message with `details` in it."""
    with pytest.raises(grpc.RpcError) as error:
        yield
    assert error.value.code() is code
    assert details in (error.value.details() or "")
