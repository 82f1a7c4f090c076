"""What a server does for ladders by itself: it plays the open ones, whatever ended a run, and looks after all."""

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
from beanleague.store import Store, StoreError

if TYPE_CHECKING:
    from beanleague.league.run.runner import LeagueRun

_LOOK_INTERVAL_S = 2.0
_PAUSE_S = 8.0  # after a run that ended by itself, until it is tried again

_log = logging.getLogger(__name__)


class Repeated:
    """Does some work again and again in a thread, until it is closed. What goes wrong is in the log.

    `work` is called with what says whether it is wanted still. `what`: what it is called.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], None], what: str) -> None:
        self._work = work
        self._what = what
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name=what, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Return when the work under way has ended, and no more will begin."""
        self._closed.set()
        self._thread.join()

    def _repeat(self) -> None:
        while not self._closed.is_set():
            try:
                self._work(lambda: not self._closed.is_set())
            except StoreError as away:  # the database may come back
                _log.warning("%s: %s", self._what, away)
            except Exception:  # noqa: BLE001  # the server goes on, whatever it is
                _log.exception("%s ended with an unexpected error", self._what)
            self._closed.wait(_LOOK_INTERVAL_S)


def upkeep(store: Store, keep_days: int, ladder: str = "") -> Repeated:
    """Look after all ladders, or this one, until this is closed. `keep_days`: as of `look_after`.

    Several may do so over one database: what one has done the others find done.
    """

    def look(wanted: Callable[[], bool]) -> None:
        from beanleague.league.ladder.upkeep import look_after

        for league in store.leagues.list(hidden=True):
            if league.format == LADDER and ladder in {"", league.name} and wanted():
                look_after(store, league, keep_days, time.time(), wanted)

    return Repeated(look, "looking after ladders")


class LadderKeeper:
    """Plays the open ladders of a database while it is open.

    Over a database that several servers share each ladder is played by the one that has its run, and by another when
    that has gone: `Runs` says which. Every run has workers of its own, as many as its share of the cores among those
    that are open; when one is opened or closed the others start pools of another size between two epochs.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._playing: dict[int, LeagueRun] = {}  # by ids of leagues
        self._again: dict[int, float] = {}  # when those are tried that ended by themselves
        self._said: dict[int, str] = {}  # why, as is in the log
        self._looking = Repeated(self._look, "playing ladders")

    def close(self) -> None:
        """Begin no more runs. Those under way are ended by the backend."""
        self._looking.close()

    def _look(self, wanted: Callable[[], bool]) -> None:
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
            if league.rules > RULES_VERSION:
                continue  # a newer server plays it
            if league.rules < RULES_VERSION:  # this program cannot play that: one by the rules of today follows it
                from beanleague.league.ladder.changing import succeed

                name = succeed(store, league)
                _log.warning("the rules have changed: the ladder %s is closed, and %s goes on", league.name, name)
                continue
            due = self._again.get(league.id, 0.0) <= time.monotonic()
            if due and wanted() and league.id not in running and league.id not in self._playing:
                self._begin(league, workers[league.id])

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
                self._again[league.id] = time.monotonic() + _PAUSE_S
                del self._playing[league.id]
                backend.ended(run)

        self._playing[league.id] = run
        backend.began(run)
        threading.Thread(target=body, name="ladder run").start()
