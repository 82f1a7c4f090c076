"""Gate in front of all handlers: access control, rate limits, and conversion of errors to statuses.

Every call passes the gate, which checks caller, role and rate, before its request is read. Errors are returned as a
status code and a sentence for people, never as a traceback.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from math import ceil, isfinite
from types import MappingProxyType
from typing import Any, TypeAlias

import grpc
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import DecodeError, Message

from beanleague.games.core.game import RulesVersionError, UnknownRulesetError
from beanleague.league.errors import BundleError, LeagueError, RequestError, RunError, StillRunningError
from beanleague.names import NameFormatError
from beanleague.service.access import RULES, Access, Caller, Cost, RefusedCallError, Role, exhausted
from beanleague.service.room import SharedRoom
from beanleague.store import MissingError, OwnerError, StoreError, TakenError

Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"

MAX_LATER_BYTES = 64 * 2**10
"""Maximum size of later messages in a stream, the same as of a message from a bot."""

VISITOR = "visitor"
"""Metadata key for the visitor's address, sent by a site; ignored from sites on other machines."""

# Longer messages are cut, which only affects messages that repeat much of a request. gRPC allows 8 KiB on the wire,
# where a letter beyond ASCII takes three times its bytes.
_MAX_DETAILS_BYTES = 2600
_RETRY_AFTER = "retry-after-ms"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Server-wide limits on the number of callers, and on the time to wait for one."""

    threads: int = 64
    """Maximum number of calls at once; more are refused. Half of them are kept for reads."""
    request_s: float = 120.0
    """Seconds in which a request must arrive; a bundle over a slow line takes half of that."""
    send_s: float = 60.0
    """Seconds in which a guest must take a message."""
    connections: int = 512
    idle_ms: int = 10_000
    """Milliseconds that a connection may stay idle, during TLS and between calls. Without a token it is closed at
    once."""


class Gate(grpc.ServerInterceptor):  # type: ignore[type-arg]  # it is generic in its stubs only
    """gRPC interceptor that admits calls by `RULES`, `access` and `throttle`, and converts errors to statuses.

    It presents all calls to grpc as streams, whose handlers read the request themselves, so that a caller who is not
    admitted cannot occupy a thread by sending its request slowly.

    `status_code` gives the status. An error without one is a bug in Beanleague, unless `check` explains it: the details
    are logged, and the caller gets an id to find them by.
    """

    def __init__(self, access: Access, throttle: Throttle, limits: ServerLimits, check: Callable[[], None]) -> None:
        self._access = access
        self._throttle = throttle
        self._limits = limits
        self._check = check
        self._lasting = LastingCalls(limits.threads)

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Handler | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """Wrap the handler of a call, if the call exists."""
        method, handler = handler_call_details.method, continuation(handler_call_details)
        if handler is None:
            return None

        def explained(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[Message]:
            try:
                yield from self.admitted(method, handler, requests, context)
            except grpc.RpcError:
                return  # the call was cancelled before its request arrived
            except RefusedCallError as refused:
                code, details = refused.code, str(refused)
                if refused.wait is not None:
                    context.set_trailing_metadata(((_RETRY_AFTER, str(ceil(refused.wait * 1000))),))
            except Exception as error:  # noqa: BLE001  # people get a sentence for any error
                code, details = self._status(method, error)
            else:
                return
            context.abort(code, details.encode(errors="replace")[:_MAX_DETAILS_BYTES].decode(errors="ignore"))

        return grpc.stream_stream_rpc_method_handler(explained, response_serializer=handler.response_serializer)

    def admitted(
        self, method: str, handler: Handler, requests: Iterator[bytes], context: grpc.ServicerContext
    ) -> Iterator[Message]:
        """Admit a call and yield its answers.

        Raises:
            RefusedCallError: if the call is not admitted.
            RequestError: if the request is missing, too large or malformed.
            grpc.RpcError: if the call was cancelled, e.g. because its request did not arrive in time.
            Exception: any error of the handler.
        """
        rule = RULES[method.rpartition("/")[2]]
        with ExitStack() as during_call:
            try:
                caller = self._access.caller(context)
            except RefusedCallError:
                with self._throttle.admit(_host(context), Cost.READ):
                    raise
            _check_role(caller, rule.role)
            during_call.enter_context(self._throttle.admit(caller.name or _host(context), rule.cost))
            if rule.cost is not Cost.READ:
                during_call.enter_context(self._lasting.admit(caller, context))
            with within(self._limits.request_s, context):
                data = next(requests, None)
            if data is None:
                raise RequestError("the call has no request message")
            request = _message(data, handler, rule.max_bytes)
            _check_values(request)
            yield from _answers(handler, request, requests, context)

    def _status(self, method: str, error: Exception) -> tuple[grpc.StatusCode, str]:
        code = status_code(error)
        if code is None:
            try:
                self._check()
            except StoreError as cause:
                code, error = status_code(cause), cause
        if code is not None:
            return code, str(error)
        number = secrets.token_hex(4)
        _log.error("error %s: %s failed unexpectedly", number, method, exc_info=error)
        details = f"this is a bug in beanleague; the server's log has the details: error {number}"
        return grpc.StatusCode.INTERNAL, details


def _check_role(caller: Caller, role: Role) -> None:
    """Check that a caller may make a call for `role`.

    Raises:
        RefusedCallError: if the role does not suffice.
    """
    if not caller.may(role):
        who, article = caller.name or "a caller without a token", "a" if caller.role is Role.VIEWER else "an"
        why = f"this call is for {role}s, but {who} is {article} {caller.role}"
        raise RefusedCallError(grpc.StatusCode.PERMISSION_DENIED, why)


def _answers(
    handler: Handler, request: Message, requests: Iterator[bytes], context: grpc.ServicerContext
) -> Iterator[Message]:
    """Yield the answers of a handler. `requests`: messages after the first."""
    if handler.unary_stream:
        yield from handler.unary_stream(request, context)
    elif handler.stream_stream:
        # Later messages may take any time, but are as small as those of bots.
        later = (_message(data, handler, MAX_LATER_BYTES) for data in requests)
        yield from handler.stream_stream(chain([request], later), context)
    else:
        assert handler.unary_unary, "no call of the service takes a stream and returns one message"
        yield handler.unary_unary(request, context)


def _check_values(request: Message) -> None:
    """Refuse values that no call accepts, and that would fail deep in a handler.

    Raises:
        RequestError: if an enumeration is unknown, a number is not finite, or a text has a NUL.
    """
    for field, given in request.ListFields():
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            key, value = inner.fields
            _check(key, given)
            _check(value, given.values())
        else:
            _check(field, given if field.is_repeated else (given,))


def _check(field: Field, values: Iterable[Any]) -> None:
    for value in values:
        if field.message_type is not None:
            _check_values(value)
        elif why := _wrong(field, value):
            raise RequestError(f"{field.name} {why}")


def _wrong(field: Field, value: object) -> str:
    """Return the reason why a value is invalid in any request; "" if it is not."""
    if field.enum_type is not None:
        known = value in field.enum_type.values_by_number
        return "" if known else f"is {value}, which is no {field.enum_type.name} known here"
    if isinstance(value, float) and not isfinite(value):
        return f"must be a number, not {value}"
    if isinstance(value, str) and "\0" in value:
        return f"has a NUL character: {value!r:.80}"
    return ""


@contextmanager
def within(timeout_s: float, context: grpc.ServicerContext) -> Iterator[None]:
    """Cancel a call if waiting for its caller in this context takes longer than `timeout_s`."""
    late = threading.Timer(timeout_s, context.cancel)
    late.daemon = True
    late.start()
    try:
        yield
    finally:
        late.cancel()


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


def who_calls(caller: Caller, context: grpc.ServicerContext) -> str:
    """Return the key that a call's limits are counted by: token, visitor of this process's site, or address."""
    host = _host(context)
    if caller.name or not host.startswith("unix:"):
        return caller.name or host
    return next((f"visitor {value!s}" for key, value in context.invocation_metadata() or () if key == VISITOR), host)


def _host(context: grpc.ServicerContext) -> str:
    """Return the origin of a call, e.g. "ipv4:192.0.2.7"; no token has such a name."""
    peer = context.peer()
    return peer if peer.startswith("unix:") else peer.rpartition(":")[0]


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of one caller for calls of a cost class."""

    rate: float
    """Long-term number of calls per second."""
    burst: int
    """Number of calls allowed at once after a pause."""
    open: int
    """Maximum number of concurrent calls."""


