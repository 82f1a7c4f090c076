"""A ladder of real bots at midnight, when the secret of its day is shown, beside one that wants to be awake then."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from beanleague.league.bots.house_bots import TrustedPools
from beanleague.league.run.runner import LeagueRun
from beanleague.model import PlayedMatch
from beanleague.referee.messages import Limits, MatchReport
from beanleague.referee.pool import WorkerPool
from beanleague.referee.sandbox.probe import choose
from beanleague.store import Store
from tests.chaos.leagues import PoolBeside, starting
from tests.league.helpers import bundle, keep, league_run
from tests.league.ladder.playing import DAY_S, Clock, create
from tests.league.ladder.test_midnight import assert_shown_secrets_decide_nothing_more, findings
from tests.processes import real_user, workers_of

pytestmark = pytest.mark.slow
EVENING, NIGHT = 24, 48
"""Matches before midnight, and in all."""
HONEST = "from beanbot import Bot, run\nclass Any(Bot):\n    decide = lambda self, view: view.default()\nrun(Any)\n"
WAKES_ITSELF = """
import ctypes, os, signal, socket, struct, threading, time
from beanbot import Bot, run

class Any(Bot):
    asked = time.monotonic()

    def decide(self, view):
        Any.asked = time.monotonic()
        return view.default()

def wake():
    create, settime = {"x86_64": (222, 223), "aarch64": (107, 110)}[os.uname().machine]
    syscall = ctypes.CDLL(None).syscall
    timer = ctypes.create_string_buffer(8)
    if not syscall(ctypes.c_long(create), ctypes.c_int(1), struct.pack("@qii48x", 0, 18, 0), timer):
        every = struct.pack("@qqqq", 0, 2_000_000, 0, 2_000_000)
        syscall(ctypes.c_long(settime), ctypes.c_int(struct.unpack_from("i", timer.raw)[0]), 0, every, None)

def flood():
    while True:
        time.sleep(0.05)
        if time.monotonic() - Any.asked > 0.5:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(os.environ["BEANLEAGUE_SOCKET"].removeprefix("unix:"))
                connection.sendall(bytes(65536))

signal.signal(signal.SIGCONT, lambda *_: None)  # the timer of a signal that is ignored runs out
wake()
threading.Thread(target=flood, daemon=True).start()
run(Any)
"""


class _Night(PoolBeside):
    """Lets midnight come in the middle of a run, and ends it later."""

    clock: Clock
    run: LeagueRun
    played = 0
    shared: tuple[int, ...] = ()
    """Users of more than one bot process at midnight."""

    def poll(self, timeout: float) -> list[MatchReport]:
        reports = self.pool.poll(timeout)
        before, self.played = self.played, self.played + sum(isinstance(report, PlayedMatch) for report in reports)
        if before < EVENING <= self.played:
            self.shared = tuple(_shared_users(self.pool))
            self.clock.now += DAY_S
        if self.played >= NIGHT:
            self.run.stop()
        return reports


def _shared_users(pool: WorkerPool) -> Iterator[int]:
    """Yield users, other than that of the test, of more than one process."""
    processes = [process for worker in workers_of(pool) for process in worker.children(recursive=True)]
    with_users = Counter(map(real_user, processes))
    yield from (user for user, number in with_users.items() if user not in {None, os.getuid()} and number > 1)


def test_a_bot_that_wants_to_wake_itself_at_midnight_harms_nobody(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    clock = Clock()
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        for number in range(6):
            keep(store, bundle(f"bot{number}", (WAKES_ITSELF if number == 5 else HONEST) + f"#{number}"))
        create(store)
        nights: list[_Night] = []

        def watched(pool: WorkerPool) -> WorkerPool:
            night = _Night(pool)
            night.clock, night.run = clock, run
            nights.append(night)
            return night

        start = TrustedPools(starting(watched), everyone=True)
        run = league_run(store, start, in_flight=2, now=clock)
        run.play()
        assert len(store.ladders.days(1)) == 2
        assert_shown_secrets_decide_nothing_more(store)
        assert [totals.forfeits for totals in store.leagues.totals(1)][:5] == [0] * 5
        assert findings(store) == []
        if choose(Limits(), trusted=True).gives_users:
            assert [night.shared for night in nights] == [()] * len(nights)
