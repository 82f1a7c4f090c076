"""The call of table.proto: friendlies, each at a table of its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

MAX_TABLES = 8
"""Tables of a server at once. Each takes a thread, a worker, and a process of each bot: 100 to 300 MB."""


class TableCalls(TableServicer):
    """Answers the call. What it needs of the referee is imported when somebody sits down."""

    def __init__(self, backend: Backend, access: Access, send_s: float) -> None:
        self._backend = backend
        self._access = access
        self._send_s = send_s
        self._lock = threading.Lock()
        self._places: SharedRoom[_Place] = SharedRoom(MAX_TABLES, MAX_TABLES)

    def Sit(
        self, request_iterator: Iterator[table_pb2.SitRequest], context: grpc.ServicerContext
    ) -> Iterator[table_pb2.SitResponse]:
        from beanleague.league.bots.cache import BundleCache
        from beanleague.league.bots.house_bots import marked
        from beanleague.league.friendly import Friendly, set_table
        from beanleague.referee.messages import Limits, VoidMatch
        from beanleague.referee.pool import FriendlyTable
        from beanleague.referee.sandbox.layers import SandboxError

        first = next(request_iterator)
        if not first.HasField("invitation"):
            raise RequestError("the first message has no invitation")
        invitation = first.invitation
        try:
            options = wire.options_from_pb(invitation.options)
        except wire.WireError as error:
            raise RequestError(str(error)) from None
        friendly = Friendly(invitation.ruleset, tuple(invitation.seats), options, invitation.seed)
        settings = self._backend.settings
        with self._place(who_calls(self._access.caller(context), context)) as place:
            bots, task = set_table(self._backend.store, BundleCache(settings.bundles), friendly)
            try:
                table = FriendlyTable(
                    marked(bots, everyone=settings.trust_bots), Limits(), task, cpus=part_of_the_cores(4)
                )
            except OSError as error:
                raise LeagueError(f"the table could not be set: {error.strerror or error}") from None
            except SandboxError as error:
                raise LeagueError(str(error)) from None
            with table:
                problems: list[Exception] = []
                heard = (request_iterator, table.send, table.leave, problems)
                threading.Thread(target=_hear, args=heard, name="guest", daemon=True).start()
                if not context.add_callback(table.leave):
                    return
                place.leave_by(table.leave)
                try:
                    for report in table.read():
                        with within(self._send_s, context):  # the guest must take the message
                            answer = table_pb2.SitResponse()
                            if isinstance(report, bytes):
                                answer.message.MergeFromString(report)
                            elif isinstance(report, VoidMatch):
                                raise _ended(report.why)
                            else:
                                answer.record.MergeFromString(wire.unpacked(report.record))
                            yield answer
                            if not isinstance(report, bytes):
                                return
                except (EOFError, OSError):
                    raise _ended("its worker died") from None
            if place.lost.is_set():
                raise exhausted("all tables were taken, and you had most of them; try again later")
            raise next(iter(problems), _ended("the guest left"))

    @contextmanager
    def _place(self, who: str) -> "Iterator[_Place]":
        """Take the place of a table of a caller, if need be that of a caller who has two more.

        Raises:
            RefusedCallError: if all are taken.
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


class _Place:
    """The place of a table."""

    def __init__(self) -> None:
        self.lost = threading.Event()
        self._lock = threading.Lock()
        self._leave: Callable[[], None] = lambda: None

    def leave_by(self, leave: Callable[[], None]) -> None:
        """Say how the guest leaves the table, now that there is one; does so if the place is lost already."""
        with self._lock:
            self._leave = leave
            if self.lost.is_set():
                leave()

    def lose(self) -> None:
        """Let the guest leave, since somebody else gets the place."""
        with self._lock:
            self.lost.set()
            self._leave()


def _hear(
    requests: Iterator[table_pb2.SitRequest],
    send: Callable[[bytes], None],
    leave: Callable[[], None],
    problems: list[Exception],
) -> None:
    """Pass what a guest sends to its table until the guest leaves; add why it was not heard any more, if it did not."""
    try:
        for request in requests:
            if not request.HasField("message"):
                raise RequestError("after the invitation, a guest sends messages")  # noqa: TRY301
            send(request.message.SerializeToString())
    except RequestError as error:
        problems.append(error)
    except (grpc.RpcError, OSError):  # it has hung up, or the table has ended
        pass
    leave()


def _ended(why: str) -> RefusedCallError:
    return RefusedCallError(grpc.StatusCode.ABORTED, f"the table has ended: {why}")
