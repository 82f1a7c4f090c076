"""A seat at a server's table, for programs in which a person plays a friendly match."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Self

import grpc

from beanleague import __version__, wire
from beanleague.games import RULES_VERSION, Action, IllegalActionError, Option, Record, Rules, View
from beanleague.games.bohnanza import BohnanzaView, Counter, Decision, Offer
from beanleague.games.bohnanza.moves import check_counter, check_offer
from beanproto.v1.referee_pb2 import BotMessage, Hello, RefereeMessage
from beanproto.v1.table_pb2 import Invitation, SitRequest
from beanproto.v1.table_pb2_grpc import TableStub


def check_action(view: View, action: Action) -> None:
    """Check an action before sending it, since a fault would count.

    Raises:
        IllegalActionError: if the rules do not allow the action; the message gives the reason.
    """
    if isinstance(view, BohnanzaView):
        held, cards_of = len(view.hand), {kind.name: kind.cards for kind in view.rules.kinds}
        if type(action) is Offer and view.decision is Decision.TRADE:
            seats = view.rules.seats
            check_offer(action, seat=view.seat, seats=seats, turned=len(view.turned), hand=held, cards_of=cards_of)
            return
        if type(action) is Counter and view.decision is Decision.ANSWER:
            check_counter(action, turned=len(view.turned), hand=held, cards_of=cards_of)
            return
    if action not in view.legal():
        raise IllegalActionError("this cannot be done now")


@dataclass(frozen=True, slots=True)
class Began:
    """The match has begun."""

    ruleset: str
    """Id of the ruleset."""
    seat: int
    """The guest's seat."""
    names: tuple[str, ...]
    """Player names, per seat."""


@dataclass(frozen=True, slots=True)
class GuestAsked:
    """The guest has to decide."""

    decision: int
    """Number of the decision in the match, from 1."""
    view: View
    """View of the guest's seat."""
    may_take_back: bool = False
    """Whether the guest may take back its last move instead of answering."""


@dataclass(frozen=True, slots=True)
class Faulted:
    """The guest's answer was unusable; the default action was played."""

    reason: str
    """Description of the mistake."""
    forfeited: bool
    """Whether the guest has forfeited; if so, no further questions follow."""


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended; the last item of a seat."""

    record: Record
    """Record of the finished match."""


class GuestSeat:
    """A guest's seat in one match. Iterate over it in one thread; `play` and `leave` are thread-safe.

    `seats`: per seat, a bot as "name" or "name@version"; "" once, for the guest. `options`: options of the game.
        `seed`: seed of all chance, empty for a random one. `interludes`: whether to be asked between turns. `metadata`:
        metadata of the call.
    """

    def __init__(
        self,
        channel: grpc.Channel,
        ruleset: str,
        seats: Sequence[str],
        *,
        options: Mapping[str, Option] | None = None,
        seed: bytes = b"",
        interludes: bool = False,
        metadata: tuple[tuple[str, str | bytes], ...] = (),
    ) -> None:
        self._outbox: SimpleQueue[SitRequest | None] = SimpleQueue()
        self._match = 0
        self._seat = 0
        self._rules: Rules | None = None
        self._decision = 0  # number of the last decision asked
        invitation = Invitation(ruleset=ruleset, seats=seats, seed=seed)
        wire.options_to_pb(options or {}, invitation.options)
        self._outbox.put(SitRequest(invitation=invitation))
        hello = Hello(sdk=f"beanleague {__version__}", interludes=interludes, news=True, protocol=wire.PROTOCOL)
        self._outbox.put(SitRequest(message=BotMessage(hello=hello)))
        self._call = TableStub(channel).Sit(iter(self._outbox.get, None), metadata=metadata)

    def __iter__(self) -> Iterator[Began | GuestAsked | Faulted | Over]:
        """Yield the messages of the referee; the last is `Over`.

        Raises:
            grpc.RpcError: if the seating is impossible, or the table ends without a result.
            WireError: if the server has other rules, or sends a message that this program cannot read.
        """
        for answer in self._call:
            if answer.HasField("record"):
                yield Over(wire.record_from_pb(answer.record))
            else:
                yield from self._read(answer.message)

    def _read(self, message: RefereeMessage) -> Iterator[Began | GuestAsked | Faulted]:
        for start in message.starts:
            if start.rules_version != RULES_VERSION:
                raise wire.WireError(
                    f"the server plays rules {start.rules_version}, but this program plays rules {RULES_VERSION}; "
                    "use the same version of Beanleague"
                )
            self._match, self._seat, self._rules = start.match, start.seat, wire.rules_from_pb(start)
            yield Began(start.ruleset, start.seat, tuple(start.names))
        for fault in message.faults:
            yield Faulted(fault.reason, fault.forfeited)
        for request in message.requests:
            if self._rules is None:
                raise wire.WireError("the server asked for a decision in a match that has not started")
            self._decision = request.decision
            view = wire.view_from_pb(request, self._rules, self._seat)
            yield GuestAsked(request.decision, view, request.may_take_back)

    def play(self, action: Action) -> None:
        """Answer the last request."""
        message = BotMessage()
        wire.action_to_pb(action, message.moves.add(match=self._match, decision=self._decision))
        self._outbox.put(SitRequest(message=message))

    def take_back(self) -> None:
        """Take back the last move, in answer to a request that allows it; the same request follows once more."""
        message = BotMessage()
        message.moves.add(match=self._match, decision=self._decision, take_back=True)
        self._outbox.put(SitRequest(message=message))

    def leave(self) -> None:
        """Leave the table, which ends the match."""
        self._outbox.put(None)
        self._call.cancel()  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
