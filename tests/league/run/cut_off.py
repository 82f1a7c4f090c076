"""Run as a program: plays the league "spring" of the database at a URL, and prints how many deals are done."""

import sys
import time

from beanleague.league.run.progress import Progress
from beanleague.store import Store
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run


def report(progress: Progress) -> None:
    sys.stdout.write(f"{progress.deals_done}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    with Store(sys.argv[1]) as store:
        league_run(store, FakePools(before=lambda _: time.sleep(0.02)), report=report).play()
