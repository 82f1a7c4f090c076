"""The base of the interceptors, which stand between a call and its handler."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import Message

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Call = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[Message]]


class Interceptor(grpc.ServerInterceptor):  # type: ignore[type-arg]  # it is generic in its stubs only
    """Wraps the handler of every call.

    It presents all calls to grpc as streams, because the handler of a stream reads the request itself. So a caller that
    is not admitted cannot occupy a thread by sending its request slowly.
    """

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Handler | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Wrap the handler of a call, if there is such a call."""
        handler = continuation(handler_call_details)
        if handler is None:
            return None
        return grpc.stream_stream_rpc_method_handler(
            self.wrapped(handler_call_details.method, handler), response_serializer=handler.response_serializer
        )

    @abstractmethod
    def wrapped(self, method: str, handler: Handler) -> Call:
        """Return what is called instead of `handler`, which is that of the next interceptor or of the service."""
