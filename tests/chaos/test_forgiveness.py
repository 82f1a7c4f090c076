"""Workers that die take nothing from what is forgiven a bot that is killed: once in a run."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from beanleague.league.bots.house_bots import TrustedPools
from beanleague.league.create import create_league
from beanleague.model import LeagueRequest, PlayedMatch
from beanleague.referee.messages import MatchReport, MatchTask, VoidMatch
from beanleague.store import Store
from tests.chaos.leagues import PoolBeside, starting
from tests.league.helpers import SECRET, keep, league_run, zipped
from tests.processes import workers_of

HONEST = "from beanbot import Bot, run\nclass Any(Bot):\n    decide = lambda self, view: view.default()\nrun(Any)\n"
DEATHS = 2
KILLS = 1


@dataclass
class Killer:
    """The worker dies `DEATHS` times, then ann is killed `KILLS` times, in the same deal."""

    deaths: int = 0
    kills: int = 0
    counted: set[int] = field(default_factory=set)
    """Tasks whose results may count: if one is void, the others of the deal do not."""


@dataclass
class KillingPool(PoolBeside):
    """See `Killer`."""

    killer: Killer
    waited_for: bool = False
    """Whether something was killed, which no result has shown yet."""
    idle: frozenset[psutil.Process] = frozenset()
    """Processes that played the deal before: it is played again in new lanes, without them."""

    def submit(self, task: MatchTask) -> None:
        if not self.killer.counted:
            self.idle = frozenset(_bots(self._worker(), "ann.py"))
        self.killer.counted.add(task.id)
        self.pool.submit(task)

    def poll(self, timeout: float) -> list[MatchReport]:
        del timeout
        if self.killer.counted and not self.waited_for:
            self.waited_for = self._kill()
        reports = self.pool.poll(0.01)
        for report in reports:
            if isinstance(report, PlayedMatch | VoidMatch):
                self.waited_for = False
                if isinstance(report, VoidMatch) and report.id in self.killer.counted:
                    self.killer.deaths += report.killed is None
                    self.killer.kills += report.killed is not None
                    self.killer.counted.clear()
                self.killer.counted.discard(report.id)
        return reports

    def _kill(self) -> bool:
        """Kill what is due; return whether there was such a process."""
        worker = self._worker()
        if self.killer.deaths < DEATHS:
            worker.kill()
            return True
        found = set(_bots(worker, "ann.py")) - self.idle if self.killer.kills < KILLS else ()
        for process in found:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        return bool(found)

    def _worker(self) -> psutil.Process:
        return workers_of(self.pool)[0]


def _bots(worker: psutil.Process, program: str) -> Iterator[psutil.Process]:
    """Yield the processes that run this program: not those of the sandbox, whose end is the host's fault."""
    for process in worker.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.cmdline()[1:] == [program]:
                yield process


@pytest.mark.slow  # tests/league/run counts kills without processes
def test_a_bot_is_forgiven_one_kill_in_a_run_however_often_workers_died(tmp_path: Path) -> None:
    killer = Killer()
    with Store(f"sqlite:///{tmp_path / 'a.db'}") as store:
        for name in ("ann", "bob"):
            toml = f'name = "{name}"\ngames = ["dice"]\ncommand = ["python", "{name}.py"]\n'
            keep(store, zipped({"bot.toml": toml, f"{name}.py": HONEST}))
        create_league(store, LeagueRequest(name="spring", ruleset="dice", seats=2, deals=1, secret=SECRET))
        pools = TrustedPools(starting(lambda pool: KillingPool(pool, killer)), everyone=True)
        league_run(store, pools, workers=1, in_flight=1).play()
        assert (killer.deaths, killer.kills) == (DEATHS, KILLS)
        assert [deal.voids for deal in store.deals.list(1)] == [DEATHS + KILLS]
        assert [(totals.faults, totals.forfeits) for totals in store.leagues.totals(1)] == [(0, 0)] * 2
