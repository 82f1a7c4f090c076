"""Errors across the wire: a status code and a sentence for people, never a traceback."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator
from math import ceil

import grpc
from google.protobuf.message import Message

from beanleague.service.interceptor import Call, Handler, Interceptor

_log = logging.getLogger(__name__)

# Longer messages are cut; only those that repeat much of a request are longer. gRPC allows 8 KiB on the wire, where a
# letter beyond ASCII takes three times its bytes.
_MAX_DETAILS_BYTES = 2600

RETRY_AFTER = "retry-after-ms"
"""The trailing metadata that says how long to wait."""


class ServiceError(Exception):
    """Raised when the server cannot be started; the message says why."""


class RefusedCallError(Exception):
    """Raised when a call is refused. `code`: its status; `wait`: seconds to wait before trying again, if that helps."""

    def __init__(self, code: grpc.StatusCode, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.wait = wait


class Explain(Interceptor):
    """Ends a call that raised with the status that `code_of` gives its exception.

    If that is None, it is a bug of ours: the log gets the details, the caller an id to find them by. Calls have the
    form that `gate.Gate` gives them: streams in both directions, whose requests are still bytes.
    """

    def __init__(self, code_of: Callable[[Exception], grpc.StatusCode | None]) -> None:
        self._code_of = code_of

    def wrapped(self, method: str, handler: Handler) -> Call:
        """Return the call of `handler` that does not raise."""
        call = handler.stream_stream
        assert call, "the gate makes streams of all calls"

        def explained(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[Message]:
            try:
                yield from call(requests, context)
            except grpc.RpcError:
                return  # the call was cancelled before it had asked anything
            except RefusedCallError as refused:
                code, details = refused.code, str(refused)
                if refused.wait is not None:
                    context.set_trailing_metadata(((RETRY_AFTER, str(ceil(refused.wait * 1000))),))
            except Exception as error:  # noqa: BLE001  # whatever it is, people get a sentence
                code, details = self._status(method, error)
            else:
                return
            context.abort(code, details.encode(errors="replace")[:_MAX_DETAILS_BYTES].decode(errors="ignore"))

        return explained

    def _status(self, method: str, error: Exception) -> tuple[grpc.StatusCode, str]:
        code = self._code_of(error)
        if code is not None:
            return code, str(error)
        number = secrets.token_hex(4)
        _log.error("error %s: %s failed unexpectedly", number, method, exc_info=error)
        return (
            grpc.StatusCode.INTERNAL,
            f"this is a bug in beanleague; the server's log has the details: error {number}",
        )
