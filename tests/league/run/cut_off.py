"""Run as a program: plays the league "spring" of the database at a URL.

After 6 deals it prints how many are done, and waits for a line; at the end it prints how many are done again.
"""

import sys
import time

from beanleague.league.run.progress import Progress
from beanleague.store import Store
from tests.league.fakepool import FakePools
from tests.league.helpers import league_run


def say(deals: int) -> None:
    sys.stdout.write(f"{deals}\n")
    sys.stdout.flush()


class Pause:
    """What is called with the progress of the run."""

    def __init__(self) -> None:
        self._due = True
        self.done = 0

    def __call__(self, progress: Progress) -> None:
        self.done = progress.deals_done
        if self._due and self.done > 5:
            self._due = False
            say(self.done)
            sys.stdin.readline()


if __name__ == "__main__":
    pause = Pause()
    with Store(sys.argv[1]) as store:
        league_run(store, FakePools(before=lambda _: time.sleep(0.02)), report=pause).play()
    say(pause.done)