class LastingCalls:
    """Admits long-lived calls, up to half of `threads`; when full, the caller with most of them makes room.

    A call that makes room is cancelled but keeps its thread until it notices, so three quarters may be in use for
    a while. Organisers' calls are never cancelled, since league runs would end with them.
    """

    def __init__(self, threads: int) -> None:
        self._most = threads * 3 // 4
        self._lock = threading.Lock()
        self._room: SharedRoom[grpc.ServicerContext] = SharedRoom(threads // 2, threads)
        self._under_way = 0

    @contextmanager
    def admit(self, caller: Caller, context: grpc.ServicerContext) -> Iterator[None]:
        """Admit a call for the duration of this context.

        Raises:
            RefusedCallError: if there is no room, and no caller has two calls more than this one.
        """
        owner = who_calls(caller, context)
        visitor = not caller.name and owner.startswith("visitor ")
        if caller.role is Role.ORGANISER and not visitor:
            owner += f" {id(context)}"  # an owner of its own, since an owner's only call is never cancelled for others
        with self._lock:
            if self._room.full:
                lost = self._room.claim(owner) if self._under_way < self._most else None
                if lost is None:
                    raise exhausted("too many long-running calls; try again in a moment", 5.0)
                lost.cancel()  # type: ignore[no-untyped-call]
            self._room.put(owner, context)
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._room.remove(owner, context)
                self._under_way -= 1


ALLOWANCES = MappingProxyType(
    {
        Cost.READ: Allowance(rate=20, burst=100, open=16),
        Cost.WORK: Allowance(rate=1, burst=30, open=4),  # a trial takes seconds of a core
        Cost.RUN: Allowance(rate=0.5, burst=10, open=4),
        Cost.TABLE: Allowance(rate=0.5, burst=10, open=2),
    }
)
"""Default allowances of each caller by cost class."""


_MAX_ACCOUNTS = 4096  # maximum number of accounts; beyond it, accounts with their full allowance are dropped


@dataclass(slots=True)
class _Account:
    left: float
    seen: float
    open: int = 0


class Throttle:
    """Admits calls within `allowances`; calls whose cost has no allowance are not limited. `clock`: seconds."""

    def __init__(self, allowances: Mapping[Cost, Allowance], clock: Callable[[], float] = time.monotonic) -> None:
        self._allowances = allowances
        self._clock = clock
        self._lock = threading.Lock()
        self._accounts: dict[tuple[str, Cost], _Account] = {}

    @contextmanager
    def admit(self, who: str, cost: Cost) -> Iterator[None]:
        """Admit a call for the duration of this context.

        Raises:
            RefusedCallError: if `who` makes too many calls; the error gives the time to wait.
        """
        allowance = self._allowances.get(cost)
        if allowance is None:
            yield
            return
        account = self._enter(who, cost, allowance)
        try:
            yield
        finally:
            with self._lock:
                account.open -= 1

    def _enter(self, who: str, cost: Cost, allowance: Allowance) -> _Account:
        with self._lock:
            now = self._clock()
            account = self._accounts.get((who, cost))
            if account is None:
                if len(self._accounts) >= _MAX_ACCOUNTS:
                    self._forget(now)
                account = self._accounts[who, cost] = _Account(allowance.burst, now)
            if account.open >= allowance.open:
                raise exhausted(f"too many concurrent calls of this kind ({account.open}); wait for one to finish")
            account.left = min(allowance.burst, account.left + (now - account.seen) * allowance.rate)
            account.seen = now
            if account.left < 1:
                wait = (1 - account.left) / allowance.rate
                raise exhausted(f"you have made too many calls; try again in {max(wait, 0.1):.1f} seconds", wait)
            account.left -= 1
            account.open += 1
            return account

    def _forget(self, now: float) -> None:
        """Drop accounts that have their full allowance."""
        for (who, cost), account in list(self._accounts.items()):
            allowance = self._allowances[cost]
            if not account.open and account.left + (now - account.seen) * allowance.rate >= allowance.burst:
                del self._accounts[who, cost]


def status_code(error: Exception) -> grpc.StatusCode | None:
    """Return the status for an error; None for an unexpected one, which is a bug."""
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), None)


_CODES: Mapping[type, grpc.StatusCode] = {
    NameFormatError: grpc.StatusCode.INVALID_ARGUMENT,
    RequestError: grpc.StatusCode.INVALID_ARGUMENT,
    BundleError: grpc.StatusCode.INVALID_ARGUMENT,
    RunError: grpc.StatusCode.ABORTED,
    StillRunningError: grpc.StatusCode.DEADLINE_EXCEEDED,
    RulesVersionError: grpc.StatusCode.FAILED_PRECONDITION,
    UnknownRulesetError: grpc.StatusCode.FAILED_PRECONDITION,  # the league was created by another version
    LeagueError: grpc.StatusCode.FAILED_PRECONDITION,
    OwnerError: grpc.StatusCode.PERMISSION_DENIED,
    MissingError: grpc.StatusCode.NOT_FOUND,
    TakenError: grpc.StatusCode.ALREADY_EXISTS,
    StoreError: grpc.StatusCode.FAILED_PRECONDITION,
}
