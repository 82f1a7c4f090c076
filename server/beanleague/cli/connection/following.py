"""Following a call that tells how something goes, and stopping it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, Protocol, TypeVar

import click
import grpc

from beanleague.cli.errors import Stopped
from beanleague.referee.sandbox.layers import ABOUT, Layer
from beanproto.v1.league_pb2 import LEAGUE_STATE_RUNNING, LeagueInfo, ShowLeagueRequest

if TYPE_CHECKING:
    from beanproto.v1.league_pb2_grpc import LeagueStub


class News(Protocol):
    """How matches that are being played go. `layer`: of the sandbox, that the bots run under; "": not known yet."""

    @property
    def layer(self) -> str: ...


Told = TypeVar("Told", bound=News)
Told_co = TypeVar("Told_co", bound=News, covariant=True)
Item = TypeVar("Item")

PATIENCE = 2.0
"""Seconds for a run to stop."""

_LOOK = 0.05  # seconds between two looks whether it has
_NAP = 0.5  # seconds
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_UNPROTECTED = f"Warning: the bots run as plain processes, and {ABOUT[Layer.PLAIN].lacks}. See: beanleague doctor"
_SHOW_CURSOR = b"\x1b[?25h"


class Call(Protocol[Told_co]):
    """A call that answers with a stream."""

    def __iter__(self) -> Iterator[Told_co]: ...

    def cancel(self) -> object:
        """End it."""


class _Interrupt:
    """Ctrl-C was pressed, or SIGTERM came."""


def follow(
    start: Callable[[], Call[Told]], show: Callable[[Told], None], stopped: Callable[[Told | None], Stopped]
) -> Told | None:
    """Start a call, show whatever it tells, and return the last of it; None if it told nothing.

    Warn once if the bots run without a sandbox.
    At Ctrl-C or SIGTERM the call is cancelled, and what `stopped` makes of the last word is raised. A second one ends
    the process at once.

    Raises:
        Stopped: it was.
        grpc.RpcError: the call was refused or failed.
    """
    news: SimpleQueue[tuple[Told] | grpc.RpcError | _Interrupt | None] = SimpleQueue()
    last: Told | None = None
    with _interrupts_put(news.put):
        call = start()
        threading.Thread(target=_read, args=(call, news.put), daemon=True).start()
        while (told := _next(news)) is not None:
            if isinstance(told, _Interrupt):
                call.cancel()
                raise stopped(last)
            if isinstance(told, grpc.RpcError):
                raise told
            before = last.layer if last else ""
            (last,) = told
            if last.layer == Layer.PLAIN != before:
                click.echo(_UNPROTECTED, err=True)
            show(last)
    return last


def when_stopped(stub: LeagueStub, name: str) -> LeagueInfo | None:
    """Wait until the run of a league, whose call was cancelled, has stopped; return how it is then, None: not known."""
    deadline = time.monotonic() + PATIENCE
    info: LeagueInfo | None = None
    try:
        while time.monotonic() < deadline:
            info = stub.ShowLeague(ShowLeagueRequest(name=name), timeout=PATIENCE)
            if info.state != LEAGUE_STATE_RUNNING:
                break
            time.sleep(_LOOK)
    except grpc.RpcError:
        pass
    return info


def _next(news: SimpleQueue[Item]) -> Item:
    """Wait for news. Never for long at once: a signal that comes just before the waiting is handled only after it."""
    while True:
        with suppress(Empty):
            return news.get(timeout=_NAP)


def _read(call: Call[Told], put: Callable[[tuple[Told] | grpc.RpcError | None], None]) -> None:
    """Hand on what the call tells. In a thread of its own, where no interrupt can hit gRPC in mid-step."""
    try:
        for told in call:
            put((told,))
    except grpc.RpcError as error:
        put(error)
    else:
        put(None)


@contextmanager
def _interrupts_put(put: Callable[[_Interrupt], None]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM be news, and the second one the end."""
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        del number, frame
        if interrupted:
            if sys.__stdout__ and sys.__stdout__.isatty():
                os.write(sys.__stdout__.fileno(), _SHOW_CURSOR)
            os._exit(Stopped.exit_code)
        interrupted = True
        put(_Interrupt())

    before = [signal.signal(number, interrupt) for number in _STOPPING]
    try:
        yield
    finally:
        for number, handler in zip(_STOPPING, before, strict=True):
            signal.signal(number, handler)
