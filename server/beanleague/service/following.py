"""Following and stopping the runs of leagues, in whichever process over the same database they are."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import grpc

from beanleague.league.errors import LeagueError, RunError
from beanleague.league.standings import standings
from beanleague.model import COMPARISON, Run
from beanleague.service import messages
from beanleague.service.errors import RefusedCallError
from beanleague.service.requests import with_ratings
from beanleague.store.store import Store
from beanproto.v1 import league_pb2 as pb

_POLL_INTERVAL_S = 0.5  # a run leaves its progress in the database every 2 s
_STOP_TIMEOUT_S = 60.0


def follow_run(store: Store, name: str, left: threading.Event) -> Iterator[pb.Progress]:
    """Yield the progress of the run of a league until it ends, or whoever follows it has `left`.

    Raises:
        MissingError: if the league does not exist.
        RequestError: if it is a comparison.
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
            yield pb.Progress.FromString(last)
        if left.wait(_POLL_INTERVAL_S):
            return
        run = store.runs.last(league_id)
    league = store.leagues.get(name)
    if league.deals_done < league.deals:
        raise RunError(_how_it_ended(run))
    yield _done(store, name, pb.Progress.FromString(last))


def stop_run(store: Store, name: str, left: threading.Event) -> None:
    """Stop the run of a league, and wait until it has stopped, or whoever asked has `left`.

    Raises:
        MissingError: if the league does not exist.
        LeagueError: if it is not being run.
        RefusedCallError: if it has not stopped after a minute.
    """
    league_id = store.leagues.get(name).id
    if not store.runs.ask_to_stop(league_id):
        raise _not_run(store, name, store.runs.last(league_id))
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    while (run := store.runs.last(league_id)) and run.alive and run.stopping:  # the next one is not
        if time.monotonic() > deadline:
            why = f"{run.named} was asked to stop, but has not yet; 'league show {name}' says when it has"
            raise RefusedCallError(grpc.StatusCode.DEADLINE_EXCEEDED, why)
        if left.wait(_POLL_INTERVAL_S):
            return


def _not_run(store: Store, name: str, run: Run | None) -> LeagueError:
    league = store.leagues.get(name)
    if run and run.error:
        return LeagueError(f"{name} is not being run; its last run ended: {run.error}")
    if league.deals_done == league.deals:
        return LeagueError(f"{name} is not being run: all its deals have been played")
    how = "continue it with 'compare'" if league.format == COMPARISON else f"run it with 'league run {name}'"
    return LeagueError(f"{name} is not being run; {how}")


def _how_it_ended(run: Run | None) -> str:
    if run is None:
        return "the run was stopped; deals played before are kept, and the next run continues"
    return run.error or f"{run.named}, which ran the league, has ended; the next run continues"


def _done(store: Store, name: str, last: pb.Progress) -> pb.Progress:
    """Return the last progress of a run that has played all deals."""
    league = store.leagues.get(name)
    done = pb.Progress()
    done.CopyFrom(last)
    done.state = pb.RUN_STATE_DONE
    done.deals_done, done.deals_total = league.deals_done, league.deals
    done.matches_done, done.matches_total = league.matches_done, league.matches
    done.ClearField("seconds_left")
    done.ClearField("standings")
    done.standings.extend(map(messages.standing_to_pb, standings(store, league, running=False)))
    return done
