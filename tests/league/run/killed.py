"""Run as a program: plays leagues in children that are killed at one database statement after the other.

    python killed.py FIRST STEP URL...

The first child is killed when it is about to execute its statement number FIRST (every second one: right after it),
the next one STEP statements later, and so on; each goes on where the last was killed, until one comes to the end. At
the next URL the first number is one more. Prints how many were killed at each URL.
"""

import os
import signal
import sys
from itertools import count

from sqlalchemy import Engine, event

from beanleague.league.formats.table import FORMATS
from beanleague.store import Store
from tests.league.fakepool import FakePools
from tests.league.formats.stages import STAGES, TWO_STAGES
from tests.league.helpers import league_run, slow_clock


def play(url: str, statement: int, *, after: bool, order: int) -> None:
    seen = count(1)

    def look(*_: object) -> None:
        if next(seen) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    for what in ("after_cursor_execute" if after else "before_cursor_execute", "commit"):
        event.listen(Engine, what, look)
    with Store(url) as store:
        pools = FakePools(order=order, at_once=1, logs="line\n")
        league_run(store, pools, clock=slow_clock(0.01)).play()


def kills(url: str, first: int, step: int) -> int:
    """Kill children until one comes to the end; return how many were killed."""
    for killed, statement in enumerate(count(first, step)):
        child = os.fork()
        if not child:
            play(url, statement, after=bool((first + killed) % 2), order=killed)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            if status:
                sys.exit(f"a child failed instead of being killed at {statement}")
            return killed
    raise AssertionError


def main() -> None:
    FORMATS[STAGES] = TWO_STAGES
    first, step, *urls = sys.argv[1:]
    for number, url in enumerate(urls, int(first)):
        sys.stdout.write(f"{kills(url, number, int(step))}\n")


if __name__ == "__main__":
    main()
