"""The pool of workers: lanes, order, death of workers, whole deals, and what is left when all of it ends."""

import platform
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from beanleague.games import RULES_VERSION
from beanleague.model import PlayedDeal, PlayedMatch
from beanleague.referee.deal_pool import DealPool
from beanleague.referee.messages import DealReport, DealTask, Limits, MatchTask, VoidDeal, VoidMatch, WorkerCounts
from beanleague.referee.pool import WorkerPool
from tests.league.fakepool import FakePools
from tests.matches import column
from tests.processes import started, workers_of
from tests.referee.helpers import bot, finish, play, record_of, task
from tests.timeless import timeless
from tests.waiting import TIMEOUT_S, ending, until

TWO = [bot(version, "plays_well") for version in range(2)]
ROTATIONS = ((0, 1), (1, 0))


@pytest.mark.parametrize(("workers", "seats", "lanes"), [(1, 3, 3), (2, 3, 4), (2, 4, 4), (4, 3, 4), (3, 5, 6)])
def test_every_replay_of_a_deal_has_a_lane_and_every_worker_as_many(workers: int, seats: int, lanes: int) -> None:
    pool = WorkerPool.__new__(WorkerPool)
    pool._workers = [None] * workers  # type: ignore[list-item]  # only counted
    assert pool.lanes(seats) == lanes


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """A pool with one worker, for tests that leave it idle."""
    with WorkerPool(TWO, Limits(), workers=1, in_flight=8) as pool:
        yield pool


def records(*, workers: int, in_flight: int, deals: int = 3, fresh: bool = False) -> dict[int, bytes]:
    with WorkerPool(TWO, Limits(), workers=workers, in_flight=in_flight, fresh=fresh) as pool:
        lanes = pool.lanes(2)
        for deal in range(deals):
            for replay, seats in enumerate(ROTATIONS):
                pool.submit(task(2 * deal + replay, seats, deal=deal, lane=replay % lanes))
        return {number: timeless(result.record) for number, result in finish(pool, 2 * deals)[0].items()}


@pytest.fixture(scope="module")
def alone() -> dict[int, bytes]:
    """The records of matches that are played one after the other."""
    return records(workers=1, in_flight=1)


def test_any_number_of_matches_in_flight_gives_the_same_records_to_the_byte(alone: dict[int, bytes]) -> None:
    assert records(workers=2, in_flight=128) == alone


def test_a_record_tells_the_rules_the_luck_of_each_bot_how_long_moves_took_and_where(pool: WorkerPool) -> None:
    asked = task(1, [0, 1])
    pool.submit(asked)
    record = record_of(finish(pool, 1)[0][1])
    assert (record.rules, record.luck, record.node) == (RULES_VERSION, asked.luck, platform.node())
    assert len(record.ms) == len(record.moves)
    assert any(record.ms)


def test_fresh_processes_give_the_same_records(alone: dict[int, bytes]) -> None:
    fresh = records(workers=1, in_flight=2, deals=1, fresh=True)
    assert fresh == {number: alone[number] for number in range(2)}


def test_fresh_processes_have_ended_when_the_result_of_their_match_comes() -> None:
    with WorkerPool(TWO, Limits(), workers=1, in_flight=1, fresh=True) as pool:
        pool.submit(task(1, [0, 1]))
        finish(pool, 1)
        left = workers_of(pool)[0].children(recursive=True)
        assert [process for process in left if not any("template.py" in word for word in process.cmdline())] == []


def test_who_was_forked_from_a_process_that_is_killed_is_not_to_blame(pool: WorkerPool) -> None:
    pool.submit(task(1, [0, 1]))
    finish(pool, 1)
    children = workers_of(pool)[0].children()
    templates = [process for process in children if any("template.py" in word for word in process.cmdline())]
    if not templates:
        pytest.skip("bots are forked under bubblewrap only")
    templates[0].kill()
    gone, _ = psutil.wait_procs(templates, timeout=60)
    assert gone
    voids: list[VoidMatch] = []
    for number in range(2, 5):
        pool.submit(task(number, [0, 1], deal=number))
        finish(pool, len(voids) + 1, voids)
        if not voids or voids[-1].id != number:
            break
    assert all(void.host and void.killed is None for void in voids)
    assert len(voids) <= 1
    pool.submit(task(9, [0, 1], deal=9))
    assert finish(pool, 1)[0][9].faults == ()


