"""A bot process as seen by the referee: a gRPC server on its own socket, with a single stream."""

import asyncio
import contextlib
import errno
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from beanleague.games.records.faults import NEVER_RUN, FaultKind
from beanleague.referee.blame import Blame, oom_kills
from beanleague.referee.child import Child
from beanleague.referee.conversation import BotFailedError, Conversation
from beanleague.referee.host import HERE, Host, Shortage, describe_problem, shortage_of
from beanleague.referee.messages import BotSpec
from beanleague.referee.sandbox.cgroups import OWN_PROCESSES, GroupError
from beanleague.referee.sandbox.launch import BUNDLE, BotFiles, Sandbox
from beanleague.referee.sandbox.process_tree import ProcessTree, Usage
from beanleague.referee.sandbox.users import BotUsers
from beanproto.v1 import referee_pb2 as pb, referee_pb2_grpc

# maximum connections of a bot: it needs one, and its library may reconnect; each takes a descriptor of the referee
_MAX_CONNECTIONS = 4
_NO_TEMPLATE = "the process that bots are forked from was killed"
_EXITED = "the process exited with "
_DONE = f"{_EXITED}0"
_SHORTAGE_S = 1.0  # time for which a past shortage excuses a failure
_IDLE_CPU_S = 0.1  # CPU seconds allowed to a frozen process: the kernel may finish a call before stopping it
_GRACE_S = 0.3  # time between the end of the stream and killing the process

_TRACEBACK_ERROR = re.compile(r"(?:\w+\.)*([A-Z]\w*)(: .*)?")
_TRACEBACK_PLACE = re.compile(r'  File "(.+)", line (\d+)(?:, in (.+))?')
# beginning of a traceback, or of a chain of them
_TRACEBACK_BEGIN = re.compile(r"(?<!:\n\n)^Traceback \(most recent call last\):$", re.MULTILINE)
_REFUSED_START = re.compile(
    r"\bv?fork|spawn|subprocess|cannot run program|\bEPERM\b|operation not permitted", re.IGNORECASE
)


