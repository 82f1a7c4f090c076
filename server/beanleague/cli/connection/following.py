"""Calls that report progress until they end or are stopped by Ctrl-C, mainly runs of leagues."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import grpc
from google.protobuf.message import Message

from beanleague.cli.connection.session import Session
from beanleague.cli.params import CliError, Stopped
from beanleague.cli.streams import echo
from beanleague.cli.views.output import count_of
from beanleague.cli.views.progress import RunView
from beanleague.referee.sandbox.layers import ABOUT, Layer
from beanproto.v1 import league_pb2 as pb

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

ReportT = TypeVar("ReportT", bound=Message)
Item = TypeVar("Item")

STOP_TIMEOUT_S = 2.0
"""Seconds to wait for a run to stop."""

_POLL_INTERVAL_S = 0.05
_SIGNAL_CHECK_INTERVAL_S = 0.5
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_WARNINGS = {
    Layer.PLAIN: f"Warning: the bots run as plain processes: {ABOUT[Layer.PLAIN].lacks}. See: beanleague doctor",
    Layer.LANDLOCK: (
        f"Warning: the bots run under Landlock, not bubblewrap: {ABOUT[Layer.LANDLOCK].lacks}. Install the package "
        "bubblewrap, or see: beanleague doctor"
    ),
}
_SHOW_CURSOR = b"\x1b[?25h"


def follow(
    start: "Callable[[], grpc.CallIterator[ReportT]]",
    show: Callable[[ReportT], None],
    stopped: Callable[[ReportT | None], Stopped],
) -> ReportT | None:
    """Start a call, show each report, and return the last one; None if there was none.

    Warns once if the bots run under a weaker sandbox layer than bubblewrap. On Ctrl-C or SIGTERM the call is cancelled,
    and the result of `stopped(last report)` is raised. A second signal ends the process at once.

    Raises:
        Stopped: the user stopped the call.
        grpc.RpcError: the call was refused or failed.
        CliError: the server sent an implausible message.
    """
    queue: SimpleQueue[tuple[ReportT] | grpc.RpcError | CliError | KeyboardInterrupt | None] = SimpleQueue()
    last: ReportT | None = None
    with _signals_to(queue.put):
        call = start()
        threading.Thread(target=_read, args=(call, queue.put), daemon=True).start()
        while (item := _next(queue)) is not None:
            if isinstance(item, KeyboardInterrupt):
                call.cancel()  # type: ignore[no-untyped-call]
                raise stopped(last)
            if isinstance(item, grpc.RpcError | CliError):
                raise item
            before = _layer(last)
            (last,) = item
            if _layer(last) != before and _layer(last) in _WARNINGS:
                echo(_WARNINGS[Layer(_layer(last))], err=True)
            show(last)
    return last


def _layer(report: Message | None) -> str:
    """Return the sandbox layer of the bots; "" if unknown or without bots."""
    return getattr(report, "layer", "")


def wait_until_stopped(stub: "LeagueStub", name: str) -> pb.LeagueInfo | None:
    """Wait until a cancelled run has stopped; return the league's state afterwards, or None if unknown."""
    deadline = time.monotonic() + STOP_TIMEOUT_S
    info: pb.LeagueInfo | None = None
    try:
        while time.monotonic() < deadline:
            info = stub.ShowLeague(pb.ShowLeagueRequest(name=name), timeout=STOP_TIMEOUT_S)
            if info.state != pb.LEAGUE_STATE_RUNNING:
                break
            time.sleep(_POLL_INTERVAL_S)
    except grpc.RpcError:
        pass
    return info


def _next(queue: SimpleQueue[Item]) -> Item:
    """Wait for an item, waking up periodically so that a signal that arrived just before the wait is handled."""
    while True:
        with suppress(Empty):
            return queue.get(timeout=_SIGNAL_CHECK_INTERVAL_S)


def _read(
    call: "grpc.CallIterator[ReportT]", put: Callable[[tuple[ReportT] | grpc.RpcError | CliError | None], None]
) -> None:
    """Put the reports of a call into a queue. Runs in its own thread, where no signal can interrupt gRPC."""
    try:
        for report in call:
            put((report,))
    except (grpc.RpcError, CliError) as error:
        put(error)
    else:
        put(None)


@contextmanager
def _signals_to(put: Callable[[KeyboardInterrupt], None]) -> Iterator[None]:
    """Turn the first Ctrl-C or SIGTERM into a queued item; the second ends the process."""
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        del number, frame
        if interrupted:
            if sys.__stdout__ and sys.__stdout__.isatty():
                os.write(sys.__stdout__.fileno(), _SHOW_CURSOR)
            os._exit(Stopped.exit_code)
        interrupted = True
        put(KeyboardInterrupt())

    before = [signal.signal(number, interrupt) for number in _SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(_SIGNALS, before, strict=True):
            signal.signal(number, handler)


def play(
    session: Session, stub: "LeagueStub", request: pb.RunLeagueRequest, view: RunView, words: str = "league run"
) -> pb.Progress:
    """Play the remaining deals of a league; return the last progress report. `words`: the command to continue with.

    Raises:
        Stopped: by Ctrl-C or SIGTERM; finished deals are kept. A second signal ends the process at once.
        CliError: the run ended early without a reason.
        grpc.RpcError: the run was refused or failed.
    """
    again = session.run_command(request.name, words)

    def stopped(last: pb.Progress | None) -> Stopped:
        final = _final_progress(stub, request.name, last or pb.Progress())
        if final.standings:
            view.stopped(final)
        deals = count_of(final.deals_done, final.deals_total, "deal")
        return Stopped(f"stopped after {deals}; continue with: {again}")

    with view:
        last = follow(lambda: stub.RunLeague(request), view.show, stopped)
    if last is None or last.state != pb.RUN_STATE_DONE:
        raise CliError(f"the run of {request.name} ended early; continue with: {again}")
    return last


def _final_progress(stub: "LeagueStub", name: str, last: pb.Progress) -> pb.Progress:
    """Return the progress of a stopped run; without standings if they are not available immediately."""
    final = pb.Progress()
    final.CopyFrom(last)
    final.ClearField("seconds_left")
    final.ClearField("standings")
    info = wait_until_stopped(stub, name)
    if info is None:
        return final  # the last progress report has all totals
    final.deals_done, final.deals_total = info.deals_done, info.deals_total
    if info.deals_done and info.state != pb.LEAGUE_STATE_RUNNING:
        with suppress(grpc.RpcError):
            final.standings.extend(stub.Standings(pb.StandingsRequest(league=name), timeout=STOP_TIMEOUT_S).standings)
    return final
