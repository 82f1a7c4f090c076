"""Running a league from the command line, and stopping it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, TypeAlias

import grpc

from beanleague.cli.errors import CliError, Stopped
from beanleague.cli.progress import RunView
from beanleague.cli.session import Session
from beanproto.v1.league_pb2 import (
    LEAGUE_STATE_RUNNING,
    RUN_STATE_DONE,
    LeagueInfo,
    Progress,
    RunLeagueRequest,
    ShowLeagueRequest,
)

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub

_PATIENCE = 2.0  # seconds for a run to stop
_LOOK = 0.05  # seconds between two looks whether it has
_STOPPING = (signal.SIGINT, signal.SIGTERM)


class _Interrupt:
    """Ctrl-C was pressed, or SIGTERM came."""


_News: TypeAlias = "Progress | grpc.RpcError | _Interrupt | None"


def play(session: Session, stub: LeagueStub, request: RunLeagueRequest, view: RunView) -> Progress:
    """Play what is left of a league and return the last word on it.

    Raises:
        Stopped: by Ctrl-C or SIGTERM; what was played stays. A second one ends the process at once.
        CliError: the run ended early without saying why.
        grpc.RpcError: the run was refused or failed.
    """
    news: SimpleQueue[_News] = SimpleQueue()
    last = Progress()
    with _interrupts_as_news(news):
        call = stub.RunLeague(request)
        threading.Thread(target=_read, args=(call, news), daemon=True).start()
        with view:
            while (told := news.get()) is not None:
                if isinstance(told, _Interrupt):
                    break
                if isinstance(told, grpc.RpcError):
                    raise told
                last = told
                view.show(last)
        if told is not None:
            call.cancel()  # type: ignore[no-untyped-call]
            raise _stopped(session, stub, request.name, last)
    if last.state != RUN_STATE_DONE:
        raise CliError(f"the run of {request.name} ended early; go on with: {session.command(_again(request.name))}")
    return last


def _read(call: Iterator[Progress], news: SimpleQueue[_News]) -> None:
    """Hand on what the call tells. In a thread of its own, where no interrupt can hit gRPC in mid-step."""
    try:
        for progress in call:
            news.put(progress)
    except grpc.RpcError as error:
        news.put(error)
    else:
        news.put(None)


@contextmanager
def _interrupts_as_news(news: SimpleQueue[_News]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM be news, and the second one the end."""
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        del number, frame
        if interrupted:
            os._exit(Stopped.exit_code)
        interrupted = True
        news.put(_Interrupt())

    before = [signal.signal(number, interrupt) for number in _STOPPING]
    try:
        yield
    finally:
        for number, handler in zip(_STOPPING, before, strict=True):
            signal.signal(number, handler)


def _again(name: str) -> str:
    return f"league run {name}"


def _stopped(session: Session, stub: LeagueStub, name: str, last: Progress) -> Stopped:
    """Wait until the run has stopped, and tell what stays."""
    done, total = last.deals_done, last.deals_total
    deadline = time.monotonic() + _PATIENCE
    try:
        while time.monotonic() < deadline:
            info: LeagueInfo = stub.ShowLeague(ShowLeagueRequest(name=name), timeout=_PATIENCE)
            done, total = info.deals_done, info.deals_total
            if info.state != LEAGUE_STATE_RUNNING:
                break
            time.sleep(_LOOK)
    except grpc.RpcError:
        pass  # the figures of the last progress do
    return Stopped(f"stopped after {done} of {total} deals; go on with: {session.command(_again(name))}")
