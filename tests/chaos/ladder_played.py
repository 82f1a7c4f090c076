"""Run as a program: plays the ladder "spring" of the database at a URL until DEALS are done, or until SIGTERM.

    python -m tests.chaos.ladder_played URL [DEALS] [--company]

Prints the number of deals that are done. It fails if anything is played before what was planned when it began. Every
start sets the clock to the same morning, as a machine whose clock has no battery does.

With --company results are real ones of bots among which company decides: see `of_company`.
"""

import signal
import sys
import time
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np

from beanleague.league.run.progress import Progress
from beanleague.model import PlayedMatch, SeatResult
from beanleague.names import parse_match
from beanleague.referee.messages import MatchTask
from beanleague.store import Store
from beanproto.v1 import referee_pb2 as pb
from tests.league.fakepool import FakePools, quick
from tests.league.helpers import league_run

OUTCOMES = Path(__file__).parents[2] / "benchmarks" / "data" / "outcomes.npz"
KINDS = (1, 2, 3, 4, 5, *[0] * 6, 5)
"""Kinds of the bots with --company, by number: the house bots, six copies of the starter, and one more of the best."""
_MORNING = 1_800_000_000.0
_REPORT_S = 0.01


def of_company() -> FakePools:
    """Return pools whose places are those of real deals of the kinds at each table: see `benchmarks.company`."""
    data = np.load(OUTCOMES)
    at = {tuple(row): number for number, row in enumerate(data["tables"].tolist())}
    places, seats = data["place"], data["seat"]

    def play(task: MatchTask, bots: Mapping[int, str]) -> PlayedMatch:
        _, deal, rotation = parse_match(task.label)
        order = sorted(task.bots, key=lambda bot: (KINDS[bot], sha256(b"%d/%d" % (deal, bot)).digest()))
        row = at[tuple(KINDS[bot] for bot in order)], deal % places.shape[1], rotation
        place = dict(zip((order[each] for each in seats[row]), places[row].tolist(), strict=True))
        scores = tuple(4 - place[bot] for bot in task.bots)
        record = pb.Record(ruleset=task.ruleset, seats=4, seed=task.seed, scores=scores)
        packed = zlib.compress(record.SerializeToString(deterministic=True))
        results = tuple(
            SeatResult(bot, score, place[bot], 60, 0, forfeited=False)
            for bot, score in zip(task.bots, scores, strict=True)
        )
        return PlayedMatch(task.id, packed, results, ())

    return FakePools(play)


def main() -> None:
    url, *goal = sys.argv[1:]
    company = "--company" in goal
    deals = next((int(each) for each in goal if each.isdigit()), sys.maxsize)
    began = time.monotonic()

    def report(progress: Progress) -> None:
        begun = dict.fromkeys(int(task.label.split("/")[1].split(".")[0]) for task in pools.tasks)
        assert list(begun)[: len(planned)] == planned[: len(begun)]
        sys.stdout.write(f"{progress.deals_done}\n")
        sys.stdout.flush()
        if progress.deals_done >= deals:
            run.stop()

    with Store(url) as store:
        planned = [deal.number for deal in store.deals.unplayed(1)]
        pools = of_company() if company else FakePools(quick)
        run = league_run(store, pools, in_flight=64, report=report, now=lambda: _MORNING + time.monotonic() - began)
        signal.signal(signal.SIGTERM, lambda *_: run.stop())
        run.play()


if __name__ == "__main__":
    main()
