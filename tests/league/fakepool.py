"""A referee for tests of leagues: plays in this process, every bot a simple policy, the same results every time."""

import random
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Unpack

from beanleague.games import Action, new_game
from beanleague.games.records.faults import places_with_forfeits
from beanleague.games.records.record import PlayedMove, Record
from beanleague.games.records.trade_flow import trade_flows
from beanleague.model import Fault, FaultKind, Node, PlayedMatch, SeatResult
from beanleague.referee.deal_pool import DealPool, room_of
from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchReport, MatchTask, PoolSettings, VoidMatch
from beanleague.referee.pool import WorkerPool
from beanleague.wire import record_to_pb
from beanproto.v1 import referee_pb2 as pb

NODE = Node("left", "a CPU", "0.2.0", "3.11.2")

Fails = Callable[[int, int], FaultKind | None]
"""How a bot, given by its number, fails in a decision, counted from 1; with a crash it forfeits."""


def never(bot: int, decision: int) -> None:
    """Do not fail."""


def play(task: MatchTask, bots: Mapping[int, str], fails: Fails = never) -> PlayedMatch:
    """Play a match: a bot of number n does something else than the dull default once in n + 2 decisions."""
    seats = len(task.bots)
    game = new_game(task.ruleset, seats=seats, seed=task.seed, options=task.options)
    chance = [random.Random(luck) for luck in task.luck]
    moves: list[PlayedMove] = []
    decisions = [0] * seats
    faults: list[Fault] = []
    forfeited_at: list[int | None] = [None] * seats
    while not game.over:
        for seat in game.to_act():
            action: Action = game.default(seat)
            if forfeited_at[seat] is not None:
                game.apply(seat, action)
                moves.append(PlayedMove(seat, action, by_default=True))
                continue
            decisions[seat] += 1
            kind = fails(task.bots[seat], decisions[seat])
            if kind is not None:
                crashed = kind is FaultKind.CRASH
                faults.append(Fault(seat, len(moves), kind, f"{kind} in a test", crashed))
                forfeited_at[seat] = game.moment if crashed else None
            elif chance[seat].random() * (task.bots[seat] + 2) < 1:
                action = chance[seat].choice(game.legal(seat))
            game.apply(seat, action)
            moves.append(PlayedMove(seat, action, by_default=kind is not None))
    assert game.outcome is not None
    places = places_with_forfeits(game.outcome.places, forfeited_at)
    record = Record(
        ruleset=task.ruleset,
        seats=seats,
        seed=task.seed,
        options=dict(game.options),
        players=tuple(bots[bot] for bot in task.bots),
        moves=tuple(moves),
        events=tuple(game.events),
        scores=game.outcome.scores,
        places=places,
        faults=tuple(faults),
        luck=task.luck,
    )
    results = [
        SeatResult(
            bot,
            game.outcome.scores[seat],
            places[seat],
            decisions[seat],
            sum(fault.seat == seat for fault in faults),
            forfeited_at[seat] is not None,
        )
        for seat, bot in enumerate(task.bots)
    ]
    if task.thief is not None and game.outcome.rival is not None:
        results.append(SeatResult(task.thief, game.outcome.rival, 3 - places[0], 0, 0, forfeited=False))
    packed = zlib.compress(record_to_pb(record).SerializeToString(deterministic=True), 1)
    return PlayedMatch(task.id, packed, tuple(results), tuple(faults), trade_flows(seats, game.events))


