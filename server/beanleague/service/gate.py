"""The gate that every call passes: it checks caller, role and rate before it reads the request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain

import grpc
from google.protobuf.message import DecodeError, Message

from beanleague.league.errors import RequestError
from beanleague.service.access import RULES, Access, Caller, Cost
from beanleague.service.errors import RefusedCallError
from beanleague.service.interceptor import Call, Handler, Interceptor
from beanleague.service.throttle import Throttle

MAX_LATER_BYTES = 64 * 2**10
"""Maximum size of a message of a stream after the first, as of a message from a bot."""

_REQUEST_TIMEOUT_S = 120.0  # for a request to arrive: a bundle on a slow line takes half of that


class Gate(Interceptor):
    """Admits calls according to `RULES`, `access` and `throttle`."""

    def __init__(self, access: Access, throttle: Throttle) -> None:
        self._access = access
        self._throttle = throttle

    def wrapped(self, method: str, handler: Handler) -> Call:
        """Return the call of `handler` for those who are let in."""
        rule = RULES[method.rpartition("/")[2]]

        def guarded(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[Message]:
            with ExitStack() as during_call:
                caller = self._known(context)
                if not caller.may(rule.role):
                    who = caller.name or "a caller without a token"
                    raise RefusedCallError(
                        grpc.StatusCode.PERMISSION_DENIED,
                        f"this call is for {rule.role}s, and {who} is {_a(str(caller.role))}",
                    )
                during_call.enter_context(self._throttle.admit(caller.name or _host(context), rule.cost))
                request = _read(requests, context, handler, rule.max_bytes)
                if handler.unary_stream:
                    yield from handler.unary_stream(request, context)
                elif handler.stream_stream:
                    yield from handler.stream_stream(chain([request], _later(requests, handler)), context)
                else:
                    assert handler.unary_unary, "no call of the service takes a stream and returns one message"
                    yield handler.unary_unary(request, context)

        return guarded

    def _known(self, context: grpc.ServicerContext) -> Caller:
        try:
            return self._access.caller(context)
        except RefusedCallError:
            with self._throttle.admit(_host(context), Cost.READ):
                raise


def _read(requests: Iterator[bytes], context: grpc.ServicerContext, handler: Handler, max_bytes: int) -> Message:
    """Return the request of an admitted call. The call is cancelled if the request does not arrive in time.

    Raises:
        RequestError: if there is no request, or it is too large or malformed.
        grpc.RpcError: if the call was cancelled.
    """
    late = threading.Timer(_REQUEST_TIMEOUT_S, context.cancel)
    late.daemon = True
    late.start()
    try:
        data = next(requests, None)
    finally:
        late.cancel()
    if data is None:
        raise RequestError("the call came without a request")
    return _message(data, handler, max_bytes)


def _later(requests: Iterator[bytes], handler: Handler) -> Iterator[Message]:
    """Yield the messages of a stream after the first: they may take their time, but are as small as those of bots.

    Raises:
        RequestError: if one is too large or malformed.
        grpc.RpcError: if the call was cancelled.
    """
    for data in requests:
        yield _message(data, handler, MAX_LATER_BYTES)


def _message(data: bytes, handler: Handler, max_bytes: int) -> Message:
    if len(data) > max_bytes:
        raise RequestError(f"the request has {len(data):,} bytes; the maximum for this call is {max_bytes:,}")
    assert handler.request_deserializer, "every call of the service takes a message"
    try:
        request: Message = handler.request_deserializer(data)
    except DecodeError:
        raise RequestError(
            "the request is not a valid message for this call; the server may run a different version"
        ) from None
    return request


def _host(context: grpc.ServicerContext) -> str:
    """Return from where a call comes, e.g. "ipv4:192.0.2.7"; no token has such a name."""
    peer = context.peer()
    return peer if peer.startswith("unix:") else peer.rpartition(":")[0]


def _a(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
