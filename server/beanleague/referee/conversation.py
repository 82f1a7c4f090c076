"""Protocol between referee and bot process, with time limits but without sockets and processes.

A process is assumed to answer requests one after the other, in order. Therefore only the oldest request has a running
clock, which starts when it is sent or when the previous answer arrives, whichever is later.

A guest's seat in a friendly match is a conversation with a peer that is not a local process.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from beanleague import wire
from beanleague.games import Action
from beanleague.games.records.faults import FaultKind
from beanleague.names import storable
from beanleague.referee.host import Shortage
from beanleague.referee.messages import Limits
from beanproto.v1 import referee_pb2 as pb

_MAX_USELESS_MOVES = 1000  # answers tolerated beyond one per request: a late answer is no fault, a flood is
_MAX_REASON_CHARS = 1000  # maximum length of a stored reason, which a bot may have written


class BotFailedError(Exception):
    """Raised, or passed on, when a bot fails to answer; `kind` and `reason` describe the failure.

    `final`: whether the seat forfeits at once. `killed`: whether the bot was killed for the first time, by another
        program or by itself. `shortage`: the host's shortage, if that is to blame instead of the bot; `culprits`: the
        bots (`BotSpec.number`) that caused most of it.
    """

    def __init__(
        self,
        kind: FaultKind,
        reason: str,
        *,
        final: bool = False,
        killed: bool = False,
        shortage: Shortage | None = None,
        culprits: frozenset[int] = frozenset(),
    ) -> None:
        reason = storable(reason)
        super().__init__(reason)
        self.kind = kind
        self.final = final
        self.killed = killed
        self.shortage = shortage
        self.culprits = culprits
        self.reason = reason if len(reason) <= _MAX_REASON_CHARS else f"{reason[:_MAX_REASON_CHARS]}..."


def out_of_time(limits: Limits) -> BotFailedError:
    """Return the failure of a seat that has no time left in the match."""
    reason = f"thought for more than {limits.match_ms / 1000:g} s in this match"
    return BotFailedError(FaultKind.TIMEOUT, reason, final=True)


@dataclass(eq=False, slots=True)
class AskedSeat:
    """Seat of a match that takes part in a conversation."""

    label: str
    """Name of the match for people, e.g. "spring/12.0"."""
    bank: float
    """Seconds left by which decisions may exceed the time limit."""
    thinking: float
    """Seconds left for all remaining decisions of the match."""
    on_reply: Callable[[], None]
    """Function called when the request has been answered or has failed."""
    number: int = 0
    """Number of the match in this bot process."""
    move: int = 0
    """Index in the record of the move that is asked for. Hidden from the bot."""
    spent: float = 0.0
    """Seconds that the last answer took."""
    reply: pb.Move | Action | BotFailedError | None = None
    """Answer or failure; an action if the bot was not asked, None if the seat has forfeited."""

    def take(self, reply: pb.Move | BotFailedError) -> None:
        """Set the answer or the failure of the pending request."""
        self.reply = reply
        self.on_reply()


class Conversation:
    """All matches of one bot process.

    `hello`: the bot's hello, None before it. `failure`: the failure after which the process plays no more, or None.
    `now` returns the time, `delay` the total delay of the process by the host (seconds). `on_hello` is called after the
    hello, `on_outbox` when there may be messages to send, `note` with a tag and a sentence for the bot's author.

    Tags and moves are hidden from the bot: they would show which matches belong to one deal, and how often other seats
    are asked.
    """

    def __init__(
        self,
        limits: Limits,
        now: Callable[[], float],
        delay: Callable[[], float],
        on_hello: Callable[[], None],
        on_outbox: Callable[[], None],
        note: Callable[[str, str], None] | None = None,
    ) -> None:
        self.messages = 0  # number of messages in both directions
        self.received = 0  # number of messages from the bot
        self.batches = 0  # number of messages with requests to the bot
        self.asked = 0  # number of requests
        self.hello: pb.Hello | None = None
        self.failure: BotFailedError | None = None
        self._limits = limits
        self._clock = _Clock(now, delay)
        self._thinking = _ThinkingTime(now)
        self._on_hello = on_hello
        self._on_outbox = on_outbox
        self._note = note
        self._matches = 0
        self._pending: dict[tuple[int, int], AskedSeat] = {}  # pending requests by match and decision, oldest first
        self._last = ""  # tag of the last decision
        self._outbox = pb.RefereeMessage()
        self._gathered = False  # whether the outbox has contents
        self._unsent = 0  # number of pending requests in the outbox
        self._useless = 0  # number of moves without a request, and of messages without a move

    @property
    def owed(self) -> int:
        """Number of pending answers."""
        return len(self._pending)

    @property
    def waited(self) -> float:
        """Seconds that the process has been working on its current decision; 0 if idle."""
        return self._clock.spent(math.inf) if self._pending else 0.0

    # From the bot

    def read(self, message: pb.BotMessage) -> None:
        """Process a message of the bot. Late or unrequested moves are dropped."""
        self.messages += 1
        self.received += 1
        if self.hello is None:
            if not message.HasField("hello"):
                self.fail(FaultKind.MALFORMED, "the first message has no hello")
                return
            if problem := wire.wrong_protocol(message.hello):
                self.fail(FaultKind.MALFORMED, problem)
                return
            self.hello = message.hello
            self._on_hello()
        elif not message.moves:
            self._useless += 1
        for move in message.moves:
            seat = self._pending.pop((move.match, move.decision), None)
            if seat is None:
                self._useless += 1
                continue
            spent = self._clock.spent(self._limits.move_ms / 1000)
            self._thinking.add(seat, self._clock.since)
            self._clock.next(answered=True)
            self._last = _tag(seat)
            if self._charge(seat, spent):
                seat.take(move)
            else:
                seat.take(BotFailedError(FaultKind.TIMEOUT, f"answered after {spent:.3f} s, which is too late"))
        if self._useless > self.asked + _MAX_USELESS_MOVES:
            self.fail(FaultKind.MALFORMED, f"sent {self._useless} moves that nobody asked for")
        self._on_outbox()

    # To the bot

    def begin(self) -> pb.MatchStart:
        """Begin a match: return its numbered `MatchStart` in the outbox, to be filled by the caller."""
        self._matches += 1
        self._gather()
        return self._outbox.starts.add(match=self._matches)

    def ask(self, seat: AskedSeat, decision: int) -> pb.Request:
        """Ask `seat`: return a `Request` in the outbox, to be filled by the caller."""
        if not self._pending:
            self._clock.wake()
        self._pending[seat.number, decision] = seat
        self._unsent += 1
        self.asked += 1
        self._gather()
        return self._outbox.requests.add(match=seat.number, decision=decision, bank_ms=int(seat.bank * 1000))

    def send_fault(self, seat: AskedSeat, fault: pb.Fault) -> None:
        """Send the bot the reason of its fault, and note it for its author."""
        self._outbox.faults.append(fault)
        self._gather()
        then = "; the match is forfeited" if fault.forfeited else ""
        if self._note:
            self._note(_tag(seat), f"{wire.FAULTS.name(fault.kind)}: {fault.reason}{then}")

    def end(self, end: pb.MatchEnd) -> None:
        """End a match."""
        self._outbox.ends.append(end)
        self._gather()

    def take(self) -> pb.RefereeMessage | None:
        """Return the whole outbox as one message and empty it; None while the process is busy.

        A busy process could not start on more, and one large message costs far less than many small ones.
        """
        if len(self._pending) > self._unsent or not self._gathered:
            return None
        self.messages += 1
        self.batches += self._unsent > 0
        message, self._outbox = self._outbox, pb.RefereeMessage()
        self._gathered = False
        self._unsent = 0
        return message

    def _gather(self) -> None:
        self._gathered = True
        self._on_outbox()

    def tag(self) -> str:
        """Return the tag of the current or last decision, e.g. "[l/12.0, move 34] "; "" before the first decision."""
        for seat in self._pending.values():
            return _tag(seat)
        return self._last

    # Time

    def tick(self) -> None:
        """Check the time limits. Call this every few tens of milliseconds."""
        if not self._pending or self.failure:
            return
        key, seat = next(iter(self._pending.items()))
        allowed = self._limits.move_ms / 1000 + seat.bank
        spent = self._clock.spent(allowed)
        late = spent > allowed
        if late or seat.thinking <= 0:
            del self._pending[key]
            self._last = _tag(seat)
            self._thinking.add(seat, self._clock.since)
            self._clock.next(answered=False)
            self._charge(seat, spent)
            reason = f"no answer within {spent:.3f} s"
            seat.take(BotFailedError(FaultKind.TIMEOUT, reason) if late else out_of_time(self._limits))
            self._on_outbox()
        max_silence = 2 * (self._limits.move_ms + self._limits.bank_ms) / 1000
        if self._pending and self._clock.silent() > max_silence:
            self.fail(FaultKind.TIMEOUT, f"no answer to any request for {max_silence:.0f} s; gave up")

    def look(self) -> None:
        """Update the host's delay of the process, and charge its seats. Call this a few times per second."""
        if self._pending:
            self._thinking.add(next(iter(self._pending.values())), self._clock.since)
        self._thinking.charge(self._clock.look())

    def _charge(self, seat: AskedSeat, spent: float) -> bool:
        """Charge time beyond the move limit to the bank; return whether the bank sufficed."""
        seat.spent = spent
        seat.bank -= max(spent - self._limits.move_ms / 1000, 0.0)
        enough = seat.bank >= 0
        seat.bank = max(seat.bank, 0.0)
        return enough

    # The end

    def fail(
        self,
        kind: FaultKind,
        reason: str,
        *,
        killed: bool = False,
        shortage: Shortage | None = None,
        culprits: frozenset[int] = frozenset(),
    ) -> None:
        """Mark the process as failed, and fail its pending requests. Only the first call counts."""
        if self.failure:
            return
        self.failure = BotFailedError(kind, reason, killed=killed, shortage=shortage, culprits=culprits)
        pending, self._pending = list(self._pending.values()), {}
        for seat in pending:
            seat.take(self.failure)


