"""The call of table.proto: friendly matches, each at its own table."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import grpc

from beanleague import wire
from beanleague.league.errors import LeagueError, RequestError
from beanleague.referee.this_node import part_of_the_cores
from beanleague.service.access import Access, RefusedCallError, exhausted
from beanleague.service.backend import Backend
from beanleague.service.gate import who_calls, within
from beanleague.service.room import SharedRoom
from beanproto.v1 import table_pb2
from beanproto.v1.table_pb2_grpc import TableServicer

if TYPE_CHECKING:
    from beanleague.league.friendly import Friendly
    from beanleague.referee.pool import FriendlyTable

MAX_TABLES = 8
"""Maximum number of tables on a server at once. Each takes a thread, a worker, and a process of each bot: 100 to 300
MB."""


class TableCalls(TableServicer):
    """Handler of guests at tables; imports the referee for the first guest."""

    def __init__(self, backend: Backend, access: Access, send_s: float) -> None:
        self._backend = backend
        self._access = access
        self._send_s = send_s
        self._lock = threading.Lock()
        self._places: SharedRoom[_Place] = SharedRoom(MAX_TABLES, MAX_TABLES)

    def Sit(
        self, request_iterator: Iterator[table_pb2.SitRequest], context: grpc.ServicerContext
    ) -> Iterator[table_pb2.SitResponse]:
        friendly = _friendly_from_pb(next(request_iterator))
        with (
            self._place(who_calls(self._access.caller(context), context)) as place,
            _table(self._backend, friendly) as table,
        ):
            problems: list[Exception] = []
            heard = (request_iterator, table.send, table.leave, problems)
            threading.Thread(target=_hear, args=heard, name="guest", daemon=True).start()
            if not context.add_callback(table.leave):
                return
            place.leave_by(table.leave)
            for answer in _answers(table):
                with within(self._send_s, context):  # a guest who does not take the message is dropped
                    yield answer
                if answer.HasField("record"):
                    return
        if place.lost.is_set():
            raise exhausted("closed because all tables were taken and you had the most; try again later")
        raise next(iter(problems), _ended("the guest left"))

    @contextmanager
    def _place(self, who: str) -> "Iterator[_Place]":
        """Take a place for a caller's table, if necessary from a caller who has two more.

        Raises:
            RefusedCallError: if all places are taken.
        """
        place = _Place()
        with self._lock:
            if self._places.full:
                lost = self._places.claim(who)
                if lost is None:
                    raise exhausted(f"all {MAX_TABLES} tables of this server are taken; try again later")
                lost.lose()
            self._places.put(who, place)
        try:
            yield place
        finally:
            self._places.remove(who, place)


def _friendly_from_pb(first: table_pb2.SitRequest) -> "Friendly":
    """Convert a guest's invitation to a friendly match.

    Raises:
        RequestError: if the message is not an invitation, or an option has no value.
    """
    from beanleague.league.friendly import Friendly

    if not first.HasField("invitation"):
        raise RequestError("the first message has no invitation")
    invitation = first.invitation
    try:
        options = wire.options_from_pb(invitation.options)
    except wire.WireError as error:
        raise RequestError(str(error)) from None
    return Friendly(invitation.ruleset, tuple(invitation.seats), options, invitation.seed)


@contextmanager
def _table(backend: Backend, friendly: "Friendly") -> "Iterator[FriendlyTable]":
    """Set up the table for a friendly match; the context's end aborts the match.

    Raises:
        LeagueError: if the table cannot be set up.
        MissingError: if there is no such bot.
    """
    from beanleague.league.bots.cache import BundleCache
    from beanleague.league.bots.house_bots import marked
    from beanleague.league.friendly import set_table
    from beanleague.referee.messages import Limits
    from beanleague.referee.pool import FriendlyTable
    from beanleague.referee.sandbox.layers import SandboxError

    settings = backend.settings
    bots, task = set_table(backend.store, BundleCache(settings.bundles), friendly)
    try:
        trusted = marked(bots, everyone=settings.trust_bots)
        table = FriendlyTable(trusted, Limits(), task, cpus=part_of_the_cores(4))
    except OSError as error:
        raise LeagueError(f"the table could not be set up: {error.strerror or error}") from None
    except SandboxError as error:
        raise LeagueError(str(error)) from None
    with table:
        yield table


def _answers(table: "FriendlyTable") -> Iterator[table_pb2.SitResponse]:
    """Yield a table's messages to its guest. The last is the record of the match, unless the guest leaves.

    Raises:
        RefusedCallError: if the match is void, or its worker died.
    """
    from beanleague.referee.messages import VoidMatch

    try:
        for report in table.read():
            answer = table_pb2.SitResponse()
            if isinstance(report, bytes):
                answer.message.MergeFromString(report)
            elif isinstance(report, VoidMatch):
                raise _ended(report.why)
            else:
                answer.record.MergeFromString(wire.unpacked(report.record))
            yield answer
    except (EOFError, OSError):
        raise _ended("its worker died") from None


class _Place:
    """A caller's place for a table."""

    def __init__(self) -> None:
        self.lost = threading.Event()
        self._lock = threading.Lock()
        self._leave: Callable[[], None] = lambda: None

    def leave_by(self, leave: Callable[[], None]) -> None:
        """Register the function that makes the guest leave; call it at once if the place is already lost."""
        with self._lock:
            self._leave = leave
            if self.lost.is_set():
                leave()

    def lose(self) -> None:
        """Make the guest leave, to free the place for another one."""
        with self._lock:
            self.lost.set()
            self._leave()


def _hear(
    requests: Iterator[table_pb2.SitRequest],
    send: Callable[[bytes], None],
    leave: Callable[[], None],
    problems: list[Exception],
) -> None:
    """Forward a guest's messages to the table until the guest leaves; record the reason of an early end."""
    try:
        for request in requests:
            if not request.HasField("message"):
                raise RequestError("only messages may follow the invitation")  # noqa: TRY301
            send(request.message.SerializeToString())
    except RequestError as error:
        problems.append(error)
    except (grpc.RpcError, OSError):  # the guest has hung up, or the table has ended
        pass
    leave()


def _ended(why: str) -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.ABORTED, f"the table has ended: {why}")