def test_workers_tell_how_many_bots_they_started_and_how_full_messages_were(pool: WorkerPool) -> None:
    for number in range(24):  # a few at a time carry more or fewer requests together, as they happen to meet
        pool.submit(task(number, [0, 1], deal=number, lane=9))  # for which there are no processes yet
    counts, decisions, left = WorkerCounts(), 0, 24
    deadline = time.monotonic() + TIMEOUT_S
    while left:
        assert time.monotonic() < deadline, f"{left} matches are not over"
        for report in pool.poll(1.0):
            if isinstance(report, WorkerCounts):
                counts += report
            elif isinstance(report, PlayedMatch):
                decisions += sum(seat.decisions for seat in report.seats)
                left -= 1
    assert counts.starts == 2  # one for each bot, for all matches
    assert counts.requests == decisions
    assert counts.requests > 1.5 * counts.batches > 0


def test_a_bot_may_sit_at_every_seat_of_a_table(pool: WorkerPool) -> None:
    pool.submit(task(1, [0, 0, 0]))
    result = finish(pool, 1)[0][1]
    assert result.faults == ()
    assert sorted(column(result, "place")) == [1, 2, 3]


def test_an_unknown_ruleset_voids_the_match_rather_than_ending_the_worker(capfd: pytest.CaptureFixture[str]) -> None:
    wrong = task(1, [0, 1])
    wrong = type(wrong)(1, "skat", wrong.seed, wrong.bots, wrong.luck, 0)
    voids: list[VoidMatch] = []
    results = play(TWO, [wrong, task(2, [0, 1])], voids=voids)
    assert [(void.id, "skat" in void.why) for void in voids] == [(1, True)]
    assert results.keys() == {2}
    assert "UnknownRulesetError" in capfd.readouterr().err


def test_no_bot_can_guess_where_the_socket_of_another_is(pool: WorkerPool) -> None:
    """Under Landlock who knows the path of a socket can dial it."""
    pool.submit(task(1, [0, 1]))
    finish(pool, 1)
    homes = [home.name for home in pool._workers[0]._folder.path.iterdir() if home.is_dir()]
    assert len(homes) >= 2
    assert {len(home) for home in homes} == {8}


def test_the_matches_of_a_worker_that_dies_are_void_and_others_can_be_played(pool: WorkerPool) -> None:
    for number in range(12):
        pool.submit(task(number, [0, 1], deal=number))
    first = until(lambda: [report for report in pool.poll(1.0) if isinstance(report, PlayedMatch)])
    (worker,) = workers_of(pool)
    # A fast worker may have finished all of them before the signal arrives; a stopped one cannot play one more.
    worker.suspend()
    pool.submit(task(12, [0, 1], deal=12))
    worker.kill()
    voids: list[VoidMatch] = []
    finish(pool, 13 - len(first), voids)
    assert {"the worker process ended with -9"} == {void.why for void in voids}
    pool.submit(task(99, [0, 1]))
    assert finish(pool, 1)[0].keys() == {99}


def test_the_matches_of_a_worker_that_dies_are_void_when_its_bots_have_ended(pool: WorkerPool) -> None:
    """One of its bots takes its time: here another process, in the bot's control group."""
    pool.submit(task(1, [0, 1]))
    finish(pool, 1)
    worker = pool._workers[0]
    places = pool._setup.sandbox.groups.places
    if not places:
        pytest.skip("no control groups can be made here")
    group = next(places[0][1].glob(f"{worker._folder.path.name}*"))
    with ending(subprocess.Popen(["sleep", "2"])) as late:
        (group / "cgroup.procs").write_text(str(late.pid))
        worker.popen.send_signal(signal.SIGSTOP)
        pool.submit(task(2, [0, 1]))
        worker.popen.kill()
        voids: list[VoidMatch] = []
        assert finish(pool, 1, voids)[0] == {}
        assert [void.id for void in voids] == [2]
        assert late.poll() == 0