def _tag(seat: AskedSeat) -> str:
    return f"[{seat.label}, move {seat.move}] "


@dataclass(slots=True)
class _Clock:
    """Clock of one bot process. All times are in seconds."""

    now: Callable[[], float]
    """Clock, in seconds."""
    delay: Callable[[], float]
    """Function that returns the total delay of the process, or of its answers, caused by the host."""
    since: float = 0.0
    """Time at which the process started on the oldest request."""
    heard: float = 0.0
    """Time of the latest answer, or of the first request to an idle process."""
    _delayed: float = field(default=0.0)  # `delay` at the last check
    _base: float = field(default=0.0)  # `delay` at a check before `since`

    def wake(self) -> None:
        """Start the clock, for a request to an idle process."""
        self.heard = self.now()
        self._begin(self.heard)

    def next(self, *, answered: bool) -> None:
        """Switch to the next request, after the oldest one was `answered` or timed out."""
        now = self.now()
        if answered:
            self.heard = now
        self._begin(now)

    def look(self) -> float:
        """Update and return the host's delay. Call this often: only delay measured before `since` counts as earlier."""
        self._delayed = self.delay()
        return self._delayed

    def spent(self, allowed: float) -> float:
        """Return the time spent on the oldest request; beyond `allowed`, the host's delay is subtracted."""
        elapsed = self.now() - self.since
        if elapsed <= allowed:
            return elapsed
        self.look()
        return max(elapsed - (self._delayed - self._base), 0.0)

    def silent(self) -> float:
        """Return the time since the last answer, minus the host's delay."""
        return self.now() - self.heard - (self._delayed - self._base)

    def _begin(self, now: float) -> None:
        self.since = now
        self._base = self._delayed


