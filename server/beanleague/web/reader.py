"""What visitors read, asked of the service once for all of them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

import grpc
from google.protobuf.message import Message

RequestT = TypeVar("RequestT", bound=Message)
AnswerT = TypeVar("AnswerT", bound=Message)

TIMEOUT_S = 30.0
"""How long a page waits for the service."""

_MAX_BYTES = 64 * 2**20  # of answers that are kept
_FRESH_S = 1.0


class Reader:
    """Keeps the answers to calls without a token for a moment. However many visitors ask, the service is asked once.

    May be used by any thread. `clock`: seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, bytes], tuple[float, Future[Message]]] = OrderedDict()

    def get(
        self,
        call: grpc.UnaryUnaryMultiCallable[RequestT, AnswerT],
        request: RequestT,
        *,
        fresh: float = _FRESH_S,
    ) -> AnswerT:
        """Return the answer to a call, at most `fresh` seconds old. It is shared: do not change it.

        Raises:
            grpc.RpcError: the call failed. Failures are not kept.
        """
        key = (id(call), request.SerializeToString(deterministic=True))
        with self._lock:
            asked, future = self._kept.get(key, (0.0, None))
            mine = future is None or (future.done() and self._clock() - asked > fresh)
            if mine:
                future = Future()
                self._kept[key] = (self._clock(), future)
                self._kept.move_to_end(key)
        assert future is not None
        if mine:
            self._ask(call, request, key, future)
        return future.result()  # type: ignore[return-value]  # of the call that is part of the key

    def _ask(
        self,
        call: grpc.UnaryUnaryMultiCallable[RequestT, AnswerT],
        request: RequestT,
        key: tuple[int, bytes],
        future: Future[Message],
    ) -> None:
        try:
            future.set_result(call(request, timeout=TIMEOUT_S))
        except BaseException as error:  # noqa: BLE001  # whatever it is, those who wait for it must not wait forever
            with self._lock:
                self._kept.pop(key, None)
            future.set_exception(error)
            return
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        """Drop the oldest answers, beyond what may be kept."""
        size = 0
        for key, (_, future) in reversed(list(self._kept.items())):
            if future.done() and future.exception() is None:
                size += future.result().ByteSize()
                if size > _MAX_BYTES:
                    del self._kept[key]
