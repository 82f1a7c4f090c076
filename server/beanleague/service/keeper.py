"""Background work of a server: playing open ladders, maintaining all ladders, and analysing the bots' worst deals."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from beanleague.games import RULES_VERSION, RulesVersionError
from beanleague.league.errors import LeagueError
from beanleague.model import Ladder, LadderState, League
from beanleague.referee.this_node import default_workers
from beanleague.service.backend import Backend
from beanleague.store import Store, StoreError

if TYPE_CHECKING:
    from beanleague.league.run.runner import LeagueRun

_LOOK_INTERVAL_S = 2.0
_PAUSE_S = 8.0  # pause before a run that ended by itself is tried again
_IDLE_S = 60.0  # pause after all worst deals were analysed, and after the start of a server
_REST = 9  # pause after an analysis, as a multiple of its duration: analyses take at most a tenth of a core
_SERVER = "unix:"  # name of callers on this machine in the queue of trials

_log = logging.getLogger(__name__)


class Repeated:
    """Thread that repeats some work until closed, and logs errors.

    `work`: receives a function that returns whether to continue, and may return the seconds until the next call.
        `what`: name of the work in the log.
    """

    def __init__(self, work: Callable[[Callable[[], bool]], float | None], what: str) -> None:
        self._work = work
        self._what = what
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name=what, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the repetition, and wait for the work in progress."""
        self._closed.set()
        self._thread.join()

    def _repeat(self) -> None:
        while not self._closed.is_set():
            pause = None
            try:
                pause = self._work(lambda: not self._closed.is_set())
            except StoreError as away:  # the database may become available again
                _log.warning("%s: %s", self._what, away)
            except Exception:  # noqa: BLE001  # the server goes on after any error
                _log.exception("%s ended with an unexpected error", self._what)
            self._closed.wait(pause or _LOOK_INTERVAL_S)


def upkeep(store: Store, keep_days: int, ladder: str = "") -> Repeated:
    """Start maintaining all ladders, or only `ladder`, until closed. `keep_days`: see `look_after`.

    Several servers may do this on one database, since each skips the completed work of the others.
    """

    def look(wanted: Callable[[], bool]) -> None:
        from beanleague.league.ladder.upkeep import look_after

        for league in store.leagues.list(hidden=True):
            if league.traits.has_entries and ladder in {"", league.name} and wanted():
                look_after(store, league, keep_days, time.time(), wanted)

    return Repeated(look, "looking after ladders")