@dataclass(slots=True)
class _ThinkingTime:
    """Charges seats for the thinking time of their process, minus the host's delay. All times are in seconds.

    The host's delay is known only in total, from time to time. Therefore thinking times are summed per seat and charged
    when the delay is known, which is subtracted in proportion, since its distribution is unknown.
    """

    now: Callable[[], float]
    """Clock, in seconds."""
    _thought: dict[AskedSeat, float] = field(default_factory=dict)  # seconds per seat since the last charge
    _from: float = 0.0  # time of the last charge
    _delayed: float = 0.0  # the host's delay until the last charge

    def add(self, seat: AskedSeat, since: float) -> None:
        """Add the thinking time for `seat` since `since`, or since the last charge if that is later."""
        seconds = self.now() - max(since, self._from)
        self._thought[seat] = self._thought.get(seat, 0.0) + seconds

    def charge(self, delayed: float) -> None:
        """Charge all seats for the time since the last charge; `delayed`: the total delay by the host."""
        total = math.fsum(self._thought.values())
        if total:
            share = max(1 - (delayed - self._delayed) / total, 0.0)
            for seat, seconds in self._thought.items():
                seat.thinking -= seconds * share
        self._thought.clear()
        self._from, self._delayed = self.now(), delayed


ANSWER_TIMEOUT_S = 600.0
"""Seconds that a guest has to answer a request."""

_UNTIMED_MS = 2**31  # milliseconds that never pass (weeks), since the clock of a conversation always runs
GUEST_LIMITS = Limits(move_ms=_UNTIMED_MS, match_ms=_UNTIMED_MS)
"""Time limits of a guest, who is shown the limits of the bots at the table instead."""


class Guest:
    """A guest's conversation. Call its methods only in the event loop that created it.

    `send`: called with each message for the guest.
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._send = send
        self._ready = asyncio.Event()  # set by the guest's hello or by a failure
        self._sending = False
        self.conversation = Conversation(
            GUEST_LIMITS,
            now=loop.time,
            delay=lambda: 0.0,
            on_hello=self._ready.set,
            on_outbox=self._send_soon,
        )

    async def until_ready(self, seconds: float) -> None:
        """Wait for the guest's hello; a guest without one within `seconds` has failed."""
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError:
            self._fail(FaultKind.DISCONNECTED, f"the guest sent no hello within {seconds:g} s")

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
        """Fail the guest after `ANSWER_TIMEOUT_S` without an answer. Call this periodically."""
        if self.conversation.waited > ANSWER_TIMEOUT_S:
            self._fail(FaultKind.TIMEOUT, f"the guest made no decision for {ANSWER_TIMEOUT_S / 60:g} minutes")

    def _fail(self, kind: FaultKind, reason: str) -> None:
        self.conversation.fail(kind, reason)
        self._ready.set()

    def _send_soon(self) -> None:
        """Send the outbox once the current callbacks have completed it."""
        if not self._sending:
            self._sending = True
            self._loop.call_soon(self._send_outbox)

    def _send_outbox(self) -> None:
        self._sending = False
        if message := self.conversation.take():
            self._send(message.SerializeToString())