class _OneCall(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic to the type checker only
    """gRPC interceptor that accepts only the first call, the bot's stream. `on_more`: called for each refused call."""

    def __init__(self, on_more: Callable[[], None]) -> None:
        self._called = False
        self._on_more = on_more

    async def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        if self._called:
            self._on_more()
            return grpc.unary_unary_rpc_method_handler(_refuse)
        self._called = True
        return await continuation(handler_call_details)


async def _refuse(request: object, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
    del request
    await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "a bot may make only one call")


class BotProcess(referee_pb2_grpc.RefereeServicer):
    """A running bot. Call its methods only in the event loop that created it.

    `users`: pool of users for bots. `blame`: the worker's knowledge about bots. `home`: the folder to create for its
    socket. `lag`: returns the total lateness of this event loop in seconds. `host`: this machine.
    """

    def __init__(
        self,
        spec: BotSpec,
        lane: int,
        sandbox: Sandbox,
        tree: ProcessTree,
        users: BotUsers,
        blame: Blame,
        *,
        home: Path,
        lag: Callable[[], float],
        host: Host = HERE,
    ) -> None:
        loop = asyncio.get_running_loop()
        self._now = loop.time
        self._lag = lag
        self._host = host
        self.spec = spec
        self.lane = lane
        self._sandbox = sandbox
        self._limits = limits = sandbox.limits
        self._tree = tree
        self._users = users
        self._blame = blame
        # machine-wide kill count of the kernel at the process's start; None if its group counts kills itself
        self._oom_kills: int | None = None
        self._held = Usage()  # resource usage at the last check
        self._refused = 0  # number of threads refused by the host until the last check
        self._home = home
        self.socket = str(home / "referee")
        self._ready = asyncio.Event()  # set by the bot's hello or by a failure
        self._outbox_full = asyncio.Event()
        self.stopping = False
        self._received: int | None = None  # number of messages at the first check while frozen
        self._short_of: tuple[float, OSError] | None = None  # time and kind of the last shortage or refused thread
        self._server: grpc.aio.Server | None = None
        self._child: Child | None = None
        self.conversation = Conversation(
            limits,
            now=loop.time,
            delay=self._delay,
            on_hello=self._ready.set,
            on_outbox=self._outbox_full.set,
            note=self._note,
        )

    async def connect(self) -> pb.Hello:
        """Start the process and wait for its first message.

        Raises:
            BotFailedError: if the process cannot be started, or does not send its hello in time.
        """
        try:
            reserved = self._host.reserve_descriptors()
            try:
                await self._start()
                await self._until_ready()
            finally:
                reserved.release()
        except TimeoutError:
            self._gave_up_waiting()
        except (OSError, GroupError) as problem:
            self.fail_for_host(problem)
        if self._child:
            self._child.check_launch()
        if self.conversation.failure:
            raise self.conversation.failure
        assert self.conversation.hello is not None
        return self.conversation.hello

    async def _start(self) -> None:
        self._home.mkdir(mode=0o700)
        self._server = grpc.aio.server(
            interceptors=[_OneCall(lambda: self._fail(FaultKind.MALFORMED, "the bot made more than one call"))],
            options=[
                ("grpc.max_receive_message_length", self._limits.message_bytes),
                ("grpc.max_allowed_incoming_connections", _MAX_CONNECTIONS),
            ],
        )
        referee_pb2_grpc.add_RefereeServicer_to_server(self, self._server)
        try:
            self._server.add_insecure_port(f"unix:{self.socket}")
        except RuntimeError as problem:  # gRPC writes the reason only to its log
            self._host.reserve_descriptors().release()
            raise OSError(str(problem)) from None
        await self._server.start()
        self._child = Child(
            self._sandbox,
            BotFiles(self.spec.command, Path(self.spec.folder), Path(self.socket), self._home, self.spec.packages),
            self._users,
            self._tree,
            self.conversation.tag,
            self._ended,
        )
        self._oom_kills = None if self._child.group.counts_kills else oom_kills()

    def _gave_up_waiting(self) -> None:
        """Fail for a missing hello; the host is to blame if it delayed the bot."""
        assert self._child
        self._child.check_launch()
        what = f"did not connect within {self._limits.connect_ms} ms"
        self._blame_the_host()
        try:
            self._host.reserve_descriptors().release()
        except OSError as problem:
            self.fail_for_host(problem)
        if not self._child.launched:
            self.fail_for_host(OSError(f"a bot process {what}, because its sandbox was not set up in time"))
        self._fail(FaultKind.DISCONNECTED, what)

    def count_threads(self) -> None:
        """Update the process's number of threads."""
        if self._child:
            self._saw(replace(self._held, threads=self._child.threads()))

    def _saw(self, usage: Usage) -> None:
        self._held = usage
        self._blame.holdings.saw(self, self.spec.number, usage)

    def lacks(self, problem: OSError) -> None:
        """Record a shortage of the host that the bot may suffer from, unless its group counts refused threads."""
        if not self._counts_refusals():
            self._short_of = self._now(), problem

    def _counts_refusals(self) -> bool:
        """Record whether a thread was refused since the last check; return whether the bot's group counts refusals."""
        refused = self._child.group.refusals() if self._child else None
        if refused is not None and refused > self._refused:
            self._refused = refused
            self._short_of = self._now(), OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return refused is not None

    def _blame_the_host(self) -> None:
        """Raise a failure that does not blame the bot if the host had a shortage during its start or just now.

        A bot that hoards the resource, or did so a moment ago, is to blame nevertheless.
        """
        # check now: the shortage that ended the bot may have come after the last tick, which is late on a busy host
        self._blame.look()
        self._counts_refusals()
        if self._short_of and (not self.conversation.hello or self._now() - self._short_of[0] < _SHORTAGE_S):
            problem = self._short_of[1]
            if not self._blame.is_hoarder(self.spec.number, shortage_of(problem)):
                self.fail_for_host(problem)

    def fail_for_host(self, problem: Exception) -> None:
        """Fail without blaming the bot. `problem`: an error of the operating system."""
        shortage = shortage_of(problem)
        culprits = self._blame.suspect(shortage)
        self.end_with(
            BotFailedError(FaultKind.DISCONNECTED, describe_problem(problem), shortage=shortage, culprits=culprits)
        )

    def _forgive_kill(self, *, killed: bool) -> bool:
        """Fail for the host if it ended a process of the bot; return whether another program may have killed it."""
        child = self._child
        if child is None or self.conversation.failure:
            return False
        if killed and child.lost_template:
            self.fail_for_host(OSError(_NO_TEMPLATE))
        elif killed and child.shell_gone:
            self.fail_for_host(OSError("a process of the sandbox around a bot was killed"))
        elif self._was_killed_for_memory(child, killed=killed):
            if self._forgives_memory():
                self.fail_for_host(MemoryError())
        else:
            return killed and self._blame.register.forgives_kill(self.spec.number, explained=False)
        return False

    def _forgives_memory(self) -> bool:
        """Return whether the host is to blame for a kill for lack of memory."""
        number = self.spec.number
        if self._blame.is_hoarder(number, Shortage.MEMORY):
            return False
        return self._blame.register.forgives_kill(number, explained=True)

    def _was_killed_for_memory(self, child: Child, *, killed: bool) -> bool:
        """Return whether the kernel killed a process of the bot because machine or container were out of memory.

        If its group does not count kills, the killed process may have been any other.
        """
        if self._oom_kills is None:
            return child.group.host_ran_out_of_memory()
        return killed and oom_kills() > self._oom_kills

    def _ended(self, reason: str, killed: bool) -> None:  # noqa: FBT001  # signature of `on_exit`
        self.conversation.look()
        if self._child and self._child.group.ran_out_of_memory():
            self._too_much_memory()
        self.count_threads()  # the control group knows the maximum number of threads
        self._blame.holdings.ended(self)
        self._blame_the_host()
        if self._child and not self._child.launched:
            words = self._child.stderr.text.strip()
            self.fail_for_host(OSError(f"a bot process could not be started: {words or reason}"))
        forgiven = self._forgive_kill(killed=killed)
        why = reason if self.conversation.hello else self._why(reason)
        failed = reason.startswith(_EXITED) and reason != _DONE
        explained = self._with_refused_start(why) if failed else why
        if explained != why:
            self._note(self.conversation.tag(), f"{FaultKind.CRASH}: {explained}")
        self._fail(FaultKind.CRASH, explained, killed=forgiven)

    def _why(self, reason: str) -> str:
        """Return the reason why the process ended before its first message, with the error of a Python program."""
        if reason == _DONE:
            return f"{reason}: " + (NEVER_RUN if self._in_python else "it sent no message")
        said = last_words(self._child.stderr.tail, f"{BUNDLE}/", f"{self.spec.folder}/") if self._child else ""
        return f"{reason}: {said}" if said else reason

    @property
    def _in_python(self) -> bool:
        return any(word.endswith(".py") for word in self.spec.command)

    def _with_refused_start(self, reason: str) -> str:
        """Extend the reason of a failure if the bot apparently tried to start a program, which is impossible here.

        Signs are its last error, or, for another language than Python, a silent end before the first message.
        """
        why = self._sandbox.why_no_programs
        if not why or self._child is None:
            return reason
        said = self._child.stderr.tail
        *_, begin = 0, *(found.start() for found in _TRACEBACK_BEGIN.finditer(said))
        silent = not (said.strip() or self._in_python or self.conversation.hello)
        if silent or _REFUSED_START.search(reason) or _REFUSED_START.search(said, begin):
            return f"{reason}; bots cannot start programs on this host: {why}"
        return reason

    def _too_much_memory(self) -> None:
        self._fail(FaultKind.MEMORY, f"used more than {self._limits.memory_bytes // 2**20} MiB of memory")
        self.kill()

    async def _until_ready(self) -> None:
        """Wait for the first message. The host's delay is not charged, as for decisions.

        Raises:
            TimeoutError: if no message comes in time.
        """
        deadline = self._now() + self._limits.connect_ms / 1000
        delayed = self._lag()  # a new process has not been delayed by the host
        while (left := deadline + self._delay() - delayed - self._now()) > 0:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._ready.wait()
                    return
        raise TimeoutError

    def _delay(self) -> float:
        """Return the host's total delay of the process, or of reading its messages, in seconds."""
        return self._lag() + (self._child.look() if self._child else 0.0)

    async def Play(  # noqa: N802  # the name of the RPC
        self, request_iterator: AsyncIterator[pb.BotMessage], context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.RefereeMessage]:
        """Serve the bot's only stream."""
        del context
        reading = asyncio.create_task(self._read(request_iterator))
        try:
            while not self.conversation.failure:
                await self._outbox_full.wait()
                await asyncio.sleep(0)  # let matches whose answers just arrived add their requests first
                self._outbox_full.clear()
                if message := self.conversation.take():
                    yield message
        finally:
            reading.cancel()
            self._stream_ended("the stream ended")

    async def _read(self, messages: AsyncIterator[pb.BotMessage]) -> None:
        try:
            async for message in messages:
                if self._child:
                    # Read stderr before counting the answers: the bot wrote it while working on them.
                    self._child.read_stderr()
                for move in message.moves:
                    if move.error:
                        move.error = self._with_refused_start(move.error)
                self.conversation.read(message)
            self._stream_ended("the bot ended the stream")
        except (grpc.RpcError, DecodeError):
            self._stream_ended("the bot sent a message that cannot be read, or is too large")

    def _stream_ended(self, reason: str) -> None:
        """Fail after the grace period; if the process has ended by then, its exit is the better reason."""
        if not self.stopping:
            self._lose_stream_in(_GRACE_S, reason)

    def _lose_stream_in(self, seconds: float, reason: str) -> None:
        """Fail `seconds` later, plus the host's delay of process ends, because the stream ended."""
        due = self._now() + seconds - self._delay()

        def lose() -> None:
            left = due + self._delay() - self._now()
            if left > 0 and not self.conversation.failure:
                self._lose_stream_in(left, reason)
            else:
                self._lost_stream(reason)

        asyncio.get_running_loop().call_later(seconds, lose)

    def _lost_stream(self, reason: str) -> None:
        """Fail because the stream ended; the bot is not to blame if its template was killed."""
        if self._child and self._child.lost_template:
            self.fail_for_host(OSError(_NO_TEMPLATE))
        self._fail(FaultKind.DISCONNECTED, reason)

    def _fail(self, kind: FaultKind, reason: str, *, killed: bool = False) -> None:
        self.conversation.fail(kind, reason, killed=killed)
        self._wake()

    def _wake(self) -> None:
        self._ready.set()
        self._outbox_full.set()

    @property
    def delayed(self) -> float:
        """Delay by the host in seconds, up to the last check."""
        return self._child.delayed if self._child else 0.0

    def _note(self, tag: str, sentence: str) -> None:
        """Add a sentence for the bot's author to the log."""
        if self._child:
            self._child.stderr.note(tag, sentence)

    def take_stderr(self) -> str:
        """Return the process's stderr since the last call."""
        return self._child.stderr.take() if self._child else ""

    def check_usage(self) -> None:
        """Kill the bot if it exceeds its limits, or lost a process for that reason."""
        if self.conversation.failure or not (self._child and self._child.has_run()):
            return
        own = self.look_at_usage()
        if own.memory > self._limits.memory_bytes or self._child.group.ran_out_of_memory():
            self._too_much_memory()
        elif own.threads > self._limits.processes + OWN_PROCESSES:
            self._fail(FaultKind.CRASH, f"killed for having more than {self._limits.processes} threads and processes")
            self.kill()

    @property
    def owed(self) -> int:
        """Number of pending answers."""
        return self.conversation.owed

    def flooded(self) -> None:
        """Fail the bot for flooding its connection."""
        self._fail(FaultKind.MALFORMED, "flooded its connection with data that is not a message")

    def end_with(self, failure: BotFailedError) -> None:
        """Fail with the given error."""
        self.conversation.fail(failure.kind, failure.reason, shortage=failure.shortage, culprits=failure.culprits)
        self._wake()

    def usage(self) -> Usage:
        """Return the current usage."""
        return self._child.usage() if self._child else Usage()

    def look_at_usage(self) -> Usage:
        """Return the current usage, and record it for `Blame`."""
        usage = self.usage()
        self._saw(usage)
        return usage

    def freeze(self) -> BotFailedError | None:
        """Stop all processes of the bot until `thaw`; return a failure if the bot had to be killed."""
        if self.conversation.failure or not self._child or self._child.freeze():
            return None
        return self._kill_idle("killed for starting processes endlessly while not in a match")

    def check_idle(self) -> BotFailedError | None:
        """Kill the bot if it is active although frozen, which only a process that wakes itself can be.

        Returns the failure in that case.
        """
        if self.conversation.failure or not self._child:
            return None
        used, received = self._child.used_while_frozen(), self.conversation.received
        if self._received is None:  # earlier messages may still arrive now
            self._received = received
        if used > _IDLE_CPU_S:
            return self._kill_idle(f"killed for using {used:.1f} s of CPU while not in a match")
        if received > self._received:
            return self._kill_idle("killed for sending messages while not in a match")
        return None

    def _kill_idle(self, reason: str) -> BotFailedError | None:
        self._fail(FaultKind.CRASH, reason)
        self.kill()
        return self.conversation.failure

    def thaw(self) -> None:
        """Continue all processes of the bot as if no time had passed."""
        self._received = None
        if self._child:
            self._child.thaw()
            self._child.look()

    async def stop(self) -> None:
        """Kill all processes of the bot and wait for their end, without marking it as failed."""
        self.stopping = True
        if self._child:
            await self._child.close(0.0)

    def kill(self) -> None:
        """Kill all processes of the bot immediately."""
        if self._child:
            self._child.kill()

    async def close(self) -> None:
        """End the stream, give the bot the grace period to exit, and kill its remaining processes."""
        self._blame.holdings.ended(self)
        self._fail(FaultKind.DISCONNECTED, "the referee ended the stream")
        if self._server:
            await self._server.stop(_GRACE_S)
        if self._child:
            await self._child.close(_GRACE_S)


def last_words(text: str, *folders: str) -> str:
    """Return error and location of the traceback at the end of `text`; "" if there is none.

    The location is the last one in a file below `folders`, if any.
    """
    *before, last = text.rstrip().splitlines() or [""]
    error = _TRACEBACK_ERROR.fullmatch(last)
    places = [place for line in before if (place := _TRACEBACK_PLACE.fullmatch(line))]
    if not error or not places:
        return ""
    own = [place for place in places if place[1].startswith(folders)] or places
    path, line, name = own[-1].groups()
    where = f"{path.rpartition('/')[2]}, line {line}" + (f", in {name}" if name else "")
    return f"{error[1]}{error[2] or ''} ({where})"
