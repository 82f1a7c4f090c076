"""The ladders that a server plays by itself: it begins them, and goes on after whatever ended a run."""

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from beanleague.games import RULES_VERSION, RulesVersionError
from beanleague.league.errors import LeagueError
from beanleague.model import LADDER, LadderState, League
from beanleague.referee.this_node import default_workers
from beanleague.service.backend import Backend
from beanleague.store import StoreError

if TYPE_CHECKING:
    from beanleague.league.run.runner import LeagueRun

_LOOK_INTERVAL_S = 2.0
_PAUSE_S = 8.0  # after a run that ended by itself, until it is tried again

_log = logging.getLogger(__name__)


class LadderKeeper:
    """Plays the open ladders of a database while it is open.

    Over a database that several servers share each ladder is played by the one that has its run, and by another when
    that has gone: `Runs` says which. Every run has workers of its own, as many as its share of the cores among those
    that are open; when one is opened or closed the others start pools of another size between two epochs. `keep_days`:
    after these records of ladders lose their events; 0: never.
    """

    def __init__(self, backend: Backend, keep_days: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._backend = backend
        self._keep_days = keep_days
        self._clock = clock
        self._closed = threading.Event()
        self._playing: dict[int, LeagueRun] = {}  # by ids of leagues
        self._again: dict[int, float] = {}  # when those are tried that ended by themselves
        self._said: dict[int, str] = {}  # why, as is in the log
        self._thread = threading.Thread(target=self._work, name="ladders", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Begin no more runs. Those under way are ended by the backend."""
        self._closed.set()
        self._thread.join()

    def _work(self) -> None:
        while True:
            try:
                self._look()
            except StoreError as away:  # the database may come back
                _log.warning("cannot look for ladders: %s", away)
            except Exception:  # noqa: BLE001  # the ladders are played, whatever it is
                _log.exception("looking after ladders ended with an unexpected error")
            if self._closed.wait(_LOOK_INTERVAL_S):
                return

    def _look(self) -> None:
        from beanleague.league.ladder.upkeep import look_after

        store = self._backend.store
        ladders = [league for league in store.leagues.list(hidden=True) if league.format == LADDER]
        kept = {league.id: store.ladders.get(league.id) for league in ladders}
        open_ = [league for league in ladders if kept[league.id].state == LadderState.OPEN]
        shares = sum(kept[league.id].share for league in open_)
        workers = {league.id: max(default_workers() * kept[league.id].share // shares, 1) for league in open_}
        for league_id, run in list(self._playing.items()):
            run.resize(workers.get(league_id, 1))
        running = store.runs.running()
        for league in open_:
            if league.rules != RULES_VERSION:
                self._succeed(league)
                continue
            due = self._again.get(league.id, 0.0) <= self._clock()
            if due and league.id not in running and league.id not in self._playing:
                self._begin(league, workers[league.id])
        for league in ladders:
            look_after(store, league, self._keep_days, time.time())

    def _succeed(self, league: League) -> None:
        """Let a ladder by the rules of today follow one of others: this program cannot play that."""
        if league.rules > RULES_VERSION:
            return  # a newer server plays it
        from beanleague.league.ladder.changing import succeed

        name = succeed(self._backend.store, league)
        _log.warning("the rules have changed: the ladder %s is closed, and %s goes on", league.name, name)

    def _begin(self, league: League, workers: int) -> None:
        """Play a ladder in a thread of its own."""
        from beanleague.league.bots.cache import BundleCache
        from beanleague.league.run.runner import LeagueRun, RunSettings
        from beanleague.service.running import packed

        backend = self._backend
        run = LeagueRun(
            backend.store,
            league.name,
            BundleCache(backend.settings.bundles),
            RunSettings(workers, None),
            backend.settings.pools_of_runs(),
            packed=packed,
        )

        def body() -> None:
            try:
                run.play()
            except (LeagueError, StoreError, RulesVersionError) as error:
                if self._said.get(league.id) != str(error):
                    self._said[league.id] = str(error)
                    _log.warning("the ladder %s is not played: %s", league.name, error)
            except Exception:  # noqa: BLE001  # the server goes on, whatever it is
                _log.exception("the run of the ladder %s ended with an unexpected error", league.name)
            finally:
                self._again[league.id] = self._clock() + _PAUSE_S
                del self._playing[league.id]
                backend.ended(run)

        self._playing[league.id] = run
        backend.began(run)
        threading.Thread(target=body, name="ladder run").start()
