"""A guest's seat in a friendly: a conversation whose other end is not a process of this machine."""

import asyncio
from collections.abc import Callable

from google.protobuf.message import DecodeError

from beanleague.games.records.faults import FaultKind
from beanleague.referee.conversation import Conversation
from beanleague.referee.messages import Limits
from beanproto.v1 import referee_pb2 as pb

ANSWER_TIMEOUT_S = 600.0
"""For how long a guest may leave a request unanswered."""

_UNTIMED_MS = 2**31  # weeks: the clock of a conversation always runs, but never so far
GUEST_LIMITS = Limits(move_ms=_UNTIMED_MS, match_ms=_UNTIMED_MS)
"""The limits of a guest's time. What it is sent are those of the bots at the table."""


class Guest:
    """A guest. Call its methods only in the event loop in which it was made.

    `send` is called with each message for the guest. `answer_timeout`: seconds.
    """

    def __init__(self, send: Callable[[bytes], None], answer_timeout: float = ANSWER_TIMEOUT_S) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._send = send
        self._answer_timeout = answer_timeout
        self._ready = asyncio.Event()  # it has sent its hello, or failed
        self._sending = False
        self.conversation = Conversation(
            GUEST_LIMITS,
            now=loop.time,
            delay=lambda: 0.0,
            on_hello=self._ready.set,
            on_outbox=self._send_soon,
        )

    async def until_ready(self, seconds: float) -> None:
        """Wait for its first message; if that does not come within so many seconds, it has failed."""
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            self._fail(FaultKind.DISCONNECTED, f"the guest said no hello within {seconds:g} s")

    def read(self, data: bytes) -> None:
        """Process a message of the guest."""
        if self.conversation.failure:
            return
        try:
            self.conversation.read(pb.BotMessage.FromString(data))
        except DecodeError:
            self._fail(FaultKind.MALFORMED, "the guest sent a message that cannot be read")
        if self.conversation.failure:
            self._ready.set()

    def tick(self) -> None:
        """Fail if it has been waited for too long. Call it now and then."""
        if self.conversation.waited > self._answer_timeout:
            self._fail(FaultKind.TIMEOUT, f"the guest decided nothing for {self._answer_timeout / 60:g} minutes")

    def _fail(self, kind: FaultKind, reason: str) -> None:
        self.conversation.fail(kind, reason)
        self._ready.set()

    def _send_soon(self) -> None:
        """Send what is in the outbox, once everything that belongs to it is."""
        if not self._sending:
            self._sending = True
            self._loop.call_soon(self._send_outbox)

    def _send_outbox(self) -> None:
        self._sending = False
        if message := self.conversation.take():
            self._send(message.SerializeToString())
