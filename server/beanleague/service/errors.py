"""Errors across the wire: a status code and a sentence for people, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import grpc
from google.protobuf.message import Message

_log = logging.getLogger(__name__)

_BUG = "this is a bug in beanleague; the server's log has the details"


class ServiceError(Exception):
    """The server cannot be started; the message says why."""


_Unary = Callable[[Message, grpc.ServicerContext], Message]
_Stream = Callable[[Message, grpc.ServicerContext], Iterator[Message]]


class Explain(grpc.ServerInterceptor):  # type: ignore[type-arg]  # it is generic in its stubs only
    """Ends a call that raised with the status that `code_of` gives its exception, INTERNAL if that gives None."""

    def __init__(self, code_of: Callable[[Exception], grpc.StatusCode | None]) -> None:
        self._code_of = code_of

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Wrap the handler of a call."""
        handler = continuation(handler_call_details)
        if handler is None:
            return None
        codec = (handler.request_deserializer, handler.response_serializer)
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(self._stream(handler.unary_stream), *codec)
        assert handler.unary_unary, "no call of the service takes a stream"
        return grpc.unary_unary_rpc_method_handler(self._unary(handler.unary_unary), *codec)

    def _unary(self, call: _Unary) -> _Unary:
        def explained(request: Message, context: grpc.ServicerContext) -> Message:
            try:
                return call(request, context)
            except Exception as error:  # noqa: BLE001  # whatever it is, people get a sentence
                code, details = self._status(error)
            return context.abort(code, details)

        return explained

    def _stream(self, call: _Stream) -> _Stream:
        def explained(request: Message, context: grpc.ServicerContext) -> Iterator[Message]:
            try:
                yield from call(request, context)
            except Exception as error:  # noqa: BLE001  # whatever it is, people get a sentence
                code, details = self._status(error)
            else:
                return
            context.abort(code, details)

        return explained

    def _status(self, error: Exception) -> tuple[grpc.StatusCode, str]:
        code = self._code_of(error)
        if code is not None:
            return code, str(error)
        _log.error("a call failed unexpectedly", exc_info=error)
        return grpc.StatusCode.INTERNAL, _BUG
