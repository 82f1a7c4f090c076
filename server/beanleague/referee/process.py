"""One bot process: its own server on its own socket, its one stream, and what it has been asked."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from subprocess import Popen
from typing import Any, Protocol

import grpc

from beanleague.referee import launch
from beanleague.referee.clock import Clock
from beanleague.referee.hostdelay import waited
from beanleague.referee.match import BotSpec, FaultKind, Limits
from beanproto.v1 import referee_pb2 as pb
from beanproto.v1 import referee_pb2_grpc

_LAST_WORDS = 0.3  # seconds a process has between the end of its stream and being killed


class Player(Protocol):
    """A seat of a match, as the process that plays it knows it."""

    number: int  # of the match, for this process
    bank: float  # seconds left

    def answered(self, move: pb.Move) -> None:
        """The process answered the request that was pending."""

    def failed(self, kind: FaultKind, reason: str) -> None:
        """The pending request will not be answered."""


class BotFailedError(Exception):
    """The process cannot play (any more): `kind` and `reason` say why."""

    def __init__(self, kind: FaultKind, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


class BotProcess(referee_pb2_grpc.RefereeServicer):
    """A running bot. All its methods are to be called in the event loop it was made in.

    `playing`: matches under way. `failure`: why it cannot play any more, once that is so.
    """

    def __init__(self, spec: BotSpec, lane: int, limits: Limits, home: Path, lag: Callable[[], float]) -> None:
        self.spec = spec
        self.lane = lane
        self.playing = 0
        self.failure: BotFailedError | None = None
        self.stderr = bytearray()
        self._limits = limits
        self._home = home
        self._matches = 0
        self._pending: dict[tuple[int, int], Player] = {}
        self._outbox = pb.RefereeMessage()
        self._outbox_full = asyncio.Event()
        self._hello: asyncio.Future[pb.Hello] = asyncio.get_running_loop().create_future()
        self._server: grpc.aio.Server | None = None
        self._popen: Popen[bytes] | None = None
        self._exited: asyncio.Task[None] | None = None
        self._clock = Clock(asyncio.get_running_loop().time, lambda: lag() + self._waited())
        self._stderr_left = limits.stderr_bytes
        self._loop = asyncio.get_running_loop()

    # Beginning

    async def connect(self) -> pb.Hello:
        """Start the process and wait for its first message.

        Raises:
            BotFailedError: it cannot be started, or does not say hello in time.
        """
        try:
            await self._start()
            async with asyncio.timeout(self._limits.connect_ms / 1000):
                return await asyncio.shield(self._hello)
        except TimeoutError:
            reason = f"did not connect within {self._limits.connect_ms} ms"
            self._fail(FaultKind.DISCONNECTED, reason)
        except OSError as problem:
            self._fail(FaultKind.CRASH, f"cannot be started: {problem.strerror}: {self.spec.command[0]}")
        except BotFailedError:
            pass
        assert self.failure is not None
        raise self.failure

    async def _start(self) -> None:
        self._home.mkdir(mode=0o700)
        target = f"unix:{self._home / 'referee'}"
        self._server = grpc.aio.server(
            maximum_concurrent_rpcs=1,  # whoever dials first is the bot; nobody else gets in
            options=[("grpc.max_receive_message_length", self._limits.message_bytes)],
        )
        referee_pb2_grpc.add_RefereeServicer_to_server(self, self._server)
        self._server.add_insecure_port(target)
        await self._server.start()
        self._popen = launch.start(self.spec.command, Path(self.spec.folder), target, self._home)
        assert self._popen.stderr is not None
        os.set_blocking(self._popen.stderr.fileno(), False)
        self._loop.add_reader(self._popen.stderr.fileno(), self._read_stderr)
        self._exited = asyncio.create_task(self._watch(self._popen))

    async def _watch(self, popen: Popen[bytes]) -> None:
        """Wait for the process to end, without a thread: the kernel tells through a pidfd."""
        ended = asyncio.Event()
        pidfd = os.pidfd_open(popen.pid)
        self._loop.add_reader(pidfd, ended.set)
        try:
            await ended.wait()
        finally:
            self._loop.remove_reader(pidfd)
            os.close(pidfd)
        code = popen.wait()
        how = f"exited with {code}" if code >= 0 else f"was killed by signal {-code}"
        self._fail(FaultKind.CRASH, f"the process {how}")

    # The stream

    async def Play(  # noqa: N802  # the name of the RPC
        self, request_iterator: AsyncIterator[pb.BotMessage], context: grpc.aio.ServicerContext[Any, Any]
    ) -> None:
        """Serve the bot's one stream."""
        writer = asyncio.create_task(self._write(context))
        try:
            async for message in request_iterator:
                self._read(message)
                if self.failure:
                    break
        finally:
            writer.cancel()
            await asyncio.sleep(0)  # a process that has exited is a crash rather than a lost stream
            self._loop.call_later(_LAST_WORDS, self._fail, FaultKind.DISCONNECTED, "the stream ended")

    def _read(self, message: pb.BotMessage) -> None:
        if not self._hello.done():
            if not message.HasField("hello"):
                self._fail(FaultKind.MALFORMED, "the first message has no hello")
                return
            self._hello.set_result(message.hello)
        for move in message.moves:
            player = self._pending.pop((move.match, move.decision), None)
            if player is None:
                continue  # late, or never asked
            spent = self._clock.spent(self._limits.move_ms / 1000)
            self._clock.next(answered=True)
            if self._charge(player, spent):
                player.answered(move)
            else:
                player.failed(FaultKind.TIMEOUT, f"answered after {spent:.3f} s, which is too late")

    async def _write(self, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        """Send what has gathered in the outbox; while a message is on its way, the next one gathers."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            while True:
                await self._outbox_full.wait()
                await asyncio.sleep(0)  # let the matches that other bots' answers move on add their requests
                self._outbox_full.clear()
                message, self._outbox = self._outbox, pb.RefereeMessage()
                await context.write(message)

    # Matches

    def begin(self) -> pb.MatchStart:
        """Begin a match: return its `MatchStart`, numbered, for the caller to fill before anything else happens."""
        self.playing += 1
        self._matches += 1
        self._outbox_full.set()
        return self._outbox.starts.add(match=self._matches)

    def ask(self, player: Player, decision: int) -> pb.Request:
        """Ask: return a `Request` for the caller to fill before anything else happens."""
        if not self._pending:
            self._clock.wake()
        self._pending[player.number, decision] = player
        self._outbox_full.set()
        return self._outbox.requests.add(match=player.number, decision=decision, bank_ms=int(player.bank * 1000))

    def tell_fault(self, fault: pb.Fault) -> None:
        """Tell the bot why its move could not be used."""
        self._outbox.faults.append(fault)
        self._outbox_full.set()

    def end(self, end: pb.MatchEnd) -> None:
        """End a match."""
        self.playing -= 1
        self._outbox.ends.append(end)
        self._outbox_full.set()

    # Time

    def tick(self) -> None:
        """Look at the clock: to be called every few tens of milliseconds."""
        if not self._pending or self.failure:
            return
        patience = (self._limits.move_ms + self._limits.bank_ms) / 1000
        key, player = next(iter(self._pending.items()))
        allowed = self._limits.move_ms / 1000 + player.bank
        spent = self._clock.spent(allowed)
        if spent > allowed:
            del self._pending[key]
            self._clock.next(answered=False)
            self._charge(player, spent)
            player.failed(FaultKind.TIMEOUT, f"no answer within {spent:.3f} s")
        if self._clock.silent() > 2 * patience:
            self._fail(
                FaultKind.TIMEOUT, f"no answer to anything for {self._clock.silent():.0f} s; the process was killed"
            )

    def look(self) -> None:
        """Note how long the host has kept the process waiting: to be called a few times a second."""
        self._clock.look()

    def _charge(self, player: Player, spent: float) -> bool:
        """Charge what goes beyond the move limit to the bank; return whether it was enough."""
        player.bank -= max(spent - self._limits.move_ms / 1000, 0.0)
        enough = player.bank >= 0
        player.bank = max(player.bank, 0.0)
        return enough

    def _waited(self) -> float:
        return waited(self._popen.pid) if self._popen else 0.0

    # The end

    def _fail(self, kind: FaultKind, reason: str) -> None:
        """Note that the process cannot play any more; what is pending fails with it."""
        if self.failure:
            return
        self.failure = BotFailedError(kind, reason)
        if not self._hello.done():
            self._hello.set_exception(self.failure)
            self._hello.exception()  # it may be that nobody waits for it any more
        pending, self._pending = list(self._pending.values()), {}
        for player in pending:
            player.failed(kind, reason)

    def kill(self) -> None:
        """Kill the whole process group at once."""
        if self._popen:
            launch.kill_group(self._popen.pid)

    async def close(self) -> None:
        """End the stream, give the process a moment to end by itself, and kill its whole group."""
        self._fail(FaultKind.DISCONNECTED, "the match is over for this process")
        if self._server:
            await self._server.stop(0)
        if self._popen and self._exited:
            await asyncio.wait([self._exited], timeout=_LAST_WORDS)
            launch.kill_group(self._popen.pid)
            await self._exited
            assert self._popen.stderr is not None
            self._read_stderr()
            self._loop.remove_reader(self._popen.stderr.fileno())
            self._popen.stderr.close()

    def _read_stderr(self) -> None:
        assert self._popen is not None
        assert self._popen.stderr is not None
        try:
            text = os.read(self._popen.stderr.fileno(), 65536)
        except (BlockingIOError, ValueError):
            return
        if not text:
            self._loop.remove_reader(self._popen.stderr.fileno())
        kept = text[: self._stderr_left]
        if kept and len(kept) < len(text):
            kept += f"\n[the rest is left out: more than {self._limits.stderr_bytes} bytes]\n".encode()
        self.stderr += kept
        self._stderr_left -= min(len(text), self._stderr_left)
