"""Rounds of trading without any trade, at small and large tables, one match at a time."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter

from beanleague import wire
from beanleague.games.bohnanza import Offered
from beanleague.model import PlayedMatch
from beanleague.referee.messages import BotSpec, Limits, MatchTask
from beanleague.referee.pool import WorkerPool
from beanproto.v1 import referee_pb2 as pb
from benchmarks.figures import Figure

RULESET = "bohnanza-extended"
TABLES = (3, 5, 7)
ROUNDS = 12  # a turn
MATCHES = 3
RUNS = 3

_CALLER = """
from beanbot import run
from beanbot.bohnanza import BohnanzaBot, Call


class Caller(BohnanzaBot):
    news = False

    def trade(self, view):
        return Call(tuple(seat for seat in range(self.seats) if seat != self.seat))


run(Caller)
"""


def measure() -> list[Figure]:
    """Return, for each table, how long a round takes in which one calls for offers and all others decline."""
    rounds = {seats: [_round(seats) for _ in range(RUNS)] for seats in TABLES}
    return [
        Figure(f"trading: a round that {seats - 1} seats decline", "ms", tuple(seconds * 1000 for seconds in measured))
        for seats, measured in rounds.items()
    ]


def _round(seats: int) -> float:
    """Return the seconds of a round: the extra time of matches with trading, divided by the rounds in them."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "caller"  # readable to the user that a sandboxed bot runs as, unlike the one above
        folder.mkdir()
        (folder / "bot.py").write_text(_CALLER)
        bots = [BotSpec(n, f"caller {n}", str(folder), ("python", "bot.py"), trusted=True) for n in range(seats)]
        with WorkerPool(bots, Limits(), workers=1, in_flight=1) as pool:
            _play(pool, seats, ROUNDS, number=0)  # starts the processes
            without = _play(pool, seats, 0, number=1)
            traded = _play(pool, seats, ROUNDS, number=2)
    return (traded[0] - without[0]) / traded[1]


def _play(pool: WorkerPool, seats: int, max_rounds: int, *, number: int) -> tuple[float, int]:
    """Play `MATCHES` matches, one after the other; return the seconds they took and the rounds of trading in them."""
    start, rounds = perf_counter(), 0
    for match in range(MATCHES):
        options = {"max_rounds": max_rounds}
        luck = (bytes(16),) * seats
        pool.submit(
            MatchTask(number * MATCHES + match, RULESET, b"deal %d" % match, tuple(range(seats)), luck, 0, options)
        )
        while not (results := [report for report in pool.poll(1.0) if isinstance(report, PlayedMatch)]):
            pass
        record = wire.record_from_pb(pb.Record.FromString(wire.unpacked(results[0].record)))
        rounds += sum(isinstance(event, Offered) for event in record.events)
    return perf_counter() - start, rounds