HOLDER = """
import sys, time
sys.path[:0] = {path!r}
from tests.referee.helpers import bot, layers_with_programs, task
from beanleague.model import PlayedMatch
from beanleague.referee.messages import Limits
from beanleague.referee.pool import WorkerPool
bots = [bot(n, "leaves_children") for n in range(2)]
pool = WorkerPool(bots, Limits(), workers=1, in_flight=4, layers=layers_with_programs())
for number in range(100_000):
    pool.submit(task(number, [0, 1], deal=number))
    if number > 40 and number % 8 == 0 and any(isinstance(r, PlayedMatch) for r in pool.poll(1.0)):
        print("playing", flush=True)
"""


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_no_process_outlives_a_pool_that_is_killed(how: signal.Signals) -> None:
    root = str(Path(__file__).parents[2])
    with ending(subprocess.Popen([sys.executable, "-c", HOLDER.format(path=[root])], stdout=subprocess.PIPE)) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"playing\n"
            started = descendants(holder.pid)
            assert sum("leaves_children.py" in process.cmdline() for process in started) >= 2
        finally:
            holder.send_signal(how)
    _, alive = psutil.wait_procs(started, timeout=60)
    assert alive == []


def test_closing_a_busy_pool_leaves_nothing_running() -> None:
    before = started()  # of the pool that other tests share
    pool = WorkerPool(TWO, Limits(), workers=1, in_flight=4)
    for number in range(100):
        pool.submit(task(number, [0, 1], deal=number))
    until(lambda: any(isinstance(report, PlayedMatch) for report in pool.poll(1.0)))
    processes = [process for process in started() if process not in before]
    assert processes
    pool.close()
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert alive == []


def deal(number: int, matches: int = 4, repeats: int = 4, voids: int = 0) -> DealTask:
    seatings = (
        MatchTask(rotation, "dice", b"seed %d" % number, (0, 1), (b"", b""), label=f"{number}.{rotation}")
        for rotation in range(matches)
    )
    return DealTask(number, tuple(seatings), repeats, voids)


def pool_of(pools: FakePools, *, isolate: bool = False) -> DealPool:
    return pools(TWO, Limits(), workers=2, in_flight=3, isolate=isolate)


def all_reports(pool: DealPool) -> list[DealReport]:
    reports = []
    while pool.unfinished:
        reports += pool.poll(0)
    return reports


def test_a_deal_is_reported_when_its_last_match_is_over() -> None:
    pool = pool_of(FakePools(at_once=1, order=5))
    pool.submit(deal(7))
    reports = all_reports(pool)
    assert [type(report) for report in reports] == [PlayedMatch] * 4 + [PlayedDeal]
    *matches, whole = reports
    assert isinstance(whole, PlayedDeal)
    assert (whole.number, whole.seed, set(whole.matches)) == (7, b"seed 7", set(matches))
    assert [match.id for match in whole.matches] == [0, 1, 2, 3]


@pytest.mark.parametrize("isolate", [False, True])
def test_a_void_deal_is_reported_at_once_with_the_first_reason_and_nothing_of_it_counts_later(isolate: bool) -> None:
    pools = FakePools(at_once=1, killed=lambda task: {"7.1": 0, "7.2": 1}.get(task.label))
    pool = pool_of(pools, isolate=isolate)
    pool.submit(deal(7))
    reports = all_reports(pool)
    (result,) = [report for report in reports if isinstance(report, VoidDeal)]
    assert reports[-1] is result
    first = next(task.label for task in pools.order_played if task.label in {"7.1", "7.2"})
    assert (result.why, result.killed) == ("somebody killed a bot", {"7.1": 0, "7.2": 1}[first])
    assert len(pools.tasks) == pools.played == (2 if isolate else 4)
    before = [task.label for task in pools.order_played].index(first)
    assert result.over == len(reports) - 1 == before


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_workers_have_equally_much_to_do_whichever_deals_they_get(step: int) -> None:
    """A pool that has part of a league may get every second deal."""
    pools = FakePools()
    pool = pool_of(pools)
    for number in range(1, 1 + 8 * step, step):
        pool.submit(deal(number, matches=3, repeats=1))
    load = Counter(task.lane % 2 for task in pools.tasks)
    assert load == {0: 12, 1: 12}


def test_a_deal_that_was_void_is_played_in_new_lanes() -> None:
    pools = FakePools()
    pool = pool_of(pools)
    for voids in range(3):
        pool.submit(deal(1, voids=voids))
        all_reports(pool)
    assert sorted(task.lane for task in pools.tasks) == list(range(12))


def test_secrets_of_a_task_are_not_in_its_text() -> None:
    """Libraries write tasks to logs."""
    task = DealTask(1, (MatchTask(0, "dice", b"the seed", (0, 1), (b"some luck", b"more luck")),))
    assert "seed" not in repr(task)
    assert "luck" not in repr(task)