def quick(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
    """Make a match up: all that a league looks at follows from the task, as if it had been played."""
    del bots
    chance = random.Random(task.seed + b"".join(task.luck))
    scores = tuple(chance.randrange(6) + bot for bot in task.bots)
    places = tuple(1 + sum(other > score for other in scores) for score in scores)
    faults = tuple(
        Fault(seat, seat, FaultKind.TIMEOUT, "no answer in 1000 ms", False)
        for seat in range(len(task.bots))
        if chance.random() < 0.1
    )
    failed = {fault.seat for fault in faults}
    seats = tuple(
        SeatResult(bot, scores[seat], places[seat], chance.randrange(50, 100), int(seat in failed), forfeited=False)
        for seat, bot in enumerate(task.bots)
    )
    record = pb.Record(ruleset=task.ruleset, seats=len(task.bots), seed=task.seed, scores=scores, places=places)
    packed = zlib.compress(record.SerializeToString(deterministic=True))
    return PlayedMatch(task.id, packed, seats, faults)


@dataclass
class FakePools:
    """Starts pools that `play` matches in a shuffled order, and remembers all there was.

    `tasks`: all that were submitted; `order_played`: those played, in order. `at_once`: matches reported by a poll.
    `void`: why a task does not count, "" if it does; `host`: whether that is because the host is short of something.
    `killed`: the bot that is killed in a task, None for none. `before`: called before a match is played. `logs`: what
    each bot writes with each match.
    """

    play: Callable[[MatchTask, Mapping[int, str]], PlayedMatch] = quick
    order: int = 0
    at_once: int = 4
    void: Callable[[MatchTask], str] = lambda _: ""
    host: bool = False
    killed: Callable[[MatchTask], int | None] = lambda _: None
    before: Callable[[MatchTask], None] = lambda _: None
    logs: str = ""
    admits: bool = True
    tasks: list[MatchTask] = field(default_factory=list)
    order_played: list[MatchTask] = field(default_factory=list)
    played: int = 0
    most_waiting: int = 0
    started: int = 0
    closed: int = 0
    limits: Limits | None = None
    isolate: bool = False
    cpu: str | None = None
    cores: frozenset[int] = frozenset()
    bots: tuple[BotSpec, ...] = ()
    node: Node = NODE

    def __call__(
        self,
        bots: Sequence[BotSpec],
        limits: Limits,
        **settings: Unpack[PoolSettings],
    ) -> DealPool:
        self.started += 1
        self.isolate = settings.get("isolate", False)
        self.cpu = settings.get("cpu")
        self.cores = settings.get("cores", frozenset())
        self.bots, self.limits = tuple(bots), limits
        pool = FakePool(self, settings["workers"], room_of(settings).in_flight)
        return DealPool(pool, isolate=self.isolate, node=self.node)


class FakePool(WorkerPool):
    """See `FakePools`. It has no workers, only their number."""

    def __init__(self, pools: FakePools, workers: int, in_flight: int) -> None:
        self._pools = pools
        self._number = workers
        self.capacity = workers * in_flight
        self._waiting: list[MatchTask] = []
        self._chance = random.Random(pools.order)

    def lanes(self, seats: int) -> int:
        return -(-seats // self._number) * self._number

    def admit(self, bots: Sequence[BotSpec]) -> bool:
        if self._pools.admits:
            self._pools.bots += tuple(bots)
        return self._pools.admits

    def submit(self, task: MatchTask) -> None:
        lacking = {*task.bots}.difference(bot.number for bot in self._pools.bots)
        assert not lacking, f"the pool has no bots {lacking}, whom {task.label} seats"
        self._waiting.append(task)
        self._pools.tasks.append(task)
        self._pools.most_waiting = max(self._pools.most_waiting, len(self._waiting))

    def poll(self, timeout: float) -> list[MatchReport]:
        del timeout
        names = {bot.number: bot.name for bot in self._pools.bots}
        reports: list[MatchReport] = []
        for _ in range(min(self._pools.at_once, len(self._waiting))):
            task = self._waiting.pop(self._chance.randrange(len(self._waiting)))
            self._pools.played += 1
            self._pools.order_played.append(task)
            self._pools.before(task)
            killed = self._pools.killed(task)
            why = self._pools.void(task) if killed is None else "somebody killed a bot"
            if why:
                reports.append(VoidMatch(task.id, why, killed=killed, host=self._pools.host))
            else:
                reports.append(self._pools.play(task, names))
            if self._pools.logs:
                reports += [BotLog(bot, task.lane, self._pools.logs) for bot in task.bots]
        return reports

    def close(self) -> list[BotLog]:
        self._pools.closed += 1
        return [BotLog(bot.number, 0, "last words\n") for bot in self._pools.bots] if self._pools.logs else []
