"""Runs of leagues in another call or on another server: following and stopping them."""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from beanleague.league.errors import LeagueError, RunError, StillRunningError
from beanleague.league.standings import Standing, standings, with_ratings
from beanleague.model import League, Run
from beanleague.store import Store

_POLL_INTERVAL_S = 0.5  # polling interval; a run stores its progress every 2 s
_STOP_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class FollowedRun:
    """State of a run, as followed from another call or server."""

    progress: bytes
    """Latest progress report in the database."""
    league: League | None = None
    """League, once all deals have been played; None until then."""
    standings: Sequence[Standing] = ()
    """Final standings."""


def follow_run(store: Store, name: str, left: threading.Event) -> Iterator[FollowedRun]:
    """Yield the progress of a league's run until it ends or the caller has `left`.

    Raises:
        MissingError: if the league does not exist.
        RequestError: if the league is a comparison.
        LeagueError: if it is not being run.
        RunError: if the run ends before all deals are played.
    """
    league_id = with_ratings(store.leagues.get(name)).id
    run = store.runs.last(league_id)
    if run is None or not run.alive:
        raise _not_run(store, name, run)
    last = b""
    while run is not None and run.alive:
        if run.progress != last:
            last = run.progress
            yield FollowedRun(last)
        if left.wait(_POLL_INTERVAL_S):
            return
        run = store.runs.last(league_id)
    league = store.leagues.get(name)
    if league.deals_done < league.deals:
        raise _ended_early(run)
    yield FollowedRun(last, league, standings(store, league, running=False))


def stop_run(store: Store, name: str, left: threading.Event) -> None:
    """Stop the run of a league; wait until it has stopped or the caller has `left`.

    Raises:
        MissingError: if the league does not exist.
        LeagueError: if it is not being run.
        StillRunningError: if it has not stopped after a minute.
    """
    league_id = store.leagues.get(name).id
    if not store.runs.ask_to_stop(league_id):
        raise _not_run(store, name, store.runs.last(league_id))
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    # a later run of the league was not asked to stop
    while (run := store.runs.last(league_id)) and run.alive and run.stopping:
        if time.monotonic() > deadline:
            raise StillRunningError(
                f"{run.named} was asked to stop and has not stopped yet; 'league show {name}' shows when it has"
            )
        if left.wait(_POLL_INTERVAL_S):
            return


def _ended_early(run: Run | None) -> RunError:
    if run is None:
        return RunError("the run was stopped; deals played before are kept, and the next run continues")
    return RunError(run.error or f"{run.named}, which ran the league, has ended; the next run continues")


def _not_run(store: Store, name: str, run: Run | None) -> LeagueError:
    league = store.leagues.get(name)
    if run and run.error:
        return LeagueError(f"{name} is not being run; its last run ended: {run.error}")
    if league.deals_done == league.deals:
        return LeagueError(f"{name} is not being run: all its deals have been played")
    how = "continue it with 'compare'" if league.traits.compares else f"run it with 'league run {name}'"
    return LeagueError(f"{name} is not being run; {how}")
