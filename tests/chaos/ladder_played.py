"""Run as a program: plays the ladder "spring" of the database at a URL until DEALS are done, or until SIGTERM.

    python -m tests.chaos.ladder_played URL [DEALS]

Prints the number of deals that are done. It fails if anything is played before what was planned when it began. Every
start sets the clock to the same morning, as a machine whose clock has no battery does.
"""

import signal
import sys
import time

from beanleague.league.run.progress import Progress
from beanleague.store import Store
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run

_MORNING = 1_800_000_000.0
_REPORT_S = 0.01


def main() -> None:
    url, *goal = sys.argv[1:]
    deals = int(goal[0]) if goal else sys.maxsize
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
        pools = FakePools()
        run = league_run(store, pools, in_flight=64, report=report, now=lambda: _MORNING + time.monotonic() - began)
        signal.signal(signal.SIGTERM, lambda *_: run.stop())
        run.play()


if __name__ == "__main__":
    main()
