"""What a bot may send: whatever it is, its match ends, the others play on, and nothing is raised."""

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, strategies as st

from beanleague import wire
from beanleague.games import View, ruleset, rulesets
from beanleague.games.records.verify import verify
from beanleague.model import FaultKind, PlayedMatch
from beanleague.referee.conversation import Conversation
from beanleague.referee.match import MatchInPlay
from beanleague.referee.messages import Limits, MatchTask, VoidMatch
from beanproto.v1 import referee_pb2 as pb
from tests.fuzz.mutations import EDITS, FEW, Edits, edited
from tests.referee.helpers import record_of
from tests.variants import games

LIMITS = Limits(strikes=50)

# What is sent: noise; or an answer to what was asked last, the n-th that is legal, as it is or edited.
MESSAGES = st.lists(st.binary(max_size=40) | st.tuples(st.integers(0, 50), st.just([]) | EDITS), max_size=30)


class Desk:
    """A match of a bot at seat 0 that sends bytes, with bots that play the default action."""

    def __init__(self, game: str) -> None:
        seats = ruleset(game).least_seats
        self.results: list[PlayedMatch | VoidMatch] = []
        self.bots = [Conversation(LIMITS, lambda: 0.0, lambda: 0.0, lambda: None, lambda: None) for _ in range(seats)]
        self.starts: dict[int, pb.MatchStart] = {}
        for bot in self.bots:
            bot.read(pb.BotMessage(hello=pb.Hello(protocol=wire.PROTOCOL, news=True, interludes=True)))
        task = MatchTask(1, game, b"fuzz", tuple(range(seats)), (bytes(16),) * seats, 0)
        MatchInPlay(task, self.bots, ["x"] * seats, LIMITS, self.results.append).start()

    def asked(self, seat: int) -> list[pb.Request]:
        message = self.bots[seat].take() or pb.RefereeMessage()
        for start in message.starts:
            self.starts[seat] = start
        return list(message.requests)

    def view(self, seat: int, request: pb.Request) -> View:
        return wire.view_from_pb(request, wire.rules_from_pb(self.starts[seat]), seat)

    def answer(self, seat: int, request: pb.Request, number: int | None, edits: Edits) -> None:
        """Answer with the legal action of this number, None for the default one, after some edits."""
        view = self.view(seat, request)
        legal = view.legal() if number is not None else [view.default()]
        move = pb.Move()
        wire.action_to_pb(legal[(number or 0) % len(legal)], move)
        try:
            move = pb.Move.FromString(edited(move.SerializeToString(), edits))
        except DecodeError:
            return
        move.match, move.decision = request.match, request.decision
        self.bots[seat].read(pb.BotMessage(moves=[move]))

    def others_answer(self) -> None:
        """Let the others answer until all wait for seat 0, or the match is over."""
        asked = True
        while asked and not self.results:
            asked = False
            for seat in range(1, len(self.bots)):
                for request in self.asked(seat):
                    asked = True
                    self.answer(seat, request, None, [])


@pytest.mark.parametrize("game", games(*((game.id,) for game in rulesets())))
@FEW
@given(messages=MESSAGES)
def test_a_match_with_a_bot_that_sends_anything_ends_and_verifies(
    game: str, messages: list[bytes | tuple[int, Edits]]
) -> None:
    desk = Desk(game)
    request = None
    for message in messages:
        desk.others_answer()
        request = next(iter(desk.asked(0)), request)
        if isinstance(message, bytes):
            try:
                desk.bots[0].read(pb.BotMessage.FromString(message))
            except DecodeError:
                continue
        elif request is not None:
            desk.answer(0, request, *message)
    desk.bots[0].fail(FaultKind.DISCONNECTED, "the test is over")
    desk.others_answer()
    (result,) = desk.results
    assert isinstance(result, PlayedMatch)
    assert {fault.seat for fault in result.faults} <= {0}
    assert verify(record_of(result)).problem == ""


@given(messages=st.lists(st.binary(max_size=200), max_size=20))
def test_before_and_without_a_match_anything_may_come_too(messages: list[bytes]) -> None:
    bot = Conversation(LIMITS, lambda: 0.0, lambda: 0.0, lambda: None, lambda: None)
    for message in messages:
        try:
            bot.read(pb.BotMessage.FromString(message))
        except DecodeError:
            continue
        bot.tick()
    assert bot.take() is None