class LadderKeeper:
    """Plays the open ladders of a database until closed.

    Servers that share a database divide the ladders: each is played by the owner of its run (see `Runs`), and by
    another server if the owner dies. The cores are shared among the open ladders: when one opens or closes, the others
    change the size of their pools between two epochs.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._playing: dict[int, LeagueRun] = {}  # runs by league id
        self._again: dict[int, float] = {}  # time of the next attempt for runs that ended by themselves, by league id
        self._said: dict[int, str] = {}  # reason by league id, as already logged

    def look(self, wanted: Callable[[], bool]) -> None:
        """Start the runs that are due, as long as `wanted` (see `Repeated`); the backend ends running ones."""
        store = self._backend.store
        ladders = _open_ladders(store)
        workers = _workers(ladders)
        for league_id, run in list(self._playing.items()):
            run.resize(workers.get(league_id, 1))
        running = store.runs.running()
        for league, _ in ladders:
            if league.rules < RULES_VERSION:
                self._succeed(league)
            elif league.rules > RULES_VERSION:
                continue  # a newer server plays this league
            elif self._is_due(league) and league.id not in running and wanted():
                self._begin_or_succeed(league, workers[league.id])

    def _begin_or_succeed(self, league: League, workers: int) -> None:
        """Play a ladder with drawn tables; replace one whose tables an earlier version chose."""
        from beanleague.league.ladder.inputs import is_drawn

        if is_drawn(self._backend.store, league):
            self._begin(league, workers)
        else:
            self._succeed(league)

    def _succeed(self, league: League) -> None:
        """Close a ladder that this program cannot play, and start a successor with the current rules."""
        from beanleague.league.ladder.changing import succeed

        name = succeed(self._backend.store, league)
        _log.warning(
            "the rules or the drawing of tables have changed: the ladder %s is closed, and %s continues it",
            league.name,
            name,
        )

    def _is_due(self, league: League) -> bool:
        """Return whether a ladder is not being played here, and the pause after its last run is over."""
        return league.id not in self._playing and self._again.get(league.id, 0.0) <= time.monotonic()

    def _begin(self, league: League, workers: int) -> None:
        """Play a ladder in a new thread."""
        from beanleague.league.run.reports import Listener
        from beanleague.league.run.runner import RunSettings
        from beanleague.service.running import progress_to_bytes, run_of

        backend = self._backend
        run = run_of(backend, league, RunSettings(workers, None), Listener(packed=progress_to_bytes))

        def body() -> None:
            try:
                run.play()
            except (LeagueError, StoreError, RulesVersionError) as error:
                if self._said.get(league.id) != str(error):
                    self._said[league.id] = str(error)
                    _log.warning("the ladder %s is not played: %s", league.name, error)
            except Exception:  # noqa: BLE001  # the server goes on after any error
                _log.exception("the run of the ladder %s ended with an unexpected error", league.name)
            finally:
                self._again[league.id] = time.monotonic() + _PAUSE_S
                del self._playing[league.id]
                backend.ended(run)

        self._playing[league.id] = run
        backend.began(run)
        threading.Thread(target=body, name="ladder run").start()


def _open_ladders(store: Store) -> Sequence[tuple[League, Ladder]]:
    ladders = [league for league in store.leagues.list(hidden=True) if league.traits.has_entries]
    kept = [(league, store.ladders.get(league.id)) for league in ladders]
    return [(league, ladder) for league, ladder in kept if ladder.state == LadderState.OPEN]


def _workers(ladders: Sequence[tuple[League, Ladder]]) -> dict[int, int]:
    """Return the number of workers for each open ladder, by league id, from its share of the cores."""
    shares = sum(ladder.share for _, ladder in ladders)
    return {league.id: max(default_workers() * ladder.share // shares, 1) for league, ladder in ladders}


class WorstDeals:
    """Analyses the worst deals of bots in advance, one match at a time, before their authors look.

    It starts nothing while a caller's trial or analysis runs, and aborts an analysis if a caller waits. A match whose
    analysis failed is not tried again.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._matches: Iterator[str] = iter(())
        self._tried = set[str]()

    def look(self, wanted: Callable[[], bool]) -> float | None:
        """Analyse a match, if there is one and no caller waits; return the seconds to rest (see `Repeated`)."""
        from beanleague.league.uses.worst_deals import worst_matches

        trials, began = self._backend.trials, time.monotonic()
        if any(trials.size):
            return None
        match = next(self._matches, None)
        if match is None:
            self._matches = worst_matches(self._backend.store, self._tried)
            return max(_IDLE_S, _REST * (time.monotonic() - began))
        given_up = threading.Event()

        def goes_on() -> bool:
            if trials.size[1] or not wanted():
                given_up.set()
            return not given_up.is_set()

        self._tried.add(match)
        try:
            self._analyse(match, goes_on)
        except LeagueError as error:
            if not given_up.is_set():
                _log.warning("match %s of a worst deal is not analysed: %s", match, error)
        if given_up.is_set():
            self._tried.discard(match)
        return _REST * (time.monotonic() - began)

    def _analyse(self, match: str, wanted: Callable[[], bool]) -> None:
        from beanleague.league.uses.analyses import AnalysisRequest, analyse
        from beanleague.service.trials import runner

        run = runner(self._backend, _SERVER, wanted)
        for _ in analyse(self._backend.store, AnalysisRequest(match), run):
            pass
