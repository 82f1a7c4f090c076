"""A seat at a table of a server: what a program needs to let a person play a friendly."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from types import TracebackType
from typing import Self

import grpc

from beanleague import __version__
from beanleague.games import Action, IllegalActionError, Option, Record, View
from beanleague.games.bohnanza import BohnanzaView, Counter, Decision, Offer
from beanleague.games.bohnanza.moves import check_counter, check_offer
from beanleague.wire import options_to_pb, record_from_pb
from beanleague.wire.guests import GuestTalk, Heard
from beanproto.v1.table_pb2 import Invitation, SitRequest
from beanproto.v1.table_pb2_grpc import TableStub


def check_action(view: View, action: Action) -> None:
    """Check an action before it is sent, where a fault would be a strike.

    Raises:
        IllegalActionError: if the rules do not allow it; the message says why.
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
class Over:
    """The last that a guest hears."""

    record: Record
    """The match."""


class GuestSeat:
    """A seat that somebody takes for one match. Iterate over it in one thread; `play` and `leave` are for any.

    `seats`: per seat, a bot as "name" or "name@version"; "" once, for the guest. `options`: of the game. `seed`: what
    decides all chance; empty: random. `interludes`: whether to be asked between turns. `metadata`: sent with the call.
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
        self._talk = GuestTalk()
        self._outbox: SimpleQueue[SitRequest | None] = SimpleQueue()
        invitation = Invitation(ruleset=ruleset, seats=seats, seed=seed)
        options_to_pb(options or {}, invitation.options)
        self._outbox.put(SitRequest(invitation=invitation))
        hello = self._talk.hello(f"beanleague {__version__}", interludes=interludes)
        self._outbox.put(SitRequest(message=hello))
        self._call = TableStub(channel).Sit(iter(self._outbox.get, None), metadata=metadata)

    def __iter__(self) -> Iterator[Heard | Over]:
        """Yield what the referee tells; the last is `Over`.

        Raises:
            grpc.RpcError: if nobody can sit like this, or the table ends without a result.
            WireError: if the server plays by other rules, or sends what this program cannot read.
        """
        for answer in self._call:
            if answer.HasField("record"):
                yield Over(record_from_pb(answer.record))
            else:
                yield from self._talk.receive(answer.message)

    def play(self, *actions: Action) -> None:
        """Answer the last request."""
        self._outbox.put(SitRequest(message=self._talk.answer(actions)))

    def leave(self) -> None:
        """Get up, which ends the match."""
        self._outbox.put(None)
        self._call.cancel()  # type: ignore[no-untyped-call]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()
