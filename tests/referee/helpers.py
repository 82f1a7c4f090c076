"""Helpers for the tests of the referee, and a match with bots that are functions: no processes and no sockets."""

import random
import re
import time
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

from beanleague import wire
from beanleague.games import Game, Option, Rules, View
from beanleague.games.records.record import Record
from beanleague.model import PlayedMatch
from beanleague.referee.blame import Blame, Register
from beanleague.referee.conversation import Conversation
from beanleague.referee.match import MatchInPlay
from beanleague.referee.messages import GUEST, BotLog, BotSpec, Limits, MatchTask, VoidMatch
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.launch import why_no_programs
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import groups_here
from beanproto.v1 import referee_pb2 as pb
from tests.waiting import TIMEOUT_S

BOTS = Path(__file__).parent / "bots"
QUICK = Limits(move_ms=200, bank_ms=300, connect_ms=3_000)
PATIENT = replace(QUICK, connect_ms=60_000)
"""For a bot process outside of a worker, which would make good how late the referee itself is on a busy machine."""


def starts_programs(layer: Layer) -> bool:
    """Return whether bots under `layer` may start programs on this host."""
    return not why_no_programs(layer, groups_here(QUICK))


def layers_with_programs() -> list[Layer]:
    """Return the confining layers under which bots may start programs here; trusted ones may where there is none."""
    return list(filter(starts_programs, CONFINING))


def bot(number: int, file: str) -> BotSpec:
    """Return the bot in `bots/<file>.py`, which may run where no layer of the sandbox works."""
    return BotSpec(number, file, str(BOTS), ("python", f"{file}.py"), trusted=True)


def new_blame(folder: Path, limits: Limits = QUICK, look: Callable[[], None] = lambda: None) -> Blame:
    """Return what a worker that knows nothing yet remembers; `folder`: of its run."""
    return Blame(limits, Register(folder / "register"), look)


def task(number: int, bots: Sequence[int], *, deal: int = 0, lane: int = 0) -> MatchTask:
    """Return match `number`: `bots` per seat play deal `deal` of the card game for so many."""
    luck = tuple(bytes([seat]) * 16 for seat in range(len(bots)))
    ruleset = "bohnanza" if len(bots) > 2 else "bohnanza-two"
    return MatchTask(number, ruleset, b"deal %d" % deal, tuple(bots), luck, lane)


def finish(
    pool: WorkerPool, matches: int, voids: list[VoidMatch] | None = None
) -> tuple[dict[int, PlayedMatch], list[BotLog]]:
    """Wait until `matches` matches are over; return results by task, and what the bots wrote.

    Fails if none ends within a minute. `voids`: gets those that do not count; None if there should be none.
    """
    results: dict[int, PlayedMatch] = {}
    logs: list[BotLog] = []
    deadline = time.monotonic() + TIMEOUT_S
    while (over := len(results) + len(voids or ())) < matches:
        assert time.monotonic() < deadline, f"{over} of {matches} matches are over, and no other for {TIMEOUT_S:.0f} s"
        for report in pool.poll(1.0):
            if isinstance(report, PlayedMatch | VoidMatch):
                deadline = time.monotonic() + TIMEOUT_S
            if isinstance(report, PlayedMatch):
                assert report.id not in results
                results[report.id] = report
            elif isinstance(report, VoidMatch):
                assert voids is not None, report
                voids.append(report)
            elif isinstance(report, BotLog):
                logs.append(report)
    return results, logs


def play(
    specs: Sequence[BotSpec],
    tasks: Sequence[MatchTask],
    in_flight: int = 8,
    layers: Sequence[Layer] = CONFINING,
    voids: list[VoidMatch] | None = None,
) -> dict[int, PlayedMatch]:
    """Play `tasks` on one worker; return results by task. `voids`: as of `finish`."""
    with WorkerPool(specs, QUICK, workers=1, in_flight=in_flight, layers=layers) as pool:
        for each in tasks:
            pool.submit(each)
        return finish(pool, len(tasks), voids)[0]


def record_of(result: PlayedMatch) -> Record:
    """Return the record of a match."""
    return wire.record_from_pb(pb.Record.FromString(zlib.decompress(result.record)))


def untagged(log: str) -> str:
    """Return what a bot wrote, without the decisions that the referee puts before its lines."""
    return re.sub(r"^\[\S*, move \d+\] ", "", log, flags=re.MULTILINE)


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
        self.request = pb.Request()
        """The request that a policy is asked to answer."""
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

    def play(self, ruleset: str = "bohnanza", *, guest: bool = False, **options: Option) -> PlayedMatch:
        """Play a match. `guest`: whether a guest has seat 0."""
        seats = len(self.policies)
        names = [f"bot {seat}" for seat in range(seats)]
        asked = replace(task(7, range(seats)), ruleset=ruleset, options=options)
        if guest:
            asked = replace(asked, bots=(GUEST, *asked.bots[1:]))
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
                self.request = request
                self.policies[seat](view, move)
                moves.append(move)
            self.bots[seat].read(pb.BotMessage(moves=moves))

    def _rules(self, seat: int) -> Rules:
        if seat not in self._known:
            start = next(start for heard in self.heard[seat] for start in heard.starts)
            self._known[seat] = wire.rules_from_pb(start)
        return self._known[seat]
