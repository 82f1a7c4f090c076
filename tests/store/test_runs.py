import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import update

from beanleague.model import League
from beanleague.store import ConflictError, Store
from beanleague.store.tables import RUN

BEGIN = """
import sys, time
from beanleague.store import Store
Store(sys.argv[1]).runs.begin(1)
print("begun", flush=True)
time.sleep(60)
"""


def change(store: Store, **values: object) -> None:
    """Change what is noted of the run."""
    with store.database.write() as connection:
        connection.execute(update(RUN).values(**values))


def test_a_league_is_run_by_one_at_a_time(store: Store, league: League) -> None:
    token = store.runs.begin(league.id)
    assert store.runs.running() == {league.id}
    with pytest.raises(
        ConflictError, match=r"is being run already, by process \d+; 'league watch' shows it, 'league stop' ends it"
    ):
        store.runs.begin(league.id)
    store.runs.beat(league.id, token)
    store.runs.end(league.id, token)
    assert store.runs.running() == frozenset()
    store.runs.begin(league.id)


def test_a_thread_that_ended_is_not_in_the_way(store: Store, league: League) -> None:
    thread = threading.Thread(target=store.runs.begin, args=[league.id])
    thread.start()
    task = Path(f"/proc/self/task/{thread.native_id}")
    thread.join()
    while task.exists():  # the system takes a moment longer
        time.sleep(0.001)
    assert store.runs.running() == frozenset()
    store.runs.begin(league.id)


def test_a_process_that_was_killed_is_not_in_the_way(store: Store, league: League) -> None:
    words = [sys.executable, "-c", BEGIN, store.database.url]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        with pytest.raises(ConflictError, match=f"by process {process.pid};"):
            store.runs.begin(league.id)
        process.kill()
    store.runs.begin(league.id)


def test_another_process_with_the_number_of_a_dead_one_is_not_taken_for_it(store: Store, league: League) -> None:
    store.runs.begin(league.id)
    change(store, born="1")
    store.runs.begin(league.id)


def test_a_run_elsewhere_counts_while_its_heart_beats(store: Store, league: League) -> None:
    token = store.runs.begin(league.id)
    change(store, host="elsewhere 1", pid=12)
    message = "If that process has ended, try again in 20 seconds"
    with pytest.raises(ConflictError, match=message):
        store.runs.begin(league.id)
    change(store, heartbeat=time.time() - 21)
    assert store.runs.running() == frozenset()
    store.runs.begin(league.id)
    with pytest.raises(ConflictError, match="because this run seemed dead"):
        store.runs.beat(league.id, token)


def test_the_end_of_a_run_that_was_taken_over_changes_nothing(store: Store, league: League) -> None:
    token = store.runs.begin(league.id)
    change(store, born="1")
    store.runs.begin(league.id)
    store.runs.end(league.id, token)
    assert store.runs.running() == {league.id}
