"""The guest's side of a friendly: the referee's messages in, values of the games out. No sockets."""

from collections.abc import Iterator, Sequence

from beanleague.games import RULES_VERSION, Action, Rules, View
from beanleague.games.core.values import dataclass
from beanleague.wire.codec import PROTOCOL, WireError, action_to_pb
from beanleague.wire.views import rules_from_pb, view_from_pb
from beanproto.v1 import referee_pb2 as pb


@dataclass(frozen=True, slots=True)
class Began:
    """The match begins."""

    ruleset: str
    """Id of the ruleset."""
    seat: int
    """The guest's seat."""
    names: tuple[str, ...]
    """Who plays, per seat."""


@dataclass(frozen=True, slots=True)
class GuestAsked:
    """The guest must decide something."""

    decision: int
    """Number of the decision, from 1."""
    view: View
    """What the guest sees."""


@dataclass(frozen=True, slots=True)
class Faulted:
    """An answer could not be used; the default action was played instead."""

    reason: str
    """What was wrong."""
    forfeited: bool
    """Whether the guest has forfeited: it is not asked any more."""


Heard = Began | GuestAsked | Faulted
"""What the referee tells a guest, until the record of the match comes."""


class GuestTalk:
    """One match, as its guest hears of it."""

    def __init__(self) -> None:
        self._match = 0
        self._seat = 0
        self._rules: Rules | None = None
        self._decision = 0  # that waits for an answer; 0 if none does

    @staticmethod
    def hello(name: str, *, interludes: bool) -> pb.BotMessage:
        """Return the first message. `name`: of the program. `interludes`: ask between turns, too."""
        return pb.BotMessage(hello=pb.Hello(sdk=name, interludes=interludes, news=True, protocol=PROTOCOL))

    def receive(self, message: pb.RefereeMessage) -> Iterator[Heard]:
        """Yield what `message` says.

        Raises:
            WireError: if the server plays by other rules, or sends what this program cannot read.
        """
        for start in message.starts:
            if start.rules_version != RULES_VERSION:
                raise WireError(
                    f"the server plays rules {start.rules_version}, and this program rules {RULES_VERSION}; use the "
                    "same version of Beanleague"
                )
            self._match, self._seat, self._rules = start.match, start.seat, rules_from_pb(start)
            yield Began(start.ruleset, start.seat, tuple(start.names))
        for fault in message.faults:
            yield Faulted(fault.reason, fault.forfeited)
        for request in message.requests:
            if self._rules is None:
                raise WireError("the server asks in a match that has not begun")
            self._decision = request.decision
            yield GuestAsked(request.decision, view_from_pb(request, self._rules, self._seat))

    def answer(self, actions: Sequence[Action]) -> pb.BotMessage:
        """Return the answer to the decision that waits for one. `actions`: at least one."""
        message = pb.BotMessage()
        move = message.moves.add(match=self._match, decision=self._decision)
        action_to_pb(actions[0], move)
        for action in actions[1:]:
            action_to_pb(action, move.then.add())
        self._decision = 0
        return message
