"""A match between conversations, with bots that are functions: no processes and no sockets."""

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from beanleague import wire
from beanleague.games import Game, Option, Rules, View
from beanleague.model import PlayedMatch
from beanleague.referee.conversation import Conversation
from beanleague.referee.match import MatchInPlay
from beanleague.referee.messages import Limits, VoidMatch
from beanproto.v1 import referee_pb2 as pb
from tests.referee.helpers import task

Policy = Callable[[View, pb.Move], None]


def dull(view: View, move: pb.Move) -> None:
    wire.action_to_pb(view.default(), move)


def illegal(view: View, move: pb.Move) -> None:
    del view
    move.plant.field = 99


def erring(view: View, move: pb.Move) -> None:
    del view
    move.error = "KeyError: 'beans'"


def garrulous(view: View, move: pb.Move) -> None:
    del view
    move.error = "beans " * 10_000


def lively(seed: int) -> Policy:
    """Choose among the legal actions, the same ones for the same seed."""
    chosen = random.Random(seed)

    def choose(view: View, move: pb.Move) -> None:
        wire.action_to_pb(chosen.choice(view.legal()), move)

    return choose


class Desk:
    """Plays one match: hands requests to policies (per seat) and answers in an order drawn by `shuffle`.

    `no_trades`: the seats whose bots say that they never trade. `exchanges`: for each exchange of messages, the seats
    that were asked at the same time.
    """

    def __init__(
        self,
        policies: Sequence[Policy],
        *,
        shuffle: int = 0,
        strikes: int = 3,
        news: bool = True,
        interludes: bool = False,
        no_trades: Collection[int] = (),
        match_ms: int = 60_000,
    ) -> None:
        self.policies = policies
        self.limits = Limits(strikes=strikes, match_ms=match_ms)
        self.order = random.Random(shuffle)
        self.results: list[PlayedMatch | VoidMatch] = []
        self.exchanges: list[tuple[int, ...]] = []
        self.heard: list[list[pb.RefereeMessage]] = [[] for _ in policies]
        self.now = 0.0
        self._known: dict[int, Rules] = {}
        self.bots = [
            Conversation(self.limits, lambda: self.now, lambda: 0.0, lambda: None, lambda: None) for _ in policies
        ]
        for seat, bot in enumerate(self.bots):
            never = seat in no_trades
            hello = pb.Hello(protocol=wire.PROTOCOL, news=news, interludes=interludes, no_trades=never)
            bot.read(pb.BotMessage(hello=hello))

    @property
    def game(self) -> Game:
        """The game in progress."""
        return self._match._game

    def play(self, ruleset: str = "bohnanza", **options: Option) -> PlayedMatch:
        seats = len(self.policies)
        names = [f"bot {seat}" for seat in range(seats)]
        asked = replace(task(7, range(seats)), ruleset=ruleset, options=options)
        self._match = MatchInPlay(asked, self.bots, names, self.limits, self.results.append)
        self._match.start()
        while not self.results:
            self._answer_all()
        for seat in range(seats):
            self._hear(seat)
        (result,) = self.results
        assert isinstance(result, PlayedMatch)
        return result

    def _hear(self, seat: int) -> pb.RefereeMessage:
        message = self.bots[seat].take() or pb.RefereeMessage()
        self.heard[seat].append(message)
        return message

    def _answer_all(self) -> None:
        seats = list(range(len(self.bots)))
        self.order.shuffle(seats)
        messages = {seat: self._hear(seat) for seat in seats}
        self.exchanges.append(tuple(sorted(seat for seat, message in messages.items() if message.requests)))
        for seat, message in messages.items():
            moves = []
            for request in message.requests:
                view = wire.view_from_pb(request, self._rules(seat), seat)
                move = pb.Move(match=request.match, decision=request.decision)
                self.policies[seat](view, move)
                moves.append(move)
            self.bots[seat].read(pb.BotMessage(moves=moves))

    def _rules(self, seat: int) -> Rules:
        if seat not in self._known:
            start = next(start for heard in self.heard[seat] for start in heard.starts)
            self._known[seat] = wire.rules_from_pb(start)
        return self._known[seat]
